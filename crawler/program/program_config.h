/* The configuration that a command line asks for: that of a crawl, and of each tool that needs one. */
#pragma once

#include "tools/common/status.h"
#include <crawl/config.h>

/* The options that a shared crawl was made with, so that a worker that joins it need not repeat them. */
typedef struct cw_program_decided cw_program_decided;

/* Asks the server of config->shared, three seconds at most. *out is NULL where there is no such crawl, or it cannot be
 * asked now: who joins hears of that. CRAWL_ENOMEM. */
crawl_err cw_program_decided_ask(const crawl_config *config, cw_program_decided **out);

/* Puts it into a configuration. Errors as those of crawl_shared_adopt. */
crawl_err cw_program_decided_take(const cw_program_decided *decided, crawl_config *config, crawl_error *error);

void cw_program_decided_free(cw_program_decided *decided);

/* A command line. Anything that one reading of it finds serves the next one too. */
typedef struct cw_program_arguments {
    int argc;
    char **argv;
    crawl_config_other other; /* is offered the options that neither the schema has nor are --config, two or three times
                               * each; NULL: there are no others */
    void *user;
    int first;        /* found: the first word after the options */
    const char *file; /* found: the file that is read; NULL: none */
    bool is_unnamed;  /* found: nobody has named it */
    bool is_read;     /* found: the next reading takes the same file */
    bool joins;       /* a shared crawl that is named is joined: what it was made with need not be said again */
    cw_program_decided *decided; /* found: that; NULL: nothing. To be freed */
} cw_program_arguments;

/* Puts the configuration together. Each of these goes before what stands in front of it: the defaults; the options that
 * the directory of state.directory keeps, if one is named and there, or that a shared crawl was made with; the file
 * that --config names, or else ./crawler.conf, if it is there; the options. A crawl that --state continues passes
 * ./crawler.conf over, which lies there for other crawls perhaps. The user is told of both. Where nobody has named it,
 * it names no commands: whoever has made the folder would run them. Errors as those of
 * crawl_config_options, but no memory ends the program, and CRAWL_ECORRUPT: what the directory keeps was cut or
 * changed. The caller frees *config, also after an error. */
crawl_err cw_program_configure(crawl_config *config, cw_program_arguments *arguments, crawl_error *error);
