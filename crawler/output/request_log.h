/* The log behind --requests: what left and how it ended, in lines of JSON, made to be proof of the crawl's manners (see
 * `crawl help audit` and docs/politeness.md). A line "run" begins what a process writes, and "run-end" ends it; where
 * that is missing, it was killed. "depart" is in the file before the first byte of its request leaves, so that no kill
 * loses it; "end" follows. Lines are in a chain (chain.h), from run to run of a file that is appended to. */
#ifndef CW_REQUEST_LOG_H
#define CW_REQUEST_LOG_H

#include "crawler/output/sink.h"

#include <crawl/engine.h>

/* Thread-safe. */
typedef struct cw_output_request_log cw_output_request_log;

/* Goes on behind the last line of path, if that is a file and appended; the sink is open, and is borrowed. Writes
 * "run". CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_output_request_log_open(cw_output_sink *sink, const char *path, bool appended,
                                     const crawl_engine_stats *stats, cw_output_request_log **out, crawl_error *error);

/* The line has been handed to the system when this returns. CRAWL_ENOMEM. CRAWL_EIO: as cw_output_sink_end. All of
 * these. */
crawl_err cw_output_request_log_depart(cw_output_request_log *log, const crawl_exchange *exchange);
crawl_err cw_output_request_log_end(cw_output_request_log *log, const crawl_exchange *exchange);

/* Writes "run-end": every request that left has its end in the log. stats of now. */
crawl_err cw_output_request_log_finish(cw_output_request_log *log, const crawl_engine_stats *stats);

/* Does not close the sink. NULL does nothing. */
void cw_output_request_log_free(cw_output_request_log *log);

#endif
