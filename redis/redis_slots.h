/* The values of Redis Cluster: the slot of a key, of 16384, the owners that a node names, and the redirections to other
 * nodes (Redis cluster specification: key distribution model, redirection). */
#pragma once

#include <crawl/sys/redis.h>

#define CW_REDIS_SLOTS 16384u
#define CW_REDIS_NO_SLOT (-1)
#define CW_REDIS_HOST_MAX 255u /* bytes of a node's name */

/* Returns the CRC-16 of the key, or of the text in its first braces, modulo CW_REDIS_SLOTS. */
unsigned cw_redis_slot_of_key(crawl_slice key);

/* Returns the slot of a command's key: its second word, or the first key of a script. CW_REDIS_NO_SLOT: it is one of
 * the commands without a key that this client sends. */
int cw_redis_slot_of(const crawl_slice *arguments, size_t count, bool *is_script);

/* The place of a node, as another one names it. An empty host means the host of that other node. */
typedef struct cw_redis_place {
    crawl_slice host;
    unsigned port;
} cw_redis_place;

/* Adjacent slots and their master. */
typedef struct cw_redis_range {
    unsigned first, last;
    cw_redis_place place;
} cw_redis_range;

/* Reads the range at an index of a reply to CLUSTER SLOTS. CRAWL_ABSENT: no more. CRAWL_EPARSE: not a range. */
crawl_err cw_redis_range_at(const crawl_redis_reply *reply, size_t index, cw_redis_range *out);

/* Reads "MOVED SLOT HOST:PORT" or "ASK SLOT HOST:PORT". CRAWL_EPARSE: neither. */
crawl_err cw_redis_redirection(crawl_slice error, unsigned *slot, cw_redis_place *out);
