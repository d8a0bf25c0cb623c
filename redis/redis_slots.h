/* Redis Cluster as values: which of the 16384 slots a key is in, what a node says of who has them, and where it sends
 * what is another's (Redis cluster specification: key distribution model, redirection). */
#pragma once

#include <crawl/sys/redis.h>

#define CW_REDIS_SLOTS 16384u
#define CW_REDIS_NO_SLOT (-1)
#define CW_REDIS_HOST_MAX 255u /* bytes of a node's name */

/* CRC-16 of the key, or of what stands in its first braces. */
unsigned cw_redis_slot_of_key(crawl_slice key);

/* The slot of a command's key, which is its second word, of a script the first of its keys. CW_REDIS_NO_SLOT: it has
 * none, as far as this client sends such. */
int cw_redis_slot_of(const crawl_slice *arguments, size_t count, bool *is_script);

/* Where a node is, as another one says. An empty host is that of the one who says it. */
typedef struct cw_redis_place {
    crawl_slice host;
    unsigned port;
} cw_redis_place;

/* Slots that lie side by side, and their master. */
typedef struct cw_redis_range {
    unsigned first, last;
    cw_redis_place place;
} cw_redis_range;

/* The range at an index of an answer to CLUSTER SLOTS. CRAWL_ABSENT: there are no more. CRAWL_EPARSE: it is none. */
crawl_err cw_redis_range_at(const crawl_redis_reply *reply, size_t index, cw_redis_range *out);

/* Reads "MOVED SLOT HOST:PORT" or "ASK SLOT HOST:PORT". CRAWL_EPARSE: it is none. */
crawl_err cw_redis_redirection(crawl_slice error, unsigned *slot, cw_redis_place *out);
