/* Figures of a frontier, and what its queue waits for: see <crawl/frontier.h>. Nothing here walks over hosts. */
#include "frontier/state.h"

#include <crawl/frontier.h>
#include <openssl/crypto.h>
#include <xxhash.h>

static uint64_t bytes_of_pages(const crawl_frontier *frontier)
{
    const cw_map *named = frontier->schedule.dormant.named;
    return named ? cw_map_bytes(named) : 0;
}

void crawl_frontier_stats_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_stats *out)
{
    cw_frontier_enter(frontier, now_ms);
    *out = (crawl_frontier_stats){
        .queued = frontier->queued,
        .leased = frontier->leases.out,
        .hosts = cw_frontier_hosts_count(&frontier->hosts),
        .hosts_queued = frontier->hosts.queued,
        .hosts_blocked = frontier->hosts.blocked_queued,
        .pushed = frontier->pushed,
        .accepted = frontier->accepted,
        .seen = frontier->refused_seen,
        .full = frontier->refused_full,
        .finished = frontier->finished,
        .again = frontier->again,
        .revisits = frontier->revisits - frontier->revisits_leased,
        .forgetting = cw_frontier_forgets_count(&frontier->forgets),
        .bytes = frontier->memory.bytes + cw_map_bytes(frontier->hosts.map) + bytes_of_pages(frontier),
    };
    crawl_bloom_stats_get(frontier->seen, &out->filter);
    if (frontier->store.figures)
        frontier->store.figures(frontier, out);
    pthread_mutex_unlock(&frontier->lock);
}

/* Orders by more requests queued, then by the host known first, so that the answer depends on nothing else. */
static bool stats_goes_before(const cw_frontier_host *a, const cw_frontier_host *b)
{
    uint64_t more = cw_frontier_host_queued(a);
    uint64_t less = cw_frontier_host_queued(b);
    return more != less ? more > less : a->number < b->number;
}

static void describe_most_queued(const cw_frontier_schedule *schedule, crawl_frontier_binding *out)
{
    const cw_frontier_binding *binding = &schedule->binding;
    const cw_frontier_host *best[CRAWL_HELD_HOSTS] = {0};
    for (unsigned i = 0; i < binding->watched_count; i++) {
        const cw_frontier_host *host = binding->watched[i];
        for (unsigned rank = 0; rank < CRAWL_HELD_HOSTS && host; rank++) {
            if (best[rank] && !stats_goes_before(host, best[rank]))
                continue;
            const cw_frontier_host *moved = best[rank];
            best[rank] = host;
            host = moved;
        }
    }
    for (; out->most_queued_count < CRAWL_HELD_HOSTS && best[out->most_queued_count]; out->most_queued_count++)
        cw_frontier_schedule_describe(schedule, best[out->most_queued_count],
                                      &out->most_queued[out->most_queued_count]);
}

void crawl_frontier_binding_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_binding *out)
{
    const cw_frontier_schedule *schedule = &frontier->schedule;
    cw_frontier_enter(frontier, now_ms);
    (void)cw_frontier_rouse_soonest(frontier);
    *out =
        (crawl_frontier_binding){.queued = frontier->queued, .leased = frontier->leases.out, .due_ms = CRAWL_FOREVER};
    memcpy(out->hosts, schedule->binding.hosts, sizeof schedule->binding.hosts);
    if (schedule->waiting.count) {
        out->due_ms = cw_heap_time_of_key(schedule->waiting.entries[0].key.high);
        cw_frontier_schedule_describe(schedule, schedule->waiting.entries[0].value, &out->due);
    }
    describe_most_queued(schedule, out);
    pthread_mutex_unlock(&frontier->lock);
}

/* Lists the libraries a frontier uses. RocksDB's C interface does not tell its version, so the version of the build
 * stands for it: the two must agree anyway. */

crawl_err crawl_frontier_libraries(crawl_buf *out)
{
    unsigned xxhash = XXH_versionNumber();
#ifdef CW_ROCKSDB_VERSION
    crawl_err err = crawl_buf_printf(out, "RocksDB %s\n", CW_ROCKSDB_VERSION);
#else
    crawl_err err = crawl_buf_append_text(out, "RocksDB none: this build has no disk store\n");
#endif
    if (!err)
        err = crawl_buf_printf(out, "libcrypto %s\n", OpenSSL_version(OPENSSL_VERSION_STRING));
    return err ? err : crawl_buf_printf(out, "xxHash %u.%u.%u\n", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
}
