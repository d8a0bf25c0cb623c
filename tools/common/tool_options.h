/* Reads the command line of a tool: long options from a table, then words. Writes a message about mistakes, and where
 * to find help. */
#pragma once

#include <crawl/base.h>

/* An option. One of text, flag and take receives its value. */
typedef struct cw_tool_option {
    const char *name;
    char letter;                                                   /* of "-x"; 0: none. The option takes no value */
    const char **text;                                             /* receives the value, a word of argv */
    bool *flag;                                                    /* set to true; the option takes no value */
    bool takes_value;                                              /* with take */
    bool (*take)(void *user, const char *name, const char *value); /* false: it has already printed a message */
} cw_tool_option;

/* A tool's options end with one without a name. */
typedef struct cw_tool_syntax {
    const char *tool;
    const cw_tool_option *options;
    void *user;       /* of take */
    const char *help; /* output of --help */
    bool one_file;    /* at most one word is allowed */
} cw_tool_syntax;

/* The help of a tool that is an executable of its own: help.txt of its folder. */
extern const char cw_tool_help[];

/* Reads the options; the words begin at argv[optind]. Returns false if the tool must return *status, after --help or a
 * message about a mistake. */
bool cw_tool_options(const cw_tool_syntax *syntax, int argc, char **argv, int *status);

/* Does the same for a tool that prints its own messages. --help sets *help. CRAWL_EINVAL, or the code that take has put
 * into error, which then says what is wrong; if error has no code, take has printed a message. */
crawl_err cw_tool_options_read(const cw_tool_syntax *syntax, int argc, char **argv, bool *help, crawl_error *error);

/* Reads an option's value as crawler.conf reads that of key, a number (crawl_config_number). Returns false after a
 * message. */
bool cw_tool_option_number(const char *tool, const char *option, const char *key, const char *value, int64_t *out);

/* Prints what is wrong, unless NULL, and where to find help. Returns CW_EXIT_USAGE. */
int cw_tool_refuse(const cw_tool_syntax *syntax, const char *wrong);
