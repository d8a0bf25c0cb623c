/* Cuts the bytes of a server into replies, by hiredis's reader. Adds maxima that hiredis lacks, so that no peer can
 * make it use more memory. */
#pragma once

#include <crawl/sys/redis.h>

typedef struct cw_redis_reader cw_redis_reader;

/* NULL: out of memory. */
cw_redis_reader *cw_redis_reader_create(void);
void cw_redis_reader_free(cw_redis_reader *reader);

/* Takes the next bytes. CRAWL_ENOMEM. */
crawl_err cw_redis_reader_feed(cw_redis_reader *reader, const void *bytes, size_t size);

/* Reads the next reply into *out, which the caller frees. CRAWL_AGAIN: it is incomplete. CRAWL_EPARSE: not RESP 2, or
 * beyond a maximum; error says which, and nothing more is read. CRAWL_ENOMEM: likewise. */
crawl_err cw_redis_reader_next(cw_redis_reader *reader, crawl_redis_reply **out, crawl_error *error);

void cw_redis_reply_free(crawl_redis_reply *reply);
