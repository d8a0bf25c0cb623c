/* Runs a list of steps on a frontier and on its model (model.h), up to the first difference. With DURABLE defined, on a
 * durable frontier, which is closed or dropped in between, and reopened. */
#pragma once

#include "tests/unit/frontier/model/model_figures.h"

static inline void model_url(char url[64], unsigned host, uint32_t name)
{
    snprintf(url, 64, "http://host%u/%u", host, name);
}

static inline crawl_slice model_memo(char text[16], uint32_t memo)
{
    snprintf(text, 16, "%u", memo);
    return memo ? crawl_slice_from(text) : (crawl_slice){0};
}

static inline int64_t model_date(const model *m, const model_step *step)
{
    if (step->in == MODEL_LIFTED)
        return 0;
    return step->in == CRAWL_FOREVER ? CRAWL_FOREVER : m->now + step->in;
}

/* ---- push ---- */

static inline crawl_request model_request_for(const model_link *link, char url[64], char memo[16])
{
    model_url(url, link->host, link->name);
    crawl_request request = request_for(url, link->depth, link->priority);
    request.revisit = link->revisit;
    request.memo = model_memo(memo, link->memo);
    return request;
}

static inline model_request *add_request(model *m, const model_link *link, bool urgent)
{
    model_request *r = &m->requests[m->count++];
    know(m, link->host);
    m->hosts[link->host].stored = true;
    *r = (model_request){.state = QUEUED,
                         .host = link->host,
                         .urgent = urgent,
                         .priority = link->priority,
                         .depth = link->depth,
                         .batch = m->batches,
                         .number = m->numbers++,
                         .name = link->name,
                         .due = INT64_MIN,
                         .attempt = 1,
                         .visit = 1,
                         .memo = link->memo};
    return r;
}

/* Returns the answer of push for a link. */
static inline uint8_t add_link(model *m, const model_link *link)
{
    bool *pushed = &m->hosts[link->host].pushed[link->name];
    if (*pushed && !link->revisit)
        return CRAWL_PUSHED_SEEN;
    if (m->options.max_queued && count_of(m, QUEUED) >= m->options.max_queued)
        return CRAWL_PUSHED_FULL;
    know(m, link->host);
    add_request(m, link, false)->fresh = !*pushed;
    *pushed = true;
    m->accepted++;
    return CRAWL_PUSHED_NEW;
}

static inline void step_push(model *m, const model_step *step)
{
    crawl_request requests[MODEL_LINKS];
    char urls[MODEL_LINKS][64];
    char memos[MODEL_LINKS][16];
    uint8_t results[MODEL_LINKS];
    uint8_t expected[MODEL_LINKS];
    size_t accepted = 0;
    if (m->count + step->count > MODEL_REQUESTS)
        return;
    m->batches++;
    forget_due(m);
    for (size_t i = 0; i < step->count; i++) {
        requests[i] = model_request_for(&step->links[i], urls[i], memos[i]);
        expected[i] = add_link(m, &step->links[i]);
        accepted += expected[i] == CRAWL_PUSHED_NEW;
    }
    size_t got = 99;
    crawl_frontier_push(m->frontier, requests, step->count, (crawl_slice){0}, results, &got, m->now);
    for (size_t i = 0; i < step->count; i++)
        EXPECT(m, results[i] == expected[i], "%s: %u, expected %u", urls[i], results[i], expected[i]);
    EXPECT(m, got == accepted, "%zu, expected %zu", got, accepted);
}

static inline void step_urgent(model *m, const model_step *step)
{
    char url[64];
    char memo[16];
    if (m->count == MODEL_REQUESTS)
        return;
    crawl_request request = model_request_for(step->links, url, memo);
    add_request(m, step->links, true);
    EXPECT(m, crawl_frontier_push_urgent(m->frontier, &request, m->now) == CRAWL_OK, "push_urgent");
}

/* ---- lease ---- */

