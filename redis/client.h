/* Internal interface of the Redis client. */
#pragma once

#include <crawl/sys/redis.h>

/* As crawl_redis_send, but without its limits: for a request that takes the place of one that has just ended. */
crawl_err cw_redis_send_past(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user);

/* Returns true if the server is known to be a cluster. This is always known once the connection stands. */
bool cw_redis_is_cluster(const crawl_redis *redis);

/* Counts lost connections, and slots that another node has taken. A WAIT sent after that says nothing about writes
 * before it. */
uint64_t cw_redis_losses(const crawl_redis *redis);

/* Checks from the next connection on whether servers come back without data that they had acknowledged. Call before the
 * loop runs. */
void cw_redis_watch(crawl_redis *redis);
/* Counts how often acknowledged data may have been lost in the slot of this key. Requests that wait then are not sent:
 * they end as UNSENT or CLUSTER. */
uint64_t cw_redis_returns(const crawl_redis *redis, crawl_slice key);
/* Returns true if a watched server has said that it keeps no append-only file. */
bool cw_redis_lacks_log(const crawl_redis *redis);

/* Sends a command without a key to each master that has slots, or to the only server. Adds to *owed the number of calls
 * of done to expect. CRAWL_FULL, CRAWL_ENOMEM: not sent to all of them. */
crawl_err cw_redis_send_each(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user, size_t *owed);
