/* Records to a process of the user: --output exec:'COMMAND ARGUMENT...'. docs/sinks.md describes its lines and answers.
 * A record is kept, and its page done, when the process has acknowledged it. A process that ends, or is silent for too
 * long, is started again and gets all open lines. The crawl waits while there are too many (output/window.h). */
#pragma once

#include <crawl/engine.h>
#include <crawl/record.h>

/* Returns true if the value of output.output names a command. */
bool cw_exec_output_is_command(const char *output);

typedef struct cw_exec_output cw_exec_output;

typedef struct cw_exec_options {
    const char *command; /* "exec:COMMAND ARGUMENT..." */
    const char *state;   /* directory of the crawl; NULL: none */
    bool is_kept;        /* the crawl outlives this process: pages wait for their lines */
    crawl_engine *engine;
    void (*notice)(void *of, const char *words); /* tells a person something; called from any thread */
    void *of;
    int64_t silence_ms; /* longest silence while lines are open, before the process is started again; usually
                         * CW_EXEC_SILENCE_MS */
    int grace_ms;       /* time that it has to end; usually CW_EXEC_GRACE_MS */
    int64_t at_once_ms; /* ended within this time, it has ended as soon as it started; usually CW_EXEC_AT_ONCE_MS */
    int64_t pause_ms;   /* before the second start; doubles each time, up to 60 times this; usually CW_EXEC_PAUSE_MS */
} cw_exec_options;

enum { CW_EXEC_SILENCE_MS = 60000, CW_EXEC_GRACE_MS = 5000, CW_EXEC_AT_ONCE_MS = 1000, CW_EXEC_PAUSE_MS = 1000 };

/* Checks that the command can be split into words. CRAWL_EINVAL: error says what is wrong. CRAWL_ENOMEM. */
crawl_err cw_exec_output_check(const char *command, crawl_error *error);

/* Starts the process. Everything in options is borrowed until closing. CRAWL_EINVAL; CRAWL_EIO: it cannot be started,
 * or the file of versions cannot be read; CRAWL_ECORRUPT: that file is damaged. CRAWL_ENOMEM. */
crawl_err cw_exec_output_open(const cw_exec_options *options, cw_exec_output **out, crawl_error *error);

/* Takes a record and its line, without a line end. Empty: the page is not kept, and only its links are sent, if it has
 * any. CRAWL_OK: nothing to send, or no page waits for it. CRAWL_AGAIN: on its way. CRAWL_EIO: the process keeps ending
 * right after its start; cw_exec_output_close says more. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_exec_output_write(cw_exec_output *output, const crawl_record *record, crawl_slice line);
/* Takes a link of the page whose record comes next on this thread. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_exec_output_edge(cw_exec_output *output, const crawl_edge *edge);
/* Takes a finished request, which goes with the next line. CRAWL_OK: taken. Errors as those of cw_exec_output_write.
 * Thread-safe. */
crawl_err cw_exec_output_exchange(cw_exec_output *output, const crawl_exchange *exchange);
/* CRAWL_EIO: as above. Thread-safe. */
crawl_err cw_exec_output_failed(cw_exec_output *output);

/* Call after the crawl. Tells the process that no line follows, and waits until all records are acknowledged, but at
 * most patience_ms from one to the next. */
void cw_exec_output_settle(cw_exec_output *output, int64_t patience_ms);

/* Ends the process, which has some seconds for it, and frees. NULL is allowed. CRAWL_EIO: it has failed, has not
 * acknowledged some records, or has refused some permanently; error says which. */
crawl_err cw_exec_output_close(cw_exec_output *output, crawl_error *error);

/* Returns the operation for a record. "index": this is the document. "delete": this URL has no document: it is gone
 * (404, 410, a page that says so), has moved permanently (301, 308), says noindex, names another page as canonical, or
 * may not be used (politeness.respect). "keep": the record says nothing about the document: a failure, a wall, a
 * temporary redirect, a page unchanged since the last visit, a part of a page, or a link out of the crawl. Only the
 * record decides, so "delete" also comes for pages that never had a document. */
const char *cw_exec_operation(const crawl_record *record);
