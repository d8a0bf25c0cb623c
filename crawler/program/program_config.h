/* The configuration that a command line asks for, of a crawl and of tools that need one. */
#pragma once

#include "tools/common/status.h"
#include <crawl/config.h>

/* The options that a shared crawl was made with, so that a joining worker need not repeat them. */
typedef struct cw_program_decided cw_program_decided;

/* Asks the server of config->shared, for at most three seconds. *out is NULL after an error. CRAWL_ABSENT: there is no
 * such crawl. CRAWL_ENOMEM. Other errors: it cannot be asked now. */
crawl_err cw_program_decided_ask(const crawl_config *config, cw_program_decided **out);

/* Applies the options to a configuration. Errors as those of crawl_shared_adopt. */
crawl_err cw_program_decided_take(const cw_program_decided *decided, crawl_config *config, crawl_error *error);

void cw_program_decided_free(cw_program_decided *decided);

/* A command line. Fields marked "found" are set by one reading and serve the next. */
typedef struct cw_program_arguments {
    int argc;
    char **argv;
    crawl_config_other other; /* called for options that are neither in the schema nor --config, two or three times
                               * each; NULL: there are none */
    void *user;
    int first;                   /* found: index of the first word after the options */
    const char *file;            /* found: file to read; NULL: none */
    crawl_buf text;              /* of the file, during a reading: a pipe gives it once */
    bool is_unnamed;             /* found: the file is ./crawler.conf, and no option names it */
    bool is_read;                /* found: the next reading takes the same file */
    bool names_directory;        /* found: an option names the directory of the crawl, and none a shared crawl */
    bool joins;                  /* a shared crawl is joined, so that its options need not be given again */
    bool is_new;                 /* found: there is no such shared crawl yet */
    cw_program_decided *decided; /* found: options of the shared crawl; NULL: none. The caller frees them */
} cw_program_arguments;

/* Puts the configuration together. Later sources override earlier ones: the defaults; the options kept in the directory
 * of state.directory, if it is named and exists, or those that a shared crawl was made with; the file of --config,
 * otherwise ./crawler.conf if it exists; the options. A crawl continued by --state ignores ./crawler.conf, which may be
 * there for other crawls. A file that is not a regular one, such as a pipe, is refused after the first reading. The
 * user is told if ./crawler.conf is read or ignored. A ./crawler.conf that no option names must not name commands:
 * otherwise whoever made the folder could run them. Errors as those of crawl_config_options, but the program ends when
 * out of memory; CRAWL_ECORRUPT: the directory's options were cut or changed. The caller frees *config, also after an
 * error. */
crawl_err cw_program_configure(crawl_config *config, cw_program_arguments *arguments, crawl_error *error);
