/* The expected requests of a run, and their order. */
#include "tests/simulation/sim_web.h"

#include <stdlib.h>
#include <string.h>

size_t sim_web_order(uint32_t pages[SIM_PAGES_MAX])
{
    bool seen[SIM_PAGES_MAX] = {[0] = true};
    uint32_t queue[SIM_PAGES_MAX] = {0}; /* breadth first: taken at its head; depth first: batches, the youngest first
                                          */
    size_t queued = 1;
    size_t count = 0;
    bool is_deep = strcmp(sim_world_now->plan.order, "dfs") == 0;
    while (queued) {
        uint32_t batch[SIM_PAGES_MAX];
        size_t fresh = 0;
        sim_place place = {0, queue[0]};
        pages[count++] = queue[0];
        memmove(queue, queue + 1, --queued * sizeof *queue);
        for (unsigned i = 0; sim_web_kind(place) == SIM_PAGE && i < sim_web_links(place); i++) {
            uint32_t to = sim_web_link(place, i).page;
            if (!seen[to])
                batch[fresh++] = to;
            seen[to] = true;
        }
        if (is_deep)
            memmove(queue + fresh, queue, queued * sizeof *queue);
        memcpy(is_deep ? queue : queue + queued, batch, fresh * sizeof *batch);
        queued += fresh;
    }
    return count;
}

/* For runs that limit redirects: a page is visited once for each number of redirects before it. */
enum { HOPS_MAX = 3 };

typedef struct sim_stop {
    sim_place place;
    uint32_t hops, depth;
} sim_stop;

typedef struct sim_walk {
    uint32_t redirects;     /* maximum followed in a row */
    uint32_t *depth;        /* by number of the page */
    bool (*seen)[HOPS_MAX]; /* likewise */
    sim_stop *queue;
    size_t head, tail;
} sim_walk;

static void offer(sim_walk *walk, sim_place place, uint32_t depth, uint32_t hops)
{
    uint32_t *known = &walk->depth[sim_web_number(place)];
    bool *seen = &walk->seen[sim_web_number(place)][hops];
    if (*seen || sim_web_forbids(place))
        return;
    *seen = true;
    *known = depth < *known ? depth : *known;
    walk->queue[walk->tail++] = (sim_stop){place, hops, depth};
    /* The target of a redirect has the depth of the redirect. */
    if (sim_web_kind(place) != SIM_REDIRECT)
        return;
    if (walk->redirects == SIM_REDIRECTS_ALL)
        offer(walk, sim_web_link(place, 0), depth, 0);
    else if (hops < walk->redirects)
        offer(walk, sim_web_link(place, 0), depth, hops + 1);
}

static void take(sim_walk *walk, const sim_stop *stop)
{
    sim_kind kind = sim_web_kind(stop->place);
    bool has_links = kind == SIM_PAGE || kind == SIM_FLAKY || kind == SIM_PRIVATE;
    for (unsigned i = 0; has_links && stop->depth < sim_world_now->plan.depth && i < sim_web_links(stop->place); i++)
        offer(walk, sim_web_link(stop->place, i), stop->depth + 1, 0);
}

static uint32_t *walk_all(uint32_t redirects)
{
    size_t count = sim_world_now->page_count;
    sim_walk walk = {.redirects = redirects,
                     .depth = malloc(count * sizeof *walk.depth),
                     .seen = calloc(count, sizeof *walk.seen),
                     .queue = calloc(count * HOPS_MAX, sizeof *walk.queue)};
    if (!walk.depth || !walk.seen || !walk.queue)
        abort();
    memset(walk.depth, 0xff, count * sizeof *walk.depth);
    for (uint32_t i = 0; i < sim_web_seeds(); i++)
        offer(&walk, (sim_place){i, 0}, 0, 0);
    for (uint32_t host = 0; host < sim_web_seeds(); host++)
        for (uint32_t page = 0; page < sim_web_pages(host); page++)
            if (sim_maps_list((sim_place){host, page}))
                offer(&walk, (sim_place){host, page}, 1, 0);
    while (walk.head < walk.tail)
        take(&walk, &walk.queue[walk.head++]);
    free(walk.seen);
    free(walk.queue);
    return walk.depth;
}

void sim_web_reach(sim_reach *out)
{
    uint32_t redirects = sim_world_now->plan.redirects;
    out->least = walk_all(redirects);
    out->most = walk_all(redirects == SIM_REDIRECTS_ALL ? redirects : 0);
}
