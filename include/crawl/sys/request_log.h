/* The log of requests (output.requests): departures and their ends, in a chain of lines. */
#ifndef CRAWL_REQUEST_LOG_H
#define CRAWL_REQUEST_LOG_H

#include <crawl/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The requests that departed and how they ended, as lines of JSON, meant to prove the politeness of the crawl (see
 * `crawl help audit` and docs/politeness.md). A line "run" begins what a process writes, and "run-end" ends it; if that
 * is missing, the process was killed. "depart" is in the file before the first byte of its request is sent, so that no
 * kill loses it; "end" follows. In a shared crawl, "clock" records the time of Redis now and then. The lines form a
 * chain, across the runs of a file that is appended to. */
typedef struct crawl_request_log crawl_request_log;

/* Opens the log and writes "run". lines is open, for JSON, and borrowed, as is config, until the log is freed.
 * Continues after the last line of config->requests, if that is a file and appended to. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_request_log_open(crawl_lines *lines, const crawl_config *config, bool appended,
                                           const crawl_engine_stats *stats, crawl_request_log **out,
                                           crawl_error *error);

/* For on_depart and on_exchange. The line of a departure has been handed to the operating system when this returns.
 * CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_request_log_depart(crawl_request_log *log, const crawl_exchange *exchange);
CRAWL_API crawl_err crawl_request_log_end(crawl_request_log *log, const crawl_exchange *exchange);

/* Appends the object of an "end" without "cut", "rules" and "chain", and without a newline. CRAWL_EINVAL: wrong size.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_exchange_json(const crawl_exchange *exchange, crawl_buf *out);

/* For a shared crawl: returns true, once, if "clock" is due at this time: a second after the start and then once per
 * minute. */
CRAWL_API bool crawl_request_log_wants_clock(crawl_request_log *log, int64_t at_us);
/* Writes "clock" if stats, taken now, contain the time of Redis. Errors as above. */
CRAWL_API crawl_err crawl_request_log_clock(crawl_request_log *log, const crawl_engine_stats *stats);

/* Writes "run-end": the log has the end of every request that departed. stats are taken now. */
CRAWL_API crawl_err crawl_request_log_finish(crawl_request_log *log, const crawl_engine_stats *stats);

/* Frees the log. Does not close the lines. */
CRAWL_API void crawl_request_log_free(crawl_request_log *log);

/* Chained lines of JSON: each ends in "chain", the SHA-1 of the previous value and its own text. Anybody who holds one
 * value can verify every line up to it: none was changed, moved, removed or inserted. This is not a signature: whoever
 * can rewrite the whole file can make another chain, with other values. Single-threaded. */
typedef struct crawl_chain crawl_chain;

/* NULL: out of memory. */
CRAWL_API crawl_chain *crawl_chain_create(void);
CRAWL_API void crawl_chain_free(crawl_chain *chain);

/* Completes an object that has fields but no closing brace: appends the next value and the brace. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_chain_append(crawl_chain *chain, crawl_buf *line);

/* The place of a line in a chain. */
typedef enum crawl_chain_answer {
    CRAWL_CHAIN_FOLLOWS, /* the previous line */
    CRAWL_CHAIN_BEGINS,  /* nothing: it is the first of a chain */
    CRAWL_CHAIN_BROKEN,  /* the value belongs to another line, or this line was changed */
    CRAWL_CHAIN_NONE     /* the line has no value */
} crawl_chain_answer;

/* Checks a line against the previous one. The next line is compared with its value, whatever the answer.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_chain_check(crawl_chain *chain, crawl_slice line, crawl_chain_answer *answer);

/* Continues after this line; starts a new chain if it has no value. */
CRAWL_API void crawl_chain_follow(crawl_chain *chain, crawl_slice line);

#ifdef __cplusplus
}
#endif
#endif
