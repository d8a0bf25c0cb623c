/* A model of the frontier: a list of requests and a list of hosts, searched from end to end for every answer, with a
 * second version of the rules, including further visits and dates to forget at.
 *
 * It runs a list of steps, each of which contains all its choices as numbers, so that a list with steps left out is
 * valid too, which model_shrink.h uses. The first difference ends a run and is kept as text; nothing is asserted
 * here. */
#pragma once

#include "tests/unit/frontier/help.h"

#include <stdarg.h>

enum {
    MODEL_HOSTS = 6,
    MODEL_NAMES = 400,
    MODEL_REQUESTS = 4000,
    MODEL_STEPS = 1500,
    MODEL_LINKS = 8,
    MODEL_TEXT = 512
};

/* Faults of the model, to test the tests. */
typedef enum model_fault { MODEL_SOUND, MODEL_FORGETS_BLOCKS, MODEL_COUNTS_RETURNS, MODEL_DIES_OF_PAUSES } model_fault;

typedef struct model_setup {
    crawl_order order;
    crawl_bloom_kind kind;
    int64_t pause;
    unsigned per_host;
    bool confirm_start;
    uint64_t max_queued;
    /* For a durable frontier: */
    uint64_t windows; /* bytes */
    uint64_t stage;   /* bytes */
    uint32_t log;     /* records in the donelog; 0: as many as ever */
    bool rests;       /* hosts with nothing queued or leased leave memory */
    model_fault fault;
} model_setup;

typedef enum model_op {
    MODEL_PUSH,
    MODEL_URGENT,
    MODEL_POP,
    MODEL_START,
    MODEL_PARK,
    MODEL_DONE,
    MODEL_AGAIN,
    MODEL_BLOCK,
    MODEL_PAUSE,
    MODEL_SHARE,
    MODEL_CLOSE, /* closes and reopens; for a durable frontier, like the next one */
    MODEL_CRASH,
    MODEL_OPS
} model_op;

/* A request to http://hostHOST/NAME. */
typedef struct model_link {
    unsigned host;
    uint32_t name;
    uint32_t depth;
    int32_t priority;
    bool revisit;
    uint32_t memo; /* 0: none */
} model_link;

#define MODEL_LIFTED INT64_MIN /* value of `in`: the date 0 */

typedef struct model_step {
    model_op op;
    int64_t ahead; /* ms that pass before it */
    size_t count;  /* number of links; URGENT: 1 */
    model_link links[MODEL_LINKS];
    unsigned pick;         /* START, DONE, AGAIN: index among the open leases, modulo their number */
    crawl_outcome outcome; /* DONE */
    unsigned host;         /* BLOCK, PAUSE, SHARE */
    int64_t in;    /* DONE, AGAIN, BLOCK: ms from now, or CRAWL_FOREVER or MODEL_LIFTED; PAUSE: ms; SHARE: the share */
    uint32_t memo; /* AGAIN */
} model_step;

typedef struct model_list {
    model_setup setup;
    size_t count;
    model_step steps[MODEL_STEPS];
} model_list;

typedef enum model_state { QUEUED, LEASED } model_state;

typedef struct model_request {
    model_state state;
    unsigned host;
    bool urgent;
    int32_t priority;
    uint32_t depth;
    uint64_t batch;
    uint64_t number; /* in the order of pushes */
    uint32_t name;   /* in its URL */
    int64_t due;
    uint32_t attempt;
    uint32_t visit;
    uint32_t memo; /* a number; 0: none */
    uint64_t lease;
    bool started;
    bool parked;
    bool fresh; /* the seen-set accepted it as new */
} model_request;

/* A finished request to be forgotten at a date. */
typedef struct model_forget {
    int64_t at;
    unsigned host;
    uint32_t name;
} model_forget;

typedef struct model_host {
    uint64_t known; /* order in which it became known; 0: unknown */
    int64_t last_start;
    bool asked;
    int64_t pause; /* negative: the frontier's */
    int64_t blocked;
    uint64_t served; /* number of the lease that ended its last turn; 0: none */
    uint32_t share;
    uint32_t taken; /* leases of the present turn */
    bool pushed[MODEL_NAMES];
    bool stored; /* something of it was written */
} model_host;

typedef struct model {
    const model_setup *setup;
    const char *path; /* of a durable frontier */
    crawl_frontier_options options;
    crawl_frontier *frontier;
    int64_t now;
    size_t step;
    char difference[MODEL_TEXT]; /* the first; empty: none */
    model_host hosts[MODEL_HOSTS];
    model_request requests[MODEL_REQUESTS]; /* those that are not over */
    size_t count;
    model_forget forgets[MODEL_REQUESTS];
    size_t forgetting;
    uint64_t numbers;
    uint64_t known;
    uint64_t batches;
    uint64_t leases;
    uint64_t finished;
    uint64_t again;
    uint64_t accepted;
    int64_t promised;
    bool waiting; /* the last pop gave nothing */
    bool drained;
    unsigned calls;          /* of on_ready since the last pop */
    unsigned calls_expected; /* at least once since the last pop */
} model;

