/* The settings of a crawl, under the names that they have in crawler.conf, from defaults, files and command-line
 * options. `crawl --print-config` shows all of them. */
#ifndef CRAWL_CONFIG_H
#define CRAWL_CONFIG_H

#include <crawl/extract.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One --include or --exclude, in the order given: the last match decides. */
typedef struct crawl_filter_rule {
    bool include;
    char *pattern; /* PCRE2 */
} crawl_filter_rule;

/* Settings. Any number of threads may read them while no thread sets any. */
typedef struct crawl_config crawl_config;

/* Creates settings with their defaults. The caller frees *out. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_create(crawl_config **out);
CRAWL_API void crawl_config_free(crawl_config *config);
/* Creates a copy of the settings, which the caller frees. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_copy(const crawl_config *from, crawl_config **out);

/* Reads an INI file over the present settings: [section], name = value. "#" or ";" starts a comment line, " ;" a
 * comment after a value. A value in double quotes is taken literally except for \\ \" \n \r \t \xHH; if a backslash
 * follows the closing quote, it continues on the next, indented line. crawl.include, crawl.exclude, keep, keep_type and
 * header may be repeated; every other key may be given once. Any error leaves config unchanged; error->message starts
 * with FILE:LINE:COLUMN (in bytes, from 1) and names the key, the value, what was expected and, for an unknown key, the
 * nearest known one. CRAWL_EIO: file unreadable. CRAWL_EPARSE: see the message. */
CRAWL_API crawl_err crawl_config_load(crawl_config *config, const char *path, crawl_error *error);

/* Sets one key, "section.name", to the text that a file would hold, taken literally: no quotes, no comment. An empty
 * text unsets the key if it is unset by default. A list key (crawl.include, crawl.exclude, output.keep,
 * output.keep_type, fetch.header) appends to its list; a header replaces the one with its name. "host NAME.name" is a
 * key of the section [host NAME], which is created if needed. CRAWL_EPARSE: unknown key, or a value of the wrong type
 * or out of range; config is unchanged. */
CRAWL_API crawl_err crawl_config_set(crawl_config *config, const char *key, const char *value, crawl_error *error);

/* Appends the value of the key in the form that crawl_config_set takes, secrets included. Appends nothing if the key is
 * not set; ends each item of a list with a newline. CRAWL_EPARSE: unknown key. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_get(const crawl_config *config, const char *key, crawl_buf *out, crawl_error *error);

/* Returns a text or a word, borrowed until the key is set again. NULL: not set, or no such key. */
CRAWL_API const char *crawl_config_text(const crawl_config *config, const char *key);
/* Returns a number: bytes for a size, milliseconds for a duration, 0 or 1 for false or true, 2 for revisit = due. -1:
 * no such section or key. */
CRAWL_API int64_t crawl_config_number(const crawl_config *config, const char *key);

/* Reads command-line options: the schema's long options, "--name value" and "--name=value", and short forms of some of
 * them, "-d value"; switches, "--name" and "--no-name"; "--set section.name=value" for any key; "--" ends the options.
 * Words that are not options ("-" is one of them) are moved to the end of argv in their order, as getopt does; *first
 * is the index of the first of them. Reading argv again gives the same result. Options that the schema does not name
 * (--help, --config, -h, ...) are offered to other (NULL: there are none). It gets the option's name without dashes and
 * the value after "=" or else the next word (NULL: neither), and returns 0 for an unknown option, 1 if it took the
 * option without the value (an error if the value was given by "="), 2 if it took both (an error if there is no value).
 * CRAWL_EPARSE: error names the option; config, argv and *first are unchanged. */
typedef int (*crawl_config_other)(void *user, const char *name, const char *value);
CRAWL_API crawl_err crawl_config_options(crawl_config *config, int argc, char **argv, int *first,
                                         crawl_config_other other, void *user, crawl_error *error);

/* Returns the rules of config->extracts in *out, which the caller frees. NULL in *out: there are no rules.
 * CRAWL_EPARSE: a line is not a rule, which cannot come from a file. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_rules(const crawl_config *config, crawl_rules **out, crawl_error *error);

/* Writes the effective configuration with comments, in a form that can be loaded again. Leaves out secrets: password,
 * bearer, the password in a proxy's URL, and headers whose name identifies somebody (Authorization, Cookie, or a name
 * that contains one of the words auth, key, token, secret, session, password, credential, signature). "withheld" names
 * them, and no engine is created until they are set again. CRAWL_EIO: out failed. */
CRAWL_API crawl_err crawl_config_print(const crawl_config *config, FILE *out);

/* Calls each for every setting that differs from what crawl_config_create makes, in the order of crawl_config_print:
 * "crawl.depth" and "5", "host NAME.delay" and "2s"; once per item of a list. The value of a secret is "(not shown)".
 * Both texts are borrowed for the call. Returns the errors of each; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_changes(const crawl_config *config,
                                         crawl_err (*each)(void *user, const char *key, const char *value), void *user);

/* A setting that differs between two configurations. The texts are borrowed for the call. */
typedef struct crawl_config_difference {
    const char *key;      /* "crawl.depth"; "[host NAME]" and "[extract NAME]" stand for all such sections */
    const char *was, *is; /* both NULL: a list, sections, or a secret */
    bool changeable;      /* in a running crawl, by crawl_engine_set_connections and similar calls */
} crawl_config_difference;

/* Calls each for every difference. Returns the errors of each; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_compare(const crawl_config *was, const crawl_config *is,
                                         crawl_err (*each)(void *user, const crawl_config_difference *difference),
                                         void *user);

/* Checks that every secret left out by crawl_config_print is set again. CRAWL_EINVAL: one is missing; error says
 * which. */
CRAWL_API crawl_err crawl_config_complete(const crawl_config *config, crawl_error *error);

/* The address that a server listens on. */
typedef struct crawl_listen {
    char host[256]; /* a name or an address (IPv6 without brackets); "127.0.0.1" if none is given */
    uint16_t port;  /* 0: any free port */
} crawl_listen;

/* Parses HOST:PORT, [IPV6]:PORT, :PORT or PORT. CRAWL_EPARSE: none of these. */
CRAWL_API crawl_err crawl_listen_parse(crawl_slice text, crawl_listen *out);

/* Returns one of the words that a schema option accepts, in the order of --help, starting at index 0. The option is
 * named without its dashes. NULL: there are no more words, the option takes values of another kind, or the schema does
 * not have it. For shell completion and for forms. The text is constant. */
CRAWL_API const char *crawl_config_choice(const char *option, size_t index);

/* Writes the schema's part of --help: one option per line with its default. section: writes the options of this section
 * of the file only, nothing if it has none; NULL: all options, including those for several keys. CRAWL_EIO: out
 * failed. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_help(FILE *out, const char *section);

#ifdef __cplusplus
}
#endif
#endif