static inline void count_turn(model *m, const model_request *r)
{
    model_host *h = &m->hosts[r->host];
    if (r->urgent)
        return;
    m->leases++;
    if (++h->taken >= h->share) {
        h->served = m->leases;
        h->taken = 0;
    }
}

static inline void start_it(model *m, model_request *r)
{
    r->started = true;
    m->hosts[r->host].last_start = m->now;
    m->hosts[r->host].asked = true;
    count_turn(m, r);
}

static inline void lease_it(model *m, model_request *r, const crawl_lease *lease)
{
    char url[64];
    char memo[16];
    model_url(url, r->host, r->name);
    EXPECT(m, crawl_slice_equal(lease->url, crawl_slice_from(url)), "%.*s, expected %s", (int)lease->url.size,
           lease->url.data, url);
    EXPECT(m, lease->urgent == r->urgent && lease->depth == r->depth && lease->priority == r->priority, "%s", url);
    EXPECT(m, lease->attempt == r->attempt, "%u, expected %u", lease->attempt, r->attempt);
    EXPECT(m, lease->visit == r->visit, "%u, expected %u", lease->visit, r->visit);
    EXPECT(m, crawl_slice_equal(lease->memo, model_memo(memo, r->memo)), "memo %u", r->memo);
    r->state = LEASED;
    r->lease = lease->id;
    r->started = !m->options.confirm_start;
    r->parked = false;
    if (r->started)
        start_it(m, r);
}

static inline void step_pop(model *m, const model_step *)
{
    model_request *best = best_of(m);
    crawl_lease lease;
    int64_t wait = -1;
    crawl_err err = crawl_frontier_pop(m->frontier, m->now, &lease, &wait);
    m->calls = m->calls_expected = 0;
    m->waiting = !best;
    m->drained = !best && m->count == 0;
    if (best) {
        if (EXPECT(m, err == CRAWL_OK, "%s, expected http://host%u/%u", crawl_strerror(err), best->host, best->name))
            lease_it(m, best, &lease);
        check_binding(m);
        return;
    }
    check_binding(m);
    m->promised = soonest_of(m);
    if (!EXPECT(m, err == (m->drained ? CRAWL_DRAINED : CRAWL_AGAIN), "%s", crawl_strerror(err)) || m->drained)
        return;
    int64_t expected = m->promised == CRAWL_FOREVER ? CRAWL_FOREVER : m->promised - m->now;
    EXPECT(m, wait == expected, "%lld, expected %lld", (long long)wait, (long long)expected);
}

static inline model_request *picked_lease(model *m, const model_step *step)
{
    size_t count = count_of(m, LEASED);
    size_t pick = count ? step->pick % count : 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->requests[i].state == LEASED && pick-- == 0)
            return &m->requests[i];
    return NULL;
}

static inline void step_start(model *m, const model_step *step)
{
    model_request *r = picked_lease(m, step);
    if (!r)
        return;
    crawl_err err = crawl_frontier_start(m->frontier, r->lease, m->now);
    EXPECT(m, err == (r->started ? CRAWL_ESTATE : CRAWL_OK), "%s", crawl_strerror(err));
    if (r->started)
        return;
    start_it(m, r);
}

static inline void step_park(model *m, const model_step *step)
{
    model_request *r = picked_lease(m, step);
    if (!r)
        return;
    bool may = r->started && !r->parked;
    crawl_err err = crawl_frontier_park(m->frontier, r->lease, m->now);
    EXPECT(m, err == (may ? CRAWL_OK : CRAWL_ESTATE), "%s", crawl_strerror(err));
    r->parked |= may;
}

