/* The settings of a crawl, by the names that they have in crawler.conf: from defaults, files and command-line options.
 * `crawl --print-config` shows them all. */
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

/* Settings. Any number of threads may read them while nobody sets any. */
typedef struct crawl_config crawl_config;

/* Defaults. The caller frees *out. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_create(crawl_config **out);
CRAWL_API void crawl_config_free(crawl_config *config);
/* Likewise, with the same settings. */
CRAWL_API crawl_err crawl_config_copy(const crawl_config *from, crawl_config **out);

/* Reads an INI file over what is there: [section], name = value; "#" or ";" starts a comment line, " ;" a comment
 * behind a value; a value in double quotes stands as it is but for \\ \" \n \r \t \xHH, and goes on in the next,
 * indented line where a backslash follows the closing quote. crawl.include, crawl.exclude, keep, keep_type and header
 * may stand repeatedly, every other key once. Any error leaves config as it was; error->message starts with
 * FILE:LINE:COLUMN (in bytes, from 1) and names key, value, what was expected and, for an unknown key, the nearest
 * known one. CRAWL_EIO: file unreadable. CRAWL_EPARSE: what it says. */
CRAWL_API crawl_err crawl_config_load(crawl_config *config, const char *path, crawl_error *error);

/* One key, "section.name", by the text that a file would hold, as it is: no quotes, no comment. Empty: not set again,
 * where the default is that. A list key (crawl.include, crawl.exclude, output.keep, output.keep_type, fetch.header)
 * adds to its list; a header takes the place of one of its name. "host NAME.name" is a key of the section [host NAME],
 * which is made if it is not there. CRAWL_EPARSE: unknown key, or a value that is not of the key's type or out of its
 * range; config is as it was. */
CRAWL_API crawl_err crawl_config_set(crawl_config *config, const char *key, const char *value, crawl_error *error);

/* Appends what crawl_config_set would take for the key, secrets too: nothing where it is not set; each item of a list
 * with a line end. CRAWL_EPARSE: unknown key. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_get(const crawl_config *config, const char *key, crawl_buf *out, crawl_error *error);

/* A text or a word, borrowed until the key is set again. NULL: not set, or no such key. */
CRAWL_API const char *crawl_config_text(const crawl_config *config, const char *key);
/* A number; bytes of a size, milliseconds of a duration, 0 or 1 for false or true, 2 for revisit = due. -1: no
 * such section or key. */
CRAWL_API int64_t crawl_config_number(const crawl_config *config, const char *key);

/* Reads command-line options: the schema's long options, "--name value" and "--name=value", and the letters of some of
 * them, "-d value"; switches, "--name" and "--no-name"; "--set section.name=value" for any key; "--": no options after
 * it. Words that are no option ("-" is one) are moved to the end of argv in their order, as getopt does; *first is the
 * index of the first of them. Reading argv again gives the same. Options that the schema does not name (--help,
 * --config, -h, ...) are offered to other (NULL: there are none): it gets the option's name without dashes and the
 * value behind "=" or else the next word (NULL: neither), and returns 0 unknown, 1 taken without the value (an error if
 * it was given by "="), 2 taken with it (an error if there is none). CRAWL_EPARSE: error names the option; config, argv
 * and *first are as they were. */
typedef int (*crawl_config_other)(void *user, const char *name, const char *value);
CRAWL_API crawl_err crawl_config_options(crawl_config *config, int argc, char **argv, int *first,
                                         crawl_config_other other, void *user, crawl_error *error);

/* The rules of config->extracts; *out is the caller's to free. NULL in *out: there are none. CRAWL_EPARSE: a line that
 * is no rule, which a file cannot bring in. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_rules(const crawl_config *config, crawl_rules **out, crawl_error *error);

/* The effective configuration, commented, loadable. Secrets are left out: password, bearer, the password in a proxy's
 * URL, and headers whose name says that they identify somebody (Authorization, Cookie, or with one of the words auth,
 * key, token, secret, session, password, credential, signature in it); "withheld" names them, and an engine is not
 * created before they are there again. Returns CRAWL_EIO if out failed. */
CRAWL_API crawl_err crawl_config_print(const crawl_config *config, FILE *out);

/* Calls for each setting that is not as crawl_config_create makes it, in the order of crawl_config_print: "crawl.depth"
 * and "5", "host NAME.delay" and "2s"; an item of a list each. Of a secret the value is "(not shown)". Both texts are
 * borrowed for the call. Errors of each are returned; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_changes(const crawl_config *config,
                                         crawl_err (*each)(void *user, const char *key, const char *value), void *user);

/* A setting that two configurations have otherwise than each other. The texts are borrowed for the call. */
typedef struct crawl_config_difference {
    const char *key;      /* "crawl.depth"; "[host NAME]" and "[extract NAME]" stand for all such sections */
    const char *was, *is; /* NULL, both: a list, sections, or a secret */
    bool changeable;      /* in a crawl that runs: by crawl_engine_set_connections and its like */
} crawl_config_difference;

/* Errors of each are returned; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_compare(const crawl_config *was, const crawl_config *is,
                                         crawl_err (*each)(void *user, const crawl_config_difference *difference),
                                         void *user);

/* CRAWL_EINVAL: a secret that was left out by crawl_config_print is not there again; error says which. */
CRAWL_API crawl_err crawl_config_complete(const crawl_config *config, crawl_error *error);

/* Where a server listens. */
typedef struct crawl_listen {
    char host[256]; /* a name, or an address, of IPv6 without brackets; "127.0.0.1" where none is named */
    uint16_t port;  /* 0: any that is free */
} crawl_listen;

/* HOST:PORT, [IPV6]:PORT, :PORT or PORT. CRAWL_EPARSE: none of these. */
CRAWL_API crawl_err crawl_listen_parse(crawl_slice text, crawl_listen *out);

/* The words that an option of the schema takes, named without its dashes: one after the other from index 0 on, in the
 * order of --help. NULL: there is no further one; the option takes values of another sort, or is none of the schema's.
 * For shells that complete words, and for forms. The text is constant. */
CRAWL_API const char *crawl_config_choice(const char *option, size_t index);

/* The schema's part of --help: an option per line with its default. section: those of this section of the file alone,
 * nothing where it has none; NULL: all, and those that stand for several keys. CRAWL_EIO: out failed. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_config_help(FILE *out, const char *section);

#ifdef __cplusplus
}
#endif
#endif
