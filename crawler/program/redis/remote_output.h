/* Records to a Redis server: behind a list, or into a stream. A record is kept when the server has acknowledged it;
 * then its page is done. Records that are not acknowledged stay here. When there are too many of them, the crawl is
 * held (output/window.h). */
#pragma once

#include "crawler/program/output/window.h"

typedef struct cw_remote_output cw_remote_output;

/* Is the URL right? "redis://...?list=KEY", or "?stream=KEY" with "&maxlen=N" where it is to be cut to about so many.
 * CRAWL_EINVAL: error says what is wrong. */
crawl_err cw_remote_output_check(const char *url, crawl_error *error);

/* Connects, see cw_remote_open. notice is called from its thread. */
crawl_err cw_remote_output_open(const crawl_config *config, crawl_engine *engine,
                                void (*notice)(void *of, const char *words), void *of, cw_remote_output **out,
                                crawl_error *error);

/* Takes the line of a record, without its end. CRAWL_AGAIN: it is on its way. CRAWL_EIO: the server has refused a
 * record for good; cw_remote_output_close says why. CRAWL_ENOMEM. Thread-safe. */
crawl_err cw_remote_output_write(cw_remote_output *output, uint64_t receipt, crawl_slice line);
/* Has the server refused a record for good? Then CRAWL_EIO. Thread-safe. */
crawl_err cw_remote_output_failed(cw_remote_output *output);

/* Waits after the crawl until all records are acknowledged, as long as one is within patience_ms of the one before. */
void cw_remote_output_settle(cw_remote_output *output, int64_t patience_ms);

/* Ends its thread, and frees. CRAWL_EIO: the server has refused a record for good, or some are not acknowledged: error
 * says which, and how many. CRAWL_OK; NULL is fine. */
crawl_err cw_remote_output_close(cw_remote_output *output, crawl_error *error);
