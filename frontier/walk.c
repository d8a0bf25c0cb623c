/* All hosts of a frontier as they stand, a few at a time: a walk over millions must not hold the lock for as long as it
 * takes. And a walk over the requests of a small frontier. */
#include "base/bytes.h"
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
    cw_frontier_host *host;
    cw_frontier_enter(frontier, now_ms);
    crawl_err err = cw_frontier_hosts_look(&frontier->hosts, origin, &host);
    if (!err)
        cw_frontier_schedule_describe(&frontier->schedule, host, out);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

/* Considers the requests in memory; ready ones are due at `now`. */
static int64_t next_visit_of(const cw_frontier_queue *queue, int64_t now)
{
    int64_t due = CRAWL_FOREVER;
    for (uint32_t i = 0; i < queue->ready; i++)
        if (cw_frontier_item_visits(queue->entries[i].value))
            due = now;
    for (uint32_t i = 1; i <= queue->delayed; i++) {
        const cw_heap_entry *entry = &queue->entries[queue->capacity - i];
        if (cw_frontier_item_visits(entry->value))
            due = cw_least(due, cw_heap_time_of_key(entry->key.high));
    }
    return due;
}

static crawl_err find_next_visit(const crawl_frontier *frontier, int64_t now, int64_t *due_ms)
{
    size_t cursor = 0;
    uint64_t beyond = frontier->schedule.dormant.requests;
    if (frontier->revisits == frontier->revisits_leased)
        return CRAWL_ABSENT;
    if (frontier->queued > CRAWL_NEXT_VISIT_MAX || cw_map_count(frontier->hosts.map) > CRAWL_NEXT_VISIT_MAX)
        return CRAWL_FULL;
    *due_ms = CRAWL_FOREVER;
    for (const cw_frontier_host *host; (host = cw_map_next(frontier->hosts.map, &cursor));)
        for (size_t i = 0; i < CW_QUEUES; i++) {
            const cw_frontier_queue *queue = &host->queues[i];
            beyond += cw_frontier_queue_count(queue) - queue->ready - queue->delayed;
            *due_ms = cw_least(*due_ms, next_visit_of(queue, now));
        }
    if (*due_ms < now)
        *due_ms = now;
    return beyond && *due_ms > now ? CRAWL_FULL : CRAWL_OK;
}

crawl_err crawl_frontier_next_visit(crawl_frontier *frontier, int64_t now_ms, int64_t *due_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    crawl_err err = find_next_visit(frontier, now, due_ms);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}