static inline void step_done(model *m, const model_step *step)
{
    model_request *r = picked_lease(m, step);
    if (!r)
        return;
    int64_t at = model_date(m, step);
    bool is_over = step->outcome == CRAWL_DONE_FINISHED || step->outcome == CRAWL_DONE_FORGET;
    bool counts = step->outcome == CRAWL_DONE_RETRY ||
                  (m->setup->fault == MODEL_COUNTS_RETURNS && step->outcome == CRAWL_DONE_RETURN);
    crawl_err err = crawl_frontier_done(m->frontier, r->lease, step->outcome, at, m->now);
    EXPECT(m, err == CRAWL_OK, "%s", crawl_strerror(err));
    if (!r->started && (step->outcome != CRAWL_DONE_RETURN || at > m->now))
        count_turn(m, r);
    r->state = QUEUED;
    r->due = at;
    r->attempt += counts;
    if (step->outcome == CRAWL_DONE_FORGET)
        forget_at(m, r, at);
    if (is_over) {
        m->finished += !r->urgent;
        *r = m->requests[--m->count];
    }
}

/* Places it after all pushed ones, unless the newest goes first. */
static inline void step_again(model *m, const model_step *step)
{
    char words[16];
    model_request *r = picked_lease(m, step);
    if (!r)
        return;
    int64_t at = model_date(m, step);
    crawl_err err = crawl_frontier_done_again(m->frontier, r->lease, at, model_memo(words, step->memo), m->now);
    EXPECT(m, err == (r->urgent ? CRAWL_EINVAL : CRAWL_OK), "%s", crawl_strerror(err));
    if (r->urgent)
        return;
    if (!r->started)
        count_turn(m, r);
    r->state = QUEUED;
    r->due = at;
    r->attempt = 1;
    r->visit++;
    r->memo = step->memo;
    if (m->options.order != CRAWL_ORDER_DFS)
        r->number = m->numbers++;
    m->finished++;
    m->again++;
}

/* ---- hosts ---- */

static inline crawl_slice model_origin(model *m, const model_step *step, char origin[64])
{
    know(m, step->host);
    m->hosts[step->host].stored = true;
    snprintf(origin, 64, "http://host%u", step->host);
    return crawl_slice_from(origin);
}

static inline void step_block(model *m, const model_step *step)
{
    char origin[64];
    int64_t until = model_date(m, step);
    EXPECT(m, crawl_frontier_block(m->frontier, model_origin(m, step, origin), until, m->now) == CRAWL_OK, "block");
    if (m->setup->fault != MODEL_FORGETS_BLOCKS)
        m->hosts[step->host].blocked = until;
}

static inline void step_pause(model *m, const model_step *step)
{
    char origin[64];
    if (m->setup->fault == MODEL_DIES_OF_PAUSES)
        abort();
    EXPECT(m, crawl_frontier_set_pause(m->frontier, model_origin(m, step, origin), step->in, m->now) == CRAWL_OK,
           "set_pause");
    m->hosts[step->host].pause = step->in;
}

static inline void step_share(model *m, const model_step *step)
{
    char origin[64];
    model_host *h = &m->hosts[step->host];
    h->share = (uint32_t)step->in;
    if (h->taken >= h->share)
        h->taken = h->share - 1;
    EXPECT(m, crawl_frontier_set_share(m->frontier, model_origin(m, step, origin), h->share, m->now) == CRAWL_OK,
           "set_share");
}

/* ---- ends ---- */

static inline bool open_model(model *m)
{
#ifdef DURABLE
    if (!EXPECT(m, crawl_frontier_open(m->path, &m->options, m->now, &m->frontier, NULL) == CRAWL_OK, "open"))
        return false;
    cw_disk_of(m->frontier)->windows.budget = m->setup->windows;
    cw_disk_of(m->frontier)->windows.stage.limit = m->setup->stage;
    cw_disk_of(m->frontier)->donelog.room = m->setup->log ? m->setup->log : CW_DISK_DONE_MAX;
    return true;
#else
    return EXPECT(m, crawl_frontier_create(&m->options, &m->frontier, NULL) == CRAWL_OK, "create");
#endif
}

/* Returns open leases to their old places. */
static inline void take_back(model *m)
{
    for (size_t i = 0; i < m->count; i++) {
        model_request *r = &m->requests[i];
        if (r->state == LEASED)
            r->due = INT64_MIN;
        r->state = QUEUED;
    }
    m->waiting = m->drained = false;
    m->calls = m->calls_expected = 0;
}

