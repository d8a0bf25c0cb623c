/* The bytes of a server, cut into replies by hiredis's reader; with maxima that it does not have, so that whatever
 * speaks at the other end costs no more than these. */
#pragma once

#include <crawl/sys/redis.h>

typedef struct cw_redis_reader cw_redis_reader;

/* NULL: no memory. */
cw_redis_reader *cw_redis_reader_create(void);
void cw_redis_reader_free(cw_redis_reader *reader);

/* Takes the bytes that came next. CRAWL_ENOMEM. */
crawl_err cw_redis_reader_feed(cw_redis_reader *reader, const void *bytes, size_t size);

/* The next reply into *out, to be freed by the caller. CRAWL_AGAIN: it is not all there. CRAWL_EPARSE: no RESP 2, or
 * beyond a maximum; error says which, and nothing is read any more. CRAWL_ENOMEM: likewise. */
crawl_err cw_redis_reader_next(cw_redis_reader *reader, crawl_redis_reply **out, crawl_error *error);

void cw_redis_reply_free(crawl_redis_reply *reply);
