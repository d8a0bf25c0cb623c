/* Records to a Redis server: appended to a list or a stream. A record is kept, and its page done, when the server has
 * acknowledged it. Unacknowledged records stay here; the crawl waits while there are too many (output/window.h). */
#pragma once

#include "crawler/program/output/window.h"

typedef struct cw_remote_output cw_remote_output;

/* Checks the URL: "redis://...?list=KEY", or "?stream=KEY" with "&maxlen=N" to trim it to about N. CRAWL_EINVAL: error
 * says what is wrong. */
crawl_err cw_remote_output_check(const char *url, crawl_error *error);

/* Connects as cw_remote_open does. notice is called from its thread. */
crawl_err cw_remote_output_open(const crawl_config *config, crawl_engine *engine,
                                void (*notice)(void *of, const char *words), void *of, cw_remote_output **out,
                                crawl_error *error);

/* Takes the line of a record, without its end. CRAWL_AGAIN: on its way. CRAWL_EIO: the server has permanently refused a
 * record; cw_remote_output_close says why. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_remote_output_write(cw_remote_output *output, uint64_t receipt, crawl_slice line);
/* CRAWL_EIO: the server has permanently refused a record. Thread-safe. */
crawl_err cw_remote_output_failed(cw_remote_output *output);

/* Call after the crawl. Waits until all records are acknowledged, but at most patience_ms from one to the next. */
void cw_remote_output_settle(cw_remote_output *output, int64_t patience_ms);

/* Ends the thread, and frees. NULL is allowed. CRAWL_EIO: the server has permanently refused a record, or some are not
 * acknowledged; error says which, and how many. */
crawl_err cw_remote_output_close(cw_remote_output *output, crawl_error *error);
