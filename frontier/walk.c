/* All hosts of a frontier as they stand, a few at a time: whoever wants to see them must not keep the others from the
 * lock for as long as a walk over millions takes. */
#include "frontier/state.h"

enum { STEP = 1024 };

crawl_err crawl_frontier_hosts(crawl_frontier *frontier, int64_t now_ms, size_t *cursor,
                               bool (*each)(const crawl_held_host *host, void *user), void *user)
{
    crawl_held_host told;
    const cw_frontier_host *host = NULL;
    bool goes_on = true;
    cw_frontier_enter(frontier, now_ms);
    for (int i = 0; i < STEP && goes_on; i++) {
        host = cw_map_next(frontier->hosts.map, cursor);
        if (!host)
            break;
        cw_frontier_schedule_describe(&frontier->schedule, host, &told);
        goes_on = each(&told, user);
    }
    pthread_mutex_unlock(&frontier->lock);
    return host && goes_on ? CRAWL_OK : CRAWL_DRAINED;
}

crawl_err crawl_frontier_host_get(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms, crawl_held_host *out)
{
    cw_frontier_enter(frontier, now_ms);
    const cw_frontier_host *host = cw_frontier_hosts_find(&frontier->hosts, origin);
    if (host)
        cw_frontier_schedule_describe(&frontier->schedule, host, out);
    pthread_mutex_unlock(&frontier->lock);
    return host ? CRAWL_OK : CRAWL_ABSENT;
}
