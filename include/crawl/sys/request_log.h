/* The log of requests (output.requests): what left and how it ended, in a chain of lines. */
#ifndef CRAWL_REQUEST_LOG_H
#define CRAWL_REQUEST_LOG_H

#include <crawl/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The requests that left and how they ended, in lines of JSON, made to be proof of the crawl's manners (see `crawl help
 * audit` and docs/politeness.md). A line "run" begins what a process writes, and "run-end" ends it; where that is
 * missing, it was killed. "depart" is in the file before the first byte of its request leaves, so that no kill loses
 * it; "end" follows. Of a crawl that processes share, "clock" says now and then what time it is for Redis. Lines are in
 * a chain, from run to run of a file that is appended to. */
typedef struct crawl_request_log crawl_request_log;

/* lines is open, of JSON, and borrowed; so is config, for the log's life. Goes on behind the last line of
 * config->requests, if that is a file and appended. Writes "run". CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_request_log_open(crawl_lines *lines, const crawl_config *config, bool appended,
                                           const crawl_engine_stats *stats, crawl_request_log **out,
                                           crawl_error *error);

/* For on_depart and on_exchange: the line of a departure has been handed to the system when this returns. CRAWL_EIO,
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_request_log_depart(crawl_request_log *log, const crawl_exchange *exchange);
CRAWL_API crawl_err crawl_request_log_end(crawl_request_log *log, const crawl_exchange *exchange);

/* Appends the object of such an "end" without "cut", "rules" and "chain", and without a line end. CRAWL_EINVAL: a size
 * is wrong. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_exchange_json(const crawl_exchange *exchange, crawl_buf *out);

/* Of a crawl that processes share: is "clock" due at this time, which is so a second after the start and once a minute
 * then? True once. */
CRAWL_API bool crawl_request_log_wants_clock(crawl_request_log *log, int64_t at_us);
/* Writes "clock", if stats, of now, have the time of Redis. Errors as above. */
CRAWL_API crawl_err crawl_request_log_clock(crawl_request_log *log, const crawl_engine_stats *stats);

/* Writes "run-end": every request that left has its end in the log. stats of now. */
CRAWL_API crawl_err crawl_request_log_finish(crawl_request_log *log, const crawl_engine_stats *stats);

/* Does not close the lines. */
CRAWL_API void crawl_request_log_free(crawl_request_log *log);

/* Lines of JSON in a chain: each ends in "chain", the SHA-1 of the value before it and of its own text. Who holds one
 * value can tell of every line up to there whether it is as it was written: none is changed, moved, taken out or put in
 * between. It is no signature: who can rewrite a whole file can make another chain, with other values. Single-thread.
 */
typedef struct crawl_chain crawl_chain;

/* NULL: no memory. */
CRAWL_API crawl_chain *crawl_chain_create(void);
CRAWL_API void crawl_chain_free(crawl_chain *chain);

/* Ends an object that has fields but no closing brace: with the next value, and the brace. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_chain_append(crawl_chain *chain, crawl_buf *line);

/* The place of a line in a chain. */
typedef enum crawl_chain_answer {
    CRAWL_CHAIN_FOLLOWS, /* the line before, */
    CRAWL_CHAIN_BEGINS,  /* or nothing: it is the first of a chain */
    CRAWL_CHAIN_BROKEN,  /* the value is another line's, or this line is not as it was */
    CRAWL_CHAIN_NONE     /* the line has no value */
} crawl_chain_answer;

/* Checks the chain of a line to the one before; the next is compared with its value, whatever it is. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_chain_check(crawl_chain *chain, crawl_slice line, crawl_chain_answer *answer);

/* Goes on behind this line; from the beginning where it has no value. */
CRAWL_API void crawl_chain_follow(crawl_chain *chain, crawl_slice line);

#ifdef __cplusplus
}
#endif
#endif
