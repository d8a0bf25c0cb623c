/* See binding.h. Invariants:
 *
 *   B1  hosts[s] counts the hosts whose standing is s.
 *   B2  a watched host is held, stands in `watched` once, and knows that it does.
 *   B3  hosts are watched as long as there is room for one that is held and was placed since there was. */
#include "frontier/hosts/binding.h"

/* Keeps B2. */
static void unwatch(cw_frontier_binding *binding, cw_frontier_host *host)
{
    unsigned at = 0;
    while (binding->watched[at] != host)
        at++;
    binding->watched[at] = binding->watched[--binding->watched_count];
    host->watched = false;
}

static unsigned least_watched(const cw_frontier_binding *binding)
{
    unsigned least = 0;
    for (unsigned i = 1; i < binding->watched_count; i++)
        if (cw_frontier_host_queued(binding->watched[i]) < cw_frontier_host_queued(binding->watched[least]))
            least = i;
    return least;
}

/* Keeps B3. */
static void binding_watch(cw_frontier_binding *binding, cw_frontier_host *host)
{
    if (binding->watched_count == CW_FRONTIER_WATCHED) {
        cw_frontier_host *least = binding->watched[least_watched(binding)];
        if (cw_frontier_host_queued(host) <= cw_frontier_host_queued(least))
            return;
        unwatch(binding, least);
    }
    binding->watched[binding->watched_count++] = host;
    host->watched = true;
}

/* Keeps B1. */
void cw_frontier_binding_note(cw_frontier_binding *binding, cw_frontier_host *host, crawl_standing standing)
{
    if (host->standing != CRAWL_STANDING_COUNT)
        binding->hosts[host->standing]--;
    if (standing != CRAWL_STANDING_COUNT)
        binding->hosts[standing]++;
    host->standing = (uint8_t)standing;
    if (host->watched && !cw_frontier_standing_is_held(standing))
        unwatch(binding, host);
    else if (!host->watched && cw_frontier_standing_is_held(standing))
        binding_watch(binding, host);
}
