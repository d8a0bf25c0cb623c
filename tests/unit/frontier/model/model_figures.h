/* Compares the frontier's figures, and the findings of its own check and of its directory's, with the model. */
#pragma once

#include "tests/unit/frontier/model/model.h"

static inline size_t count_revisits(const model *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->requests[i].state == QUEUED && m->requests[i].visit > 1;
    return count;
}

/* Returns the standing of a host, from its requests alone. */
static inline crawl_standing standing_of(const model *m, unsigned host, const bool busy[MODEL_HOSTS], uint64_t *queued)
{
    const model_host *h = &m->hosts[host];
    int64_t soonest = CRAWL_FOREVER;
    bool leased = false;
    *queued = 0;
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        if (r->host != host)
            continue;
        leased |= r->state == LEASED && !r->parked;
        *queued += r->state == QUEUED;
        if (r->state == QUEUED && opens(m, r, busy) < soonest)
            soonest = opens(m, r, busy);
    }
    if (!*queued)
        return CRAWL_STANDING_COUNT;
    if (busy[host] || (soonest == CRAWL_FOREVER && leased))
        return CRAWL_STANDING_BUSY;
    if (soonest <= m->now)
        return CRAWL_STANDING_READY;
    if (h->asked && soonest == h->last_start + (h->pause < 0 ? m->options.pause_ms : h->pause))
        return CRAWL_STANDING_PAUSED;
    return soonest == h->blocked ? CRAWL_STANDING_BLOCKED : CRAWL_STANDING_DATED;
}

static inline void check_figure(model *m, const char *name, uint64_t got, uint64_t expected)
{
    EXPECT(m, got == expected, "%s: %llu, expected %llu", name, (unsigned long long)got, (unsigned long long)expected);
}

/* With fewer hosts than are watched the answer is exact. */
static inline void check_binding(model *m)
{
    uint64_t hosts[CRAWL_STANDING_COUNT + 1] = {0};
    uint64_t most = 0;
    bool busy[MODEL_HOSTS];
    find_busy(m, busy);
    for (unsigned host = 0; host < MODEL_HOSTS; host++) {
        uint64_t queued;
        crawl_standing standing = standing_of(m, host, busy, &queued);
        bool held =
            standing == CRAWL_STANDING_PAUSED || standing == CRAWL_STANDING_BUSY || standing == CRAWL_STANDING_BLOCKED;
        hosts[standing]++;
        if (held && queued > most)
            most = queued;
    }
    crawl_frontier_binding binding;
    crawl_frontier_binding_get(m->frontier, m->now, &binding);
    for (int standing = 0; standing < CRAWL_STANDING_COUNT; standing++)
        EXPECT(m, binding.hosts[standing] == hosts[standing], "standing %d: %llu, expected %llu", standing,
               (unsigned long long)binding.hosts[standing], (unsigned long long)hosts[standing]);
    check_figure(m, "most_queued", binding.most_queued[0].queued, most);
    for (unsigned i = 1; i < binding.most_queued_count; i++)
        EXPECT(m, binding.most_queued[i - 1].queued >= binding.most_queued[i].queued, "order of %u", i);
}

static inline void check_host_figures(model *m, const crawl_frontier_stats *stats)
{
    uint64_t known = 0;
    uint64_t with_queue = 0;
    uint64_t blocked = 0;
    for (unsigned host = 0; host < MODEL_HOSTS; host++) {
        bool queued = false;
        for (size_t i = 0; i < m->count; i++)
            queued |= m->requests[i].state == QUEUED && m->requests[i].host == host;
        known += m->hosts[host].known != 0;
        with_queue += queued;
        blocked += queued && m->hosts[host].blocked > m->now;
    }
    check_figure(m, "hosts", stats->hosts, known);
    check_figure(m, "hosts_queued", stats->hosts_queued, with_queue);
    check_figure(m, "hosts_blocked", stats->hosts_blocked, blocked);
}

static inline void check_figures(model *m)
{
    forget_due(m);
    crawl_frontier_stats stats = stats_of(m->frontier, m->now);
    check_host_figures(m, &stats);
    check_figure(m, "queued", stats.queued, count_of(m, QUEUED));
    check_figure(m, "leased", stats.leased, count_of(m, LEASED));
    check_figure(m, "accepted", stats.accepted, m->accepted);
    check_figure(m, "finished", stats.finished, m->finished);
    check_figure(m, "again", stats.again, m->again);
    check_figure(m, "revisits", stats.revisits, count_revisits(m));
    check_figure(m, "forgetting", stats.forgetting, m->forgetting);
    const char *failed = check_frontier(m->frontier, NULL);
    EXPECT(m, !failed, "%s", failed ? failed : "");
}

#ifdef DURABLE
/* A forgotten revisit removes the request that it repeats from the seen-set too. */
static inline void fail_for(const char *violation, void *user)
{
    bool of_revisits = strncmp(violation, "seen:", 5) == 0 || strncmp(violation, "twice:", 6) == 0;
    EXPECT((model *)user, of_revisits, "%s", violation);
}

static inline void check_directory(model *m)
{
    uint64_t violations = 0;
    crawl_frontier_view *view = NULL;
    if (!EXPECT(m, crawl_frontier_view_open(m->path, &view, NULL) == CRAWL_OK, "view"))
        return;
    EXPECT(m, crawl_frontier_view_check(view, fail_for, m, &violations, NULL) == CRAWL_OK, "check");
    crawl_frontier_view_free(view);
}
#endif