/* Restarts turns; every host counts as asked now. A host without anything written is unknown. */
static inline void forget_turns(model *m)
{
    for (unsigned host = 0; host < MODEL_HOSTS; host++) {
        model_host *h = &m->hosts[host];
        h->served = 0;
        h->taken = 0;
        if (!h->stored)
            h->known = 0;
        h->asked = h->known != 0;
        h->last_start = m->now;
    }
}

/* A frontier in memory cannot be reopened: does nothing. */
static inline void step_reopen(model *m, const model_step *step)
{
#ifdef DURABLE
    crawl_frontier *frontier = m->frontier;
    m->frontier = NULL;
    if (step->op == MODEL_CRASH)
        cw_frontier_abandon(frontier);
    else
        EXPECT(m, crawl_frontier_close(frontier, NULL) == CRAWL_OK, "close");
    if (m->numbers)
        check_directory(m);
    if (!open_model(m))
        return;
    take_back(m);
    if (step->op == MODEL_CRASH)
        forget_turns(m);
    check_figures(m);
#else
    (void)m;
    (void)step;
#endif
}

/* ---- the run ---- */

/* Some options never call a waiting caller. */
static const struct {
    void (*run)(model *m, const model_step *step);
    bool is_silent;
} model_ops[MODEL_OPS] = {
    [MODEL_PUSH] = {step_push, false},   [MODEL_URGENT] = {step_urgent, false}, [MODEL_POP] = {step_pop, true},
    [MODEL_START] = {step_start, false}, [MODEL_PARK] = {step_park, false},     [MODEL_DONE] = {step_done, false},
    [MODEL_AGAIN] = {step_again, false}, [MODEL_BLOCK] = {step_block, false},   [MODEL_PAUSE] = {step_pause, false},
    [MODEL_SHARE] = {step_share, false}, [MODEL_CLOSE] = {step_reopen, true},   [MODEL_CRASH] = {step_reopen, true},
};

static inline void model_on_ready(void *user)
{
    ((model *)user)->calls++;
}

static inline void begin_model(model *m, const model_setup *setup, const char *path)
{
    memset(m, 0, sizeof *m);
    m->setup = setup;
    m->path = path;
    m->options = test_options();
    m->options.order = setup->order;
    m->options.seen.kind = setup->kind;
    m->options.seen.capacity = 5000;
    m->options.seen.fpr = 1e-9; /* so low that none occurs */
    m->options.pause_ms = setup->pause;
    m->options.per_host = setup->per_host;
    m->options.confirm_start = setup->confirm_start;
    m->options.max_queued = setup->max_queued;
    m->options.host_bytes = setup->rests ? 0 : m->options.host_bytes;
    m->options.on_ready = model_on_ready;
    m->options.user = m;
    for (unsigned host = 0; host < MODEL_HOSTS; host++)
        m->hosts[host] = (model_host){.pause = -1, .share = 1};
    open_model(m);
}

/* Runs a list. text receives the first difference, and is empty if there is none. path: an existing empty directory,
 * for a durable frontier; it is not removed. Returns true if there was no difference. */
static inline bool model_run(const model_list *list, const char *path, char text[MODEL_TEXT])
{
    static model the_model;
    model *m = &the_model;
    begin_model(m, &list->setup, path);
    for (m->step = 0; m->step < list->count && !*m->difference; m->step++) {
        const model_step *step = &list->steps[m->step];
        m->now += step->ahead;
        model_ops[step->op].run(m, step);
        if (!model_ops[step->op].is_silent && !*m->difference)
            note_news(m);
        if (m->step % 16 == 0 && !*m->difference)
            check_figures(m);
    }
    if (!*m->difference)
        check_figures(m);
    crawl_frontier_close(m->frontier, NULL);
    memcpy(text, m->difference, MODEL_TEXT);
    return !*text;
}
