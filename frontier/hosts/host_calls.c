/* Calls that set up a host: its block, its pause and its share. */
#include "frontier/state.h"

/* Finds or creates the host of a call, and reserves room for its record in the store. */
static crawl_err host_calls_find_host(crawl_frontier *frontier, crawl_slice origin, cw_frontier_host **out)
{
    crawl_err err = cw_frontier_failed(frontier);
    if (err)
        return err;
    err = cw_frontier_hosts_get(&frontier->hosts, origin, out);
    if (err)
        return err;
    return frontier->store.reserve_host ? frontier->store.reserve_host(frontier, *out) : CRAWL_OK;
}

/* Settles and stores a host after it was changed. */
static crawl_err host_calls_keep_host(crawl_frontier *frontier, cw_frontier_host *host, int64_t now)
{
    cw_frontier_settle(frontier, host, now);
    return frontier->store.put_host ? frontier->store.put_host(frontier, host) : CRAWL_OK;
}

crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms, int64_t now_ms)
{
    if (!cw_frontier_is_origin(origin))
        return CRAWL_EINVAL;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_host *host = NULL;
    crawl_err err = host_calls_find_host(frontier, origin, &host);
    if (!err)
        err = cw_frontier_hosts_block(&frontier->hosts, host,
                                      until_ms == 0 || until_ms <= now ? CW_FRONTIER_NEVER : until_ms);
    if (!err)
        err = host_calls_keep_host(frontier, host, now);
    return cw_frontier_leave_written(frontier, err);
}

crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms, int64_t now_ms)
{
    if (!cw_frontier_is_origin(origin))
        return CRAWL_EINVAL;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_host *host = NULL;
    crawl_err err = host_calls_find_host(frontier, origin, &host);
    if (!err) {
        host->pause = pause_ms < 0 ? -1 : pause_ms;
        err = host_calls_keep_host(frontier, host, now);
    }
    return cw_frontier_leave_written(frontier, err);
}

crawl_err crawl_frontier_set_share(crawl_frontier *frontier, crawl_slice origin, uint32_t share, int64_t now_ms)
{
    if (!cw_frontier_is_origin(origin) || share < 1 || share > CRAWL_SHARE_MAX)
        return CRAWL_EINVAL;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_host *host = NULL;
    crawl_err err = host_calls_find_host(frontier, origin, &host);
    if (!err && (host->share != share || (frontier->store.put_host && !host->stored))) {
        host->share = (uint16_t)share;
        if (host->taken >= share)
            host->taken = (uint16_t)(share - 1); /* one more lease ends its turn */
        err = host_calls_keep_host(frontier, host, now);
    }
    return cw_frontier_leave_written(frontier, err);
}
