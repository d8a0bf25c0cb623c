/* The thread that writes lines to the process of exec_output.h, and reads its answers. */
#pragma once

#include "crawler/program/exec/child.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/exec/open_lines.h"
#include "crawler/program/output/window.h"

#include <crawl/base.h>

/* Numbers that order the statements about a page: each is greater than all before it, even those of earlier runs with
 * the same --state directory, and even if the clock was set back. They are milliseconds since 1970 while fewer than a
 * thousand are used per second, so that a later crawl of the same pages in another directory has greater ones too. */
typedef struct cw_exec_versions {
    crawl_buf path; /* of the file that records used numbers; empty: no file */
    int64_t last;   /* last one returned */
    int64_t end;    /* numbers below it may be used before the file is written again */
} cw_exec_versions;

/* Opens the numbers. state: the directory of the crawl; NULL: none. CRAWL_ECORRUPT: its file holds no number;
 * CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_exec_versions_open(const char *state, cw_exec_versions *out, crawl_error *error);
void cw_exec_versions_free(cw_exec_versions *versions);

/* Sets *out to the next number. now_ms: since 1970. CRAWL_EIO: the file cannot be written. CRAWL_ENOMEM. */
crawl_err cw_exec_versions_next(cw_exec_versions *versions, int64_t now_ms, int64_t *out, crawl_error *error);

struct cw_exec_output {
    cw_exec_options options;
    char **words; /* of the command; owned */
    cw_outputs_window window;
    pthread_t thread;
    bool has_thread;
    int wake;            /* an eventfd: something below has changed */
    pthread_key_t links; /* per thread: a crawl_buf with the links of its present page */

    /* Under the window's lock: */
    cw_exec_lines fresh;
    crawl_buf requests; /* finished ones, each with a comma before it, for the next line */
    cw_exec_versions versions;
    bool is_ending;  /* no line follows */
    bool is_closing; /* wait for nothing */
    uint64_t refused;
    char reason[200]; /* of the first refused line */

    /* Used only by the thread: */
    cw_exec_child child;
    cw_exec_open open;
    cw_exec_lines waiting; /* to be sent, in this order */
    cw_exec_lines later;   /* to be sent again when they are due */
    crawl_buf to_write;
    size_t written;            /* bytes of to_write that were written */
    crawl_buf answers, errors; /* read, but not yet a whole line */
    char complaint[200];       /* its last line on standard error, truncated if longer; "": none */
    bool is_told_to_end;       /* a copy of is_ending */
    bool end_is_told;          /* the process was told */
    int64_t started_us, heard_us;
    int64_t start_us; /* when to start the process again */
    unsigned pauses;  /* starts since its last acknowledgement */
    unsigned at_once; /* times in a row that it ended within a second of its start */
};

/* Starts the process, and queues the first line. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_exec_sink_start(cw_exec_output *output, crawl_error *error);
/* Runs the thread until is_closing. */
void *cw_exec_sink_run(void *user);
