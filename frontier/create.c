/* Creating and freeing a frontier; the opening of a durable one is in disk/disk_open.c. */
#include "base/sized.h"
#include "frontier/state.h"

#define MIB ((uint64_t)1 << 20)
#define SYNC_MS_MAX 3600000u

void crawl_frontier_options_init(crawl_frontier_options *options, size_t size)
{
    crawl_frontier_options own = {.order = CRAWL_ORDER_BFS,
                                  .pause_ms = 250,
                                  .per_host = 2,
                                  .sync = CRAWL_SYNC_INTERVAL,
                                  .sync_ms = 1000,
                                  .window_bytes = 256 * MIB,
                                  .cache_bytes = 64 * MIB,
                                  .host_bytes = 256 * MIB};
    crawl_bloom_options_init(&own.seen);
    cw_sized_fill(options, size, &own, sizeof own);
}

crawl_err cw_frontier_take_options(const crawl_frontier_options *given, crawl_frontier_options *options,
                                   crawl_error *error)
{
    crawl_frontier_options_init(options, sizeof *options);
    if (!cw_sized_copy(options, sizeof *options, given))
        return cw_sized_refused(given, sizeof *options, "crawl_frontier_options", error);
    if ((unsigned)options->order > CRAWL_ORDER_BEST)
        return crawl_error_set(error, CRAWL_EINVAL, "order: expected bfs, dfs or best");
    if (options->pause_ms < 0)
        return crawl_error_set(error, CRAWL_EINVAL, "pause_ms: below 0");
    if (options->per_host < 1)
        return crawl_error_set(error, CRAWL_EINVAL, "per_host: below 1");
    if ((unsigned)options->sync > CRAWL_SYNC_NEVER)
        return crawl_error_set(error, CRAWL_EINVAL, "sync: expected interval, always or never");
    if (options->sync_ms < 1 || options->sync_ms > SYNC_MS_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "sync_ms: not 1 to 3600000");
    if (!options->kept_open)
        options->kept_open = options->sessions;
    if (options->window_bytes < MIB)
        return crawl_error_set(error, CRAWL_EINVAL, "window_bytes: below 1 MiB");
    if (options->cache_bytes < MIB)
        return crawl_error_set(error, CRAWL_EINVAL, "cache_bytes: below 1 MiB");
    return CRAWL_OK;
}

/* On failure, frees seen and everything created so far. */
crawl_err cw_frontier_make(const crawl_frontier_options *options, crawl_bloom *seen, crawl_frontier **out,
                           crawl_error *error)
{
    crawl_frontier *frontier = calloc(1, sizeof *frontier);
    if (!frontier || pthread_mutex_init(&frontier->lock, NULL)) {
        free(frontier);
        crawl_bloom_free(seen);
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a frontier");
    }
    frontier->options = *options;
    frontier->options.fingerprints = NULL; /* the caller's */
    frontier->seen = seen;
    frontier->sequence = cw_frontier_sequence_start();
    frontier->forgets = cw_frontier_forgets_start();
    frontier->now = CW_FRONTIER_NEVER + 1;
    cw_frontier_memory_adopt(&frontier->memory, frontier);
    cw_frontier_schedule_init(&frontier->schedule, options);
    if (cw_frontier_hosts_init(&frontier->hosts, &frontier->memory)) {
        cw_frontier_abandon(frontier);
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for the table of hosts");
    }
    *out = frontier;
    return CRAWL_OK;
}

crawl_err crawl_frontier_create(const crawl_frontier_options *options, crawl_frontier **out, crawl_error *error)
{
    crawl_bloom *seen = NULL;
    crawl_frontier_options own;
    crawl_err err = cw_frontier_take_options(options, &own, error);
    if (!err)
        err = crawl_bloom_create(&own.seen, &seen, error);
    if (!err)
        err = cw_frontier_make(&own, seen, out, error);
    if (!err)
        cw_frontier_memory_store(*out);
    return err;
}

void cw_frontier_abandon(crawl_frontier *frontier)
{
    if (frontier->store.stop)
        frontier->store.stop(frontier);
    cw_frontier_leases_free(&frontier->leases);
    free(frontier->forgets.entries);
    cw_frontier_schedule_free(&frontier->schedule);
    cw_frontier_hosts_free(&frontier->hosts);
    crawl_bloom_free(frontier->seen);
    if (frontier->store.free)
        frontier->store.free(frontier);
    pthread_mutex_destroy(&frontier->lock);
    free(frontier);
}

crawl_err crawl_frontier_close(crawl_frontier *frontier, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (!frontier)
        return CRAWL_OK;
    if (frontier->store.close)
        err = frontier->store.close(frontier, error);
    cw_frontier_abandon(frontier);
    return err;
}

void crawl_frontier_free(crawl_frontier *frontier)
{
    (void)crawl_frontier_close(frontier, NULL);
}

crawl_err crawl_frontier_sync(crawl_frontier *frontier)
{
    return frontier->store.sync ? frontier->store.sync(frontier) : CRAWL_OK;
}

crawl_err crawl_frontier_failure(crawl_frontier *frontier, crawl_error *error)
{
    return frontier->store.failure ? frontier->store.failure(frontier, error) : CRAWL_OK;
}
