/* Records to a process of the user's: --output exec:'COMMAND ARGUMENT...'. docs/sinks.md has the lines that go to it
 * and its answers. A record is kept when the process has acknowledged it; then its page is done. A process that ends,
 * or says nothing for long, is started again, and gets all lines that are open. When there are too many, the crawl is
 * held (output/window.h). */
#pragma once

#include <crawl/engine.h>
#include <crawl/record.h>

/* Does the value of output.output name a command? */
bool cw_exec_output_is_command(const char *output);

typedef struct cw_exec_output cw_exec_output;

typedef struct cw_exec_options {
    const char *command; /* "exec:COMMAND ARGUMENT..." */
    const char *state;   /* the directory of the crawl; NULL: none */
    bool is_kept;        /* the crawl outlives the process: pages wait for their lines */
    crawl_engine *engine;
    void (*notice)(void *of, const char *words); /* for a person; called from any thread */
    void *of;
    int64_t silence_ms; /* without a line of the process, while lines are open: it is started again; usually
                           CW_EXEC_SILENCE_MS */
    int grace_ms;       /* that it has for its end; usually CW_EXEC_GRACE_MS */
    int64_t pause_ms;   /* before the second start; twice as long each time, up to 60 times it: CW_EXEC_PAUSE_MS */
} cw_exec_options;

enum { CW_EXEC_SILENCE_MS = 60000, CW_EXEC_GRACE_MS = 5000, CW_EXEC_PAUSE_MS = 1000 };

/* Is the command one that can be split into words? CRAWL_EINVAL: error says what is wrong. CRAWL_ENOMEM. */
crawl_err cw_exec_output_check(const char *command, crawl_error *error);

/* Starts it. Everything that options name is borrowed until it is closed. CRAWL_EINVAL; CRAWL_EIO: it cannot be
 * started, or the file of versions cannot be read; CRAWL_ECORRUPT: that is damaged. CRAWL_ENOMEM. */
crawl_err cw_exec_output_open(const cw_exec_options *options, cw_exec_output **out, crawl_error *error);

/* Takes a record, and its line without its end; empty: the page is not kept, and its links go alone, if it has some;
 * CRAWL_OK: it has none, or no page waits for it. CRAWL_AGAIN: it is on its way. CRAWL_EIO: the process ends as soon as
 * it begins; cw_exec_output_close says more. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_exec_output_write(cw_exec_output *output, const crawl_record *record, crawl_slice line);
/* Takes a link of the page whose record comes next in this thread. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_exec_output_edge(cw_exec_output *output, const crawl_edge *edge);
/* Takes a request that is over, which goes with the next line. Answers as cw_exec_output_write, and CRAWL_OK: taken.
 * Thread-safe. */
crawl_err cw_exec_output_exchange(cw_exec_output *output, const crawl_exchange *exchange);
/* CRAWL_EIO: as above. Thread-safe. */
crawl_err cw_exec_output_failed(cw_exec_output *output);

/* Tells the process after the crawl that no line follows, and waits until all records are acknowledged, as long as one
 * is within patience_ms of the one before. */
void cw_exec_output_settle(cw_exec_output *output, int64_t patience_ms);

/* Ends the process, which has some seconds for it, and frees. CRAWL_EIO: it has failed, has not acknowledged some
 * records, or has refused some for good; error says which. CRAWL_OK; NULL is fine. */
crawl_err cw_exec_output_close(cw_exec_output *output, crawl_error *error);

/* "index": this is the document. "delete": there is none at this URL: it is gone (404, 410, a page that says so), has
 * moved for good (301, 308), says noindex, names another page as the right one, or may not be used
 * (politeness.respect). "keep": says nothing of it: a failure, a wall, a redirect for now, a page as it was at the
 * visit before, a part of a page, or a link out of the crawl. It is told by the record alone, so that "delete" comes
 * also of pages of which there was no document. */
const char *cw_exec_operation(const crawl_record *record);