#define EXPECT(model, condition, ...) model_expect(model, condition, #condition, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static inline bool model_expect(model *m, bool holds, const char *condition,
                                                                      const char *format, ...)
{
    if (holds || *m->difference)
        return holds;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(m->difference, sizeof m->difference, "step %zu: %.200s: %s", m->step, condition, text);
    return false;
}

/* ---- the rules ---- */

/* Sets busy for each busy host. */
static inline void find_busy(const model *m, bool busy[MODEL_HOSTS])
{
    unsigned leased[MODEL_HOSTS] = {0};
    memset(busy, 0, MODEL_HOSTS * sizeof *busy);
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        if (r->state != LEASED || r->parked)
            continue;
        if (++leased[r->host] >= m->options.per_host || !r->started)
            busy[r->host] = true;
    }
}

/* Returns when this request may be leased if only time passes. */
static inline int64_t opens(const model *m, const model_request *r, const bool busy[MODEL_HOSTS])
{
    const model_host *h = &m->hosts[r->host];
    int64_t at = r->due;
    if (busy[r->host])
        return CRAWL_FOREVER;
    int64_t pause = h->pause < 0 ? m->options.pause_ms : h->pause;
    if (h->asked && h->last_start + pause > at)
        at = h->last_start + pause;
    if (!r->urgent && h->blocked > at)
        at = h->blocked;
    return at;
}

static inline int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Orders hosts: never served before served; among never served, first known first. */
static inline int compare_turns(const model_host *a, const model_host *b)
{
    int order = compare(a->served, b->served);
    return order ? order : compare(a->known, b->known);
}

/* Orders two requests that could both be popped. */
static inline int compare_requests(const model *m, const model_request *a, const model_request *b)
{
    int order = compare(b->urgent, a->urgent);
    if (!order && a->priority != b->priority)
        order = a->priority > b->priority ? -1 : 1;
    if (!order && !a->urgent && m->options.order == CRAWL_ORDER_BFS)
        order = compare(a->depth, b->depth);
    if (!order && !a->urgent && m->options.order == CRAWL_ORDER_BFS && a->host != b->host)
        order = compare_turns(&m->hosts[a->host], &m->hosts[b->host]);
    if (!order && !a->urgent && m->options.order == CRAWL_ORDER_DFS)
        order = compare(b->batch, a->batch);
    return order ? order : compare(a->number, b->number);
}

static inline model_request *best_of(model *m)
{
    model_request *best = NULL;
    bool busy[MODEL_HOSTS];
    find_busy(m, busy);
    for (size_t i = 0; i < m->count; i++) {
        model_request *r = &m->requests[i];
        if (r->state == QUEUED && opens(m, r, busy) <= m->now && (!best || compare_requests(m, r, best) < 0))
            best = r;
    }
    return best;
}

static inline int64_t soonest_of(const model *m)
{
    int64_t soonest = CRAWL_FOREVER;
    bool busy[MODEL_HOSTS];
    find_busy(m, busy);
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        int64_t at = r->state == QUEUED ? opens(m, r, busy) : CRAWL_FOREVER;
        soonest = at < soonest ? at : soonest;
    }
    return soonest < m->now ? m->now : soonest;
}

static inline size_t count_of(const model *m, model_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->requests[i].state == state;
    return count;
}

/* Records whether a waiting caller was owed a call because of this step. */
static inline void note_news(model *m)
{
    bool drained = count_of(m, QUEUED) + count_of(m, LEASED) == 0;
    if (!m->waiting) {
        EXPECT(m, m->calls == 0, "on_ready though the last pop gave a lease");
        return;
    }
    if (drained ? !m->drained : soonest_of(m) < m->promised)
        m->calls_expected = 1;
    EXPECT(m, m->calls_expected == 0 || m->calls > 0, "on_ready is owed");
    EXPECT(m, m->calls_expected != 0 || m->calls == 0, "on_ready without need");
}

/* Forgets every request whose date has come. */
static inline void forget_due(model *m)
{
    for (size_t i = 0; i < m->forgetting;) {
        const model_forget *due = &m->forgets[i];
        if (due->at > m->now) {
            i++;
            continue;
        }
        m->hosts[due->host].pushed[due->name] = false;
        m->forgets[i] = m->forgets[--m->forgetting];
    }
}

/* In a set with false positives, a request that was in when it was pushed stays: whether that was true is unknown. */
static inline void forget_at(model *m, const model_request *r, int64_t at)
{
    if (r->urgent || (!r->fresh && m->options.seen.kind != CRAWL_BLOOM_EXACT) || at == CRAWL_FOREVER)
        return;
    if (!EXPECT(m, m->forgetting < MODEL_REQUESTS, "room in the model"))
        return;
    m->forgets[m->forgetting++] = (model_forget){.at = at, .host = r->host, .name = r->name};
    forget_due(m);
}

static inline void know(model *m, unsigned host)
{
    if (!m->hosts[host].known)
        m->hosts[host].known = ++m->known;
}
