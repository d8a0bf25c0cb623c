/* Reads the command line of a tool: long options by a table, and words after them; writes a message if they
 * are wrong, and where help is. */
#pragma once

#include <crawl/base.h>

/* An option. One of text, flag and take tells where its value goes. */
typedef struct cw_tool_option {
    const char *name;
    char letter;                                                   /* of "-x"; 0: none. The option takes no value */
    const char **text;                                             /* gets the value, a word of argv */
    bool *flag;                                                    /* becomes true; the option takes no value */
    bool takes_value;                                              /* with take */
    bool (*take)(void *user, const char *name, const char *value); /* false: it has printed its message already */
} cw_tool_option;

/* The last option of a table has no name. */
typedef struct cw_tool_syntax {
    const char *tool;
    const cw_tool_option *options;
    void *user;       /* of take */
    const char *help; /* what --help prints */
    bool one_file;    /* no more than one word is taken */
} cw_tool_syntax;

/* The help of a tool that is an executable of its own: the file help.txt of its folder. */
extern const char cw_tool_help[];

/* Reads the options; the words then begin at argv[optind]. False: the tool must return *status, because of --help, or
 * after a message about a mistake. */
bool cw_tool_options(const cw_tool_syntax *syntax, int argc, char **argv, int *status);

/* The same for a tool that prints messages by itself. *help becomes true for --help. CRAWL_EINVAL, or what take has put
 * into error, which then says what is wrong; without a code, take has printed it. */
crawl_err cw_tool_options_read(const cw_tool_syntax *syntax, int argc, char **argv, bool *help, crawl_error *error);

/* Reads a value of an option as crawler.conf has that of key, a number (crawl_config_number). False: a message says
 * what is wrong. */
bool cw_tool_option_number(const char *tool, const char *option, const char *key, const char *value, int64_t *out);

/* Writes what is wrong, unless it is NULL, and where help is. Returns CW_EXIT_USAGE. */
int cw_tool_refuse(const cw_tool_syntax *syntax, const char *wrong);
