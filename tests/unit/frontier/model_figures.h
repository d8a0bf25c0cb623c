/* What the frontier counts, and what its own check and that of its directory find, against the model. */
#ifndef TEST_FRONTIER_MODEL_FIGURES_H
#define TEST_FRONTIER_MODEL_FIGURES_H

#include "model.h"

static inline size_t count_revisits(const model *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->requests[i].state == QUEUED && m->requests[i].visit > 1;
    return count;
}

static inline void check_figure(model *m, const char *name, uint64_t got, uint64_t expected)
{
    EXPECT(m, got == expected, "%s: %llu, expected %llu", name, (unsigned long long)got, (unsigned long long)expected);
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
    const char *failed = cw_frontier_check(m->frontier);
    EXPECT(m, !failed, "%s", failed ? failed : "");
}

#ifdef DURABLE
/* A revisit that is forgotten takes the request that it repeats out of the seen-set with it. */
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

#endif
