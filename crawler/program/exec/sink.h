/* The thread that writes lines to the process of exec_output.h, and reads its answers. */
#pragma once

#include "crawler/program/exec/child.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/exec/open_lines.h"
#include "crawler/program/output/window.h"

#include <crawl/base.h>

/* Numbers that order what is said of a page: each is greater than all before it, also those of earlier runs in the same
 * directory of --state, and also where the clock was set back. They are milliseconds since 1970 as long as there are
 * less than a thousand a second, so that a later crawl of the same pages in another directory has greater ones too. */
typedef struct cw_exec_versions {
    crawl_buf path; /* of the file that says which may have been used; empty: none */
    int64_t last;   /* that was given */
    int64_t end;    /* of those that may be given before the file is written again */
} cw_exec_versions;

/* state: the directory of the crawl; NULL: none. CRAWL_ECORRUPT: the file there has no number; CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_exec_versions_open(const char *state, cw_exec_versions *out, crawl_error *error);
void cw_exec_versions_free(cw_exec_versions *versions);

/* now_ms: since 1970. CRAWL_EIO: the file cannot be written. CRAWL_ENOMEM. */
crawl_err cw_exec_versions_next(cw_exec_versions *versions, int64_t now_ms, int64_t *out, crawl_error *error);

struct cw_exec_output {
    cw_exec_options options;
    char **words; /* of the command; owned */
    cw_outputs_window window;
    pthread_t thread;
    bool has_thread;
    int wake;            /* an eventfd: something below has changed */
    pthread_key_t links; /* of each thread: a crawl_buf, of the page that it works on */

    /* Under the window's lock: */
    cw_exec_lines fresh;
    crawl_buf requests; /* that are over, each with a comma before it, for the next line */
    cw_exec_versions versions;
    bool is_ending;  /* no line follows */
    bool is_closing; /* and nothing is waited for */
    uint64_t refused;
    char reason[200]; /* of the first that was refused */

    /* The thread alone: */
    cw_exec_child child;
    cw_exec_open open;
    cw_exec_lines waiting; /* to be sent, in their order */
    cw_exec_lines later;   /* to be sent again, each when it is due */
    crawl_buf to_write;
    size_t written;            /* of to_write */
    crawl_buf answers, errors; /* read, and not a whole line yet */
    bool is_told_to_end;       /* a copy of is_ending */
    bool end_is_told;          /* the process knows it */
    int64_t started_us, heard_us;
    int64_t start_us; /* when to start it again */
    unsigned pauses;  /* starts since it has acknowledged something */
    unsigned at_once; /* times in a row that it has ended within a second of its start */
};

/* Starts the process, and queues the first line. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_exec_sink_start(cw_exec_output *output, crawl_error *error);
/* The thread: until is_closing. */
void *cw_exec_sink_run(void *user);
