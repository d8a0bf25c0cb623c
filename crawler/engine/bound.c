/* See <crawl/sys/bound.h> and bound.h. */
#include "crawler/engine/bound.h"

static const char *const names[CRAWL_BOUND_COUNT] = {
    [CRAWL_BOUND_NOTHING] = "nothing",     [CRAWL_BOUND_PAUSES] = "pauses",
    [CRAWL_BOUND_PER_HOST] = "per-host",   [CRAWL_BOUND_BLOCKS] = "blocks",
    [CRAWL_BOUND_DATES] = "dates",         [CRAWL_BOUND_ANSWERS] = "answers",
    [CRAWL_BOUND_NAMES] = "names",         [CRAWL_BOUND_CONNECTIONS] = "connections",
    [CRAWL_BOUND_PROCESSOR] = "processor", [CRAWL_BOUND_DISK] = "disk",
    [CRAWL_BOUND_RECORDS] = "records",     [CRAWL_BOUND_PAUSED] = "paused",
    [CRAWL_BOUND_RATE] = "rate",           [CRAWL_BOUND_BROWSER] = "browser",
};

/* The reasons why held hosts wait; a tie goes to the first. */
static const struct {
    crawl_standing standing;
    crawl_bound bound;
} by_hosts[] = {
    {CRAWL_STANDING_PAUSED, CRAWL_BOUND_PAUSES},
    {CRAWL_STANDING_BUSY, CRAWL_BOUND_PER_HOST},
    {CRAWL_STANDING_BLOCKED, CRAWL_BOUND_BLOCKS},
};

enum { BY_HOSTS = sizeof by_hosts / sizeof *by_hosts };

const char *crawl_bound_name(crawl_bound bound)
{
    return (unsigned)bound < CRAWL_BOUND_COUNT ? names[bound] : "";
}

static crawl_bound bound_by_hosts(const uint64_t *hosts)
{
    size_t most = 0;
    for (size_t i = 1; i < BY_HOSTS; i++)
        if (hosts[by_hosts[i].standing] > hosts[by_hosts[most].standing])
            most = i;
    return hosts[by_hosts[most].standing] ? by_hosts[most].bound : CRAWL_BOUND_NOTHING;
}

static bool waits_for_names(const crawl_load *load)
{
    return load->resolving * 2 > load->running;
}

static bool waits_for_rate(const crawl_load *load)
{
    return load->rate_owed_us > 0 || (load->throttled && load->throttled * 2 >= load->running);
}

/* Returns true if there is something to ask for. While all connections are in use, no worker asks the frontier, so
 * hosts whose pause is over still count as held there. */
static bool has_work(const crawl_load *load)
{
    return load->frontier.hosts[CRAWL_STANDING_READY] || load->frontier.due_ms <= load->now_ms;
}

crawl_bound crawl_bound_of(const crawl_load *load)
{
    if (load->paused)
        return CRAWL_BOUND_PAUSED;
    if (load->held)
        return CRAWL_BOUND_RECORDS;
    if (waits_for_rate(load))
        return CRAWL_BOUND_RATE;
    if (load->processor >= CRAWL_BOUND_PROCESSOR_FROM)
        return CRAWL_BOUND_PROCESSOR;
    if (load->disk >= CRAWL_BOUND_DISK_FROM)
        return CRAWL_BOUND_DISK;
    if (has_work(load) && load->running < load->connections)
        return load->rendering ? CRAWL_BOUND_BROWSER : CRAWL_BOUND_NOTHING;
    if (has_work(load))
        return waits_for_names(load) ? CRAWL_BOUND_NAMES : CRAWL_BOUND_CONNECTIONS;
    if (waits_for_names(load))
        return CRAWL_BOUND_NAMES;
    crawl_bound bound = bound_by_hosts(load->frontier.hosts);
    if (bound != CRAWL_BOUND_NOTHING)
        return bound;
    if (load->running)
        return CRAWL_BOUND_ANSWERS;
    return load->frontier.hosts[CRAWL_STANDING_DATED] ? CRAWL_BOUND_DATES : CRAWL_BOUND_NOTHING;
}

const crawl_held_host *cw_engine_bound_host(const crawl_load *load, crawl_bound bound)
{
    const crawl_frontier_binding *frontier = &load->frontier;
    for (size_t i = 0; i < BY_HOSTS; i++)
        for (unsigned rank = 0; rank < frontier->most_queued_count && by_hosts[i].bound == bound; rank++)
            if (frontier->most_queued[rank].standing == by_hosts[i].standing)
                return &frontier->most_queued[rank];
    return NULL;
}

static cw_engine_named_host *bound_find(cw_engine_named *named, const char *origin)
{
    cw_engine_named_host *unused = NULL;
    for (size_t i = 0; i < CW_ENGINE_NAMED_HOSTS; i++) {
        cw_engine_named_host *host = &named->hosts[i];
        if (host->ms > 0 && strcmp(host->origin, origin) == 0)
            return host;
        if (host->ms <= 0)
            unused = host;
    }
    return unused;
}

/* Makes room for a new host. All named hosts and the new one lose the least time among them; a named host with no time
 * left gives up its place. Returns the time left to the new host. */
static int64_t bound_make_room(cw_engine_named *named, int64_t ms)
{
    int64_t loss = ms;
    for (size_t i = 0; i < CW_ENGINE_NAMED_HOSTS; i++)
        loss = named->hosts[i].ms < loss ? named->hosts[i].ms : loss;
    for (size_t i = 0; i < CW_ENGINE_NAMED_HOSTS; i++)
        named->hosts[i].ms -= loss;
    return ms - loss;
}

void cw_engine_named_add(cw_engine_named *named, const char *origin, int64_t ms)
{
    cw_engine_named_host *host = bound_find(named, origin);
    if (!host) {
        ms = bound_make_room(named, ms);
        host = ms > 0 ? bound_find(named, origin) : NULL;
    }
    if (!host || ms <= 0)
        return;
    if (host->ms <= 0)
        memcpy(host->origin, origin, strnlen(origin, sizeof host->origin - 1) + 1);
    host->origin[sizeof host->origin - 1] = '\0';
    host->ms += ms;
}

const cw_engine_named_host *cw_engine_named_most(const cw_engine_named *named)
{
    const cw_engine_named_host *most = &named->hosts[0];
    for (size_t i = 1; i < CW_ENGINE_NAMED_HOSTS; i++)
        if (named->hosts[i].ms > most->ms)
            most = &named->hosts[i];
    return most->ms > 0 ? most : NULL;
}
