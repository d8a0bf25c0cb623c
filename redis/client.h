/* Shared by the files of the client. */
#pragma once

#include <crawl/sys/redis.h>

/* As crawl_redis_send, whatever is under way: for a request that takes the place of one that has just ended. */
crawl_err cw_redis_send_past(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user);

/* As far as known: always once the connection stands. */
bool cw_redis_is_cluster(const crawl_redis *redis);

/* How often connections were lost. A WAIT sent after a loss says nothing of writes before it. */
uint64_t cw_redis_losses(const crawl_redis *redis);

/* From the next connection on it is found out whether servers come back without something that they had acknowledged.
 * To be called before the loop runs. */
void cw_redis_watch(crawl_redis *redis);
/* How often that may have happened to the keys of this one's slot. Nothing that waits then is sent: it ends as UNSENT,
 * or as CLUSTER. */
uint64_t cw_redis_returns(const crawl_redis *redis, crawl_slice key);
/* Is there a server that keeps no append-only file? Of watched servers that are connected. */
bool cw_redis_lacks_log(const crawl_redis *redis);

/* Sends a command without a key to each master that has slots, or to the one server: *owed grows by one for each call
 * of done that comes. CRAWL_FULL, CRAWL_ENOMEM: not to all of them. */
crawl_err cw_redis_send_each(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user, size_t *owed);
