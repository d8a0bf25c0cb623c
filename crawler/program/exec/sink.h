/* The thread that writes lines to the process of exec_output.h, and reads its answers. */
#ifndef CW_EXEC_SINK_H
#define CW_EXEC_SINK_H

#include "crawler/program/exec/child.h"
#include "crawler/program/exec/command_words.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/exec/open_lines.h"
#include "crawler/program/exec/versions.h"
#include "crawler/program/output/window.h"

struct cw_exec_output {
    cw_exec_options options;
    cw_exec_words words;
    cw_outputs_window window;
    pthread_t thread;
    bool has_thread;
    int wake; /* an eventfd: something below has changed */

    /* Under the window's lock: */
    cw_exec_lines fresh;
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

#endif
