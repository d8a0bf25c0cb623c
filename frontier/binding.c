/* See binding.h. Invariants:
 *
 *   B1  hosts[s] counts the hosts whose standing is s.
 *   B2  a watched host is held, stands in `watched` once, and knows that it does.
 *   B3  hosts are watched as long as there is room for one that is held and was placed since there was. */
#include "frontier/schedule.h"
#include "frontier/state.h"

/* Keeps B2. */
static void unwatch(cw_binding *binding, cw_host *host)
{
    unsigned at = 0;
    while (binding->watched[at] != host)
        at++;
    binding->watched[at] = binding->watched[--binding->watched_count];
    host->watched = false;
}

static unsigned least_watched(const cw_binding *binding)
{
    unsigned least = 0;
    for (unsigned i = 1; i < binding->watched_count; i++)
        if (cw_host_queued(binding->watched[i]) < cw_host_queued(binding->watched[least]))
            least = i;
    return least;
}

/* Keeps B3. */
static void watch(cw_binding *binding, cw_host *host)
{
    if (binding->watched_count == CW_WATCHED) {
        cw_host *least = binding->watched[least_watched(binding)];
        if (cw_host_queued(host) <= cw_host_queued(least))
            return;
        unwatch(binding, least);
    }
    binding->watched[binding->watched_count++] = host;
    host->watched = true;
}

/* Keeps B1. */
void cw_binding_note(cw_binding *binding, cw_host *host, crawl_standing standing)
{
    if (host->standing != CRAWL_STANDING_COUNT)
        binding->hosts[host->standing]--;
    if (standing != CRAWL_STANDING_COUNT)
        binding->hosts[standing]++;
    host->standing = (uint8_t)standing;
    if (host->watched && !cw_standing_is_held(standing))
        unwatch(binding, host);
    else if (!host->watched && cw_standing_is_held(standing))
        watch(binding, host);
}

static void describe(const cw_schedule *schedule, const cw_host *host, crawl_held_host *out)
{
    size_t size = host->origin_size < sizeof out->origin ? host->origin_size : sizeof out->origin - 1;
    memcpy(out->origin, host->origin, size);
    out->origin[size] = '\0';
    out->standing = (crawl_standing)host->standing;
    out->queued = cw_host_queued(host);
    out->opens_ms = cw_schedule_opens(schedule, host);
}

/* More queued first; of the same, the one known first, so that the answer hangs on nothing else. */
static bool goes_before(const cw_host *a, const cw_host *b)
{
    uint64_t more = cw_host_queued(a);
    uint64_t less = cw_host_queued(b);
    return more != less ? more > less : a->number < b->number;
}

static void describe_most_queued(const cw_schedule *schedule, crawl_frontier_binding *out)
{
    const cw_binding *binding = &schedule->binding;
    const cw_host *best[CRAWL_HELD_HOSTS] = {0};
    for (unsigned i = 0; i < binding->watched_count; i++) {
        const cw_host *host = binding->watched[i];
        for (unsigned rank = 0; rank < CRAWL_HELD_HOSTS && host; rank++) {
            if (best[rank] && !goes_before(host, best[rank]))
                continue;
            const cw_host *moved = best[rank];
            best[rank] = host;
            host = moved;
        }
    }
    for (; out->most_queued_count < CRAWL_HELD_HOSTS && best[out->most_queued_count]; out->most_queued_count++)
        describe(schedule, best[out->most_queued_count], &out->most_queued[out->most_queued_count]);
}

void crawl_frontier_binding_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_binding *out)
{
    const cw_schedule *schedule = &frontier->schedule;
    cw_frontier_enter(frontier, now_ms);
    *out =
        (crawl_frontier_binding){.queued = frontier->queued, .leased = frontier->leases.out, .due_ms = CRAWL_FOREVER};
    memcpy(out->hosts, schedule->binding.hosts, sizeof out->hosts);
    if (schedule->waiting.count) {
        out->due_ms = cw_time_of_key(schedule->waiting.entries[0].key.high);
        describe(schedule, schedule->waiting.entries[0].value, &out->due);
    }
    describe_most_queued(schedule, out);
    pthread_mutex_unlock(&frontier->lock);
}
