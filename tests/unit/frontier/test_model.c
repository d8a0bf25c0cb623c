/* The frontier against a model of it: a list of requests and a list of hosts, looked through from end to end for every answer,
 * with the rules written down once more, further visits and dates to forget at among them. Random steps, a random clock, many seeds; a failure names its seed and step.
 *
 * With DURABLE defined, of the durable frontier, which is closed and dropped in between, and opened again. */
#include "help.h"

#ifdef DURABLE
enum { HOSTS = 6, NAMES = 400, REQUESTS = 4000, STEPS = 1500, SEEDS = 18 };
#else
enum { HOSTS = 6, NAMES = 400, REQUESTS = 4000, STEPS = 1500, SEEDS = 120 };
#endif

typedef enum { QUEUED, LEASED } model_state;

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
    bool fresh; /* the seen-set took it as new */
} model_request;

/* Finished, to be forgotten at a date. */
typedef struct model_forget {
    int64_t at;
    unsigned host;
    uint32_t name;
} model_forget;

typedef struct model_host {
    uint64_t known; /* order of becoming known; 0: not known */
    int64_t last_start;
    bool asked;
    int64_t pause; /* negative: the frontier's */
    int64_t blocked;
    uint64_t served; /* number of the lease that ended its last turn; 0: none */
    uint32_t share;
    uint32_t taken; /* leases of the present turn */
    bool pushed[NAMES];
    bool stored; /* something of it was written */
} model_host;

typedef struct model {
    crawl_frontier_options options;
    crawl_frontier *frontier;
    int64_t now;
    uint64_t random;
    uint64_t seed;
    unsigned step;
    model_host hosts[HOSTS];
    model_request requests[REQUESTS]; /* those that are not over */
    size_t count;
    model_forget forgets[REQUESTS];
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

#define EXPECT(model, condition, ...)                                                                                         \
    do {                                                                                                                      \
        if (!(condition)) {                                                                                                   \
            char text[256];                                                                                                   \
            snprintf(text, sizeof text, __VA_ARGS__);                                                                         \
            cr_assert_fail("seed %llu, step %u: %s: %s", (unsigned long long)(model)->seed, (model)->step, #condition, text); \
        }                                                                                                                     \
    } while (0)

static uint64_t below(model *m, uint64_t limit)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (m->random >> 11) % limit;
}

/* The rules. */

/* Which hosts are busy? */
static void find_busy(const model *m, bool busy[HOSTS])
{
    unsigned leased[HOSTS] = {0};
    memset(busy, 0, HOSTS * sizeof *busy);
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        if (r->state != LEASED)
            continue;
        if (++leased[r->host] >= m->options.per_host || !r->started)
            busy[r->host] = true;
    }
}

/* From when on this request may be leased, if nothing but time goes by. */
static int64_t opens(const model *m, const model_request *r, const bool busy[HOSTS])
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

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Never served before served; among never served, first known first. */
static int compare_turns(const model_host *a, const model_host *b)
{
    int order = compare(a->served, b->served);
    return order ? order : compare(a->known, b->known);
}

/* Which goes first, both being poppable? */
static int compare_requests(const model *m, const model_request *a, const model_request *b)
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

static model_request *best_of(model *m)
{
    model_request *best = NULL;
    bool busy[HOSTS];
    find_busy(m, busy);
    for (size_t i = 0; i < m->count; i++) {
        model_request *r = &m->requests[i];
        if (r->state == QUEUED && opens(m, r, busy) <= m->now && (!best || compare_requests(m, r, best) < 0))
            best = r;
    }
    return best;
}

static int64_t soonest_of(const model *m)
{
    int64_t soonest = CRAWL_FOREVER;
    bool busy[HOSTS];
    find_busy(m, busy);
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        int64_t at = r->state == QUEUED ? opens(m, r, busy) : CRAWL_FOREVER;
        soonest = at < soonest ? at : soonest;
    }
    return soonest < m->now ? m->now : soonest;
}

static size_t count_of(const model *m, model_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->requests[i].state == state;
    return count;
}

/* Was somebody who waits owed a call by what happened just now? */
static void note_news(model *m)
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

static void on_ready(void *user)
{
    model *m = user;
    m->calls++;
}

/* Everything whose date has come. */
static void forget_due(model *m)
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

/* Of a set with false positives, what was in when it was pushed stays: whether that was true is not known. */
static void forget_at(model *m, const model_request *r, int64_t at)
{
    if (r->urgent || (!r->fresh && m->options.seen.kind != CRAWL_BLOOM_EXACT) || at == CRAWL_FOREVER)
        return;
    EXPECT(m, m->forgetting < REQUESTS, "room in the model");
    m->forgets[m->forgetting++] = (model_forget){.at = at, .host = r->host, .name = r->name};
    forget_due(m);
}

/* The steps. */

static void url_of(char url[64], unsigned host, uint32_t name)
{
    snprintf(url, 64, "http://host%u/%u", host, name);
}

static crawl_slice memo_of(char text[16], uint32_t memo)
{
    snprintf(text, 16, "%u", memo);
    return memo ? crawl_slice_from(text) : (crawl_slice){0};
}

static uint32_t random_memo(model *m)
{
    return below(m, 3) ? 0 : (uint32_t)below(m, 1000000);
}

static void know(model *m, unsigned host)
{
    if (!m->hosts[host].known)
        m->hosts[host].known = ++m->known;
}

static model_request *add_request(model *m, unsigned host, const crawl_request *request, uint32_t name, bool urgent)
{
    model_request *r = &m->requests[m->count];
    know(m, host);
    m->hosts[host].stored = true;
    *r = (model_request){.state = QUEUED,
                         .host = host,
                         .urgent = urgent,
                         .priority = request->priority,
                         .depth = request->depth,
                         .batch = m->batches,
                         .number = m->numbers++,
                         .name = name,
                         .due = INT64_MIN,
                         .attempt = 1,
                         .visit = 1};
    m->count++;
    return r;
}

static crawl_request random_request(model *m, char url[64], unsigned *host, uint32_t *name)
{
    *host = (unsigned)below(m, HOSTS);
    *name = (uint32_t)below(m, NAMES);
    url_of(url, *host, *name);
    crawl_request request = request_for(url, (uint32_t)below(m, 4), below(m, 4) ? 0 : (int32_t)below(m, 5) - 2);
    request.revisit = below(m, 10) == 0;
    return request;
}

static void step_push(model *m)
{
    enum { MOST = 8 };
    crawl_request requests[MOST];
    char urls[MOST][64];
    char memos[MOST][16];
    uint8_t results[MOST];
    uint8_t expected[MOST];
    size_t count = 1 + below(m, MOST);
    size_t accepted = 0;
    if (m->count + count > REQUESTS)
        return;
    m->batches++;
    forget_due(m);
    for (size_t i = 0; i < count; i++) {
        unsigned host;
        uint32_t name;
        uint32_t memo = random_memo(m);
        requests[i] = random_request(m, urls[i], &host, &name);
        requests[i].memo = memo_of(memos[i], memo);
        bool seen = m->hosts[host].pushed[name] && !requests[i].revisit;
        bool full = m->options.max_queued && count_of(m, QUEUED) >= m->options.max_queued;
        expected[i] = seen ? CRAWL_PUSHED_SEEN : full ? CRAWL_PUSHED_FULL : CRAWL_PUSHED_NEW;
        if (!seen)
            know(m, host);
        if (expected[i] != CRAWL_PUSHED_NEW)
            continue;
        model_request *r = add_request(m, host, &requests[i], name, false);
        r->memo = memo;
        r->fresh = !m->hosts[host].pushed[name];
        m->hosts[host].pushed[name] = true;
        m->accepted++;
        accepted++;
    }
    size_t got = 99;
    crawl_frontier_push(m->frontier, requests, count, (crawl_slice){0}, results, &got, m->now);
    EXPECT(m, memcmp(results, expected, count) == 0, "results of a push of %zu", count);
    EXPECT(m, got == accepted, "%zu, expected %zu", got, accepted);
}

static void step_urgent(model *m)
{
    char url[64];
    unsigned host;
    uint32_t name;
    if (m->count == REQUESTS)
        return;
    crawl_request request = random_request(m, url, &host, &name);
    add_request(m, host, &request, name, true);
    EXPECT(m, crawl_frontier_push_urgent(m->frontier, &request, m->now) == CRAWL_OK, "push_urgent");
}

static void lease_it(model *m, model_request *r, const crawl_lease *lease)
{
    model_host *h = &m->hosts[r->host];
    char url[64];
    char memo[16];
    url_of(url, r->host, r->name);
    EXPECT(m, crawl_slice_equal(lease->url, crawl_slice_from(url)), "%.*s, expected %s", (int)lease->url.size, lease->url.data,
           url);
    EXPECT(m, lease->urgent == r->urgent && lease->depth == r->depth && lease->priority == r->priority, "%s", url);
    EXPECT(m, lease->attempt == r->attempt, "%u, expected %u", lease->attempt, r->attempt);
    EXPECT(m, lease->visit == r->visit, "%u, expected %u", lease->visit, r->visit);
    EXPECT(m, crawl_slice_equal(lease->memo, memo_of(memo, r->memo)), "memo %u", r->memo);
    r->state = LEASED;
    r->lease = lease->id;
    r->started = !m->options.confirm_start;
    m->leases++;
    if (++h->taken >= h->share) {
        h->served = m->leases;
        h->taken = 0;
    }
    if (r->started) {
        h->last_start = m->now;
        h->asked = true;
    }
}

/* Where a host stands, from its requests alone. */
static crawl_standing standing_of(const model *m, unsigned host, const bool busy[HOSTS], uint64_t *queued)
{
    const model_host *h = &m->hosts[host];
    int64_t soonest = CRAWL_FOREVER;
    bool leased = false;
    *queued = 0;
    for (size_t i = 0; i < m->count; i++) {
        const model_request *r = &m->requests[i];
        if (r->host != host)
            continue;
        leased |= r->state == LEASED;
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

/* Of fewer hosts than are watched the answer is exact. */
static void check_binding(model *m)
{
    uint64_t hosts[CRAWL_STANDING_COUNT + 1] = {0};
    uint64_t most = 0;
    bool busy[HOSTS];
    find_busy(m, busy);
    for (unsigned host = 0; host < HOSTS; host++) {
        uint64_t queued;
        crawl_standing standing = standing_of(m, host, busy, &queued);
        bool held = standing == CRAWL_STANDING_PAUSED || standing == CRAWL_STANDING_BUSY || standing == CRAWL_STANDING_BLOCKED;
        hosts[standing]++;
        if (held && queued > most)
            most = queued;
    }
    crawl_frontier_binding binding;
    crawl_frontier_binding_get(m->frontier, m->now, &binding);
    for (int standing = 0; standing < CRAWL_STANDING_COUNT; standing++)
        EXPECT(m, binding.hosts[standing] == hosts[standing], "standing %d: %llu, expected %llu", standing,
               (unsigned long long)binding.hosts[standing], (unsigned long long)hosts[standing]);
    EXPECT(m, binding.most_queued[0].queued == most, "%llu, expected %llu", (unsigned long long)binding.most_queued[0].queued,
           (unsigned long long)most);
    for (unsigned i = 1; i < binding.most_queued_count; i++)
        EXPECT(m, binding.most_queued[i - 1].queued >= binding.most_queued[i].queued, "order of %u", i);
}

static void step_pop(model *m)
{
    model_request *best = best_of(m);
    crawl_lease lease;
    int64_t wait = -1;
    crawl_err err = crawl_frontier_pop(m->frontier, m->now, &lease, &wait);
    m->calls = m->calls_expected = 0;
    m->waiting = !best;
    m->drained = false;
    if (best) {
        EXPECT(m, err == CRAWL_OK, "%s", crawl_strerror(err));
        lease_it(m, best, &lease);
        check_binding(m);
        return;
    }
    check_binding(m);
    m->drained = count_of(m, QUEUED) + count_of(m, LEASED) == 0;
    EXPECT(m, err == (m->drained ? CRAWL_DRAINED : CRAWL_AGAIN), "%s", crawl_strerror(err));
    m->promised = soonest_of(m);
    if (m->drained)
        return;
    int64_t expected = m->promised == CRAWL_FOREVER ? CRAWL_FOREVER : m->promised - m->now;
    EXPECT(m, wait == expected, "%lld, expected %lld", (long long)wait, (long long)expected);
}

static model_request *random_lease(model *m)
{
    size_t count = count_of(m, LEASED);
    size_t pick = count ? below(m, count) : 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->requests[i].state == LEASED && pick-- == 0)
            return &m->requests[i];
    return NULL;
}

static void step_start(model *m)
{
    model_request *r = random_lease(m);
    if (!r)
        return;
    crawl_err err = crawl_frontier_start(m->frontier, r->lease, m->now);
    EXPECT(m, err == (r->started ? CRAWL_ESTATE : CRAWL_OK), "%s", crawl_strerror(err));
    if (r->started)
        return;
    r->started = true;
    m->hosts[r->host].last_start = m->now;
    m->hosts[r->host].asked = true;
}

/* Behind all that were pushed, but where the youngest goes first. */
static void step_again(model *m, model_request *r, int64_t at)
{
    char words[16];
    uint32_t memo = random_memo(m);
    crawl_err err = crawl_frontier_done_again(m->frontier, r->lease, at, memo_of(words, memo), m->now);
    EXPECT(m, err == (r->urgent ? CRAWL_EINVAL : CRAWL_OK), "%s", crawl_strerror(err));
    if (r->urgent)
        return;
    r->state = QUEUED;
    r->due = at;
    r->attempt = 1;
    r->visit++;
    r->memo = memo;
    if (m->options.order != CRAWL_ORDER_DFS)
        r->number = m->numbers++;
    m->finished++;
    m->again++;
}

static void step_done(model *m)
{
    model_request *r = random_lease(m);
    if (!r)
        return;
    unsigned pick = below(m, 3) ? (unsigned)below(m, 5) : CRAWL_DONE_FINISHED;
    int64_t at = below(m, 3) ? m->now + (int64_t)below(m, 300) - 20 : 0;
    if (pick > CRAWL_DONE_FORGET) {
        step_again(m, r, at);
        return;
    }
    crawl_outcome outcome = (crawl_outcome)pick;
    crawl_err err = crawl_frontier_done(m->frontier, r->lease, outcome, at, m->now);
    EXPECT(m, err == CRAWL_OK, "%s", crawl_strerror(err));
    r->state = QUEUED;
    r->due = at;
    r->attempt += outcome == CRAWL_DONE_RETRY;
    if (outcome == CRAWL_DONE_FORGET)
        forget_at(m, r, at);
    if (outcome == CRAWL_DONE_FINISHED || outcome == CRAWL_DONE_FORGET) {
        m->finished += !r->urgent;
        *r = m->requests[--m->count];
    }
}

static crawl_slice random_origin(model *m, char origin[64], unsigned *host)
{
    *host = (unsigned)below(m, HOSTS);
    know(m, *host);
    m->hosts[*host].stored = true;
    snprintf(origin, 64, "http://host%u", *host);
    return crawl_slice_from(origin);
}

static void step_block(model *m)
{
    char origin[64];
    unsigned host;
    crawl_slice slice = random_origin(m, origin, &host);
    int64_t until = below(m, 4) ? m->now + (int64_t)below(m, 200) - 20 : below(m, 4) ? 0 : CRAWL_FOREVER;
    EXPECT(m, crawl_frontier_block(m->frontier, slice, until, m->now) == CRAWL_OK, "block");
    m->hosts[host].blocked = until;
}

static void step_pause(model *m)
{
    char origin[64];
    unsigned host;
    crawl_slice slice = random_origin(m, origin, &host);
    int64_t pause = (int64_t)below(m, 120) - 40;
    EXPECT(m, crawl_frontier_set_pause(m->frontier, slice, pause, m->now) == CRAWL_OK, "set_pause");
    m->hosts[host].pause = pause;
}

static void step_share(model *m)
{
    char origin[64];
    unsigned host;
    crawl_slice slice = random_origin(m, origin, &host);
    model_host *h = &m->hosts[host];
    h->share = 1 + (uint32_t)below(m, 4);
    if (h->taken >= h->share)
        h->taken = h->share - 1;
    EXPECT(m, crawl_frontier_set_share(m->frontier, slice, h->share, m->now) == CRAWL_OK, "set_share");
}

static size_t count_revisits(const model *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->requests[i].state == QUEUED && m->requests[i].visit > 1;
    return count;
}

static void check_figures(model *m)
{
    forget_due(m);
    uint64_t known = 0;
    uint64_t with_queue = 0;
    uint64_t blocked = 0;
    for (unsigned host = 0; host < HOSTS; host++) {
        bool queued = false;
        for (size_t i = 0; i < m->count; i++)
            queued |= m->requests[i].state == QUEUED && m->requests[i].host == host;
        known += m->hosts[host].known != 0;
        with_queue += queued;
        blocked += queued && m->hosts[host].blocked > m->now;
    }
    crawl_frontier_stats stats = stats_of(m->frontier, m->now);
    EXPECT(m, stats.queued == count_of(m, QUEUED), "%llu", (unsigned long long)stats.queued);
    EXPECT(m, stats.leased == count_of(m, LEASED), "%llu", (unsigned long long)stats.leased);
    EXPECT(m, stats.hosts == known, "%llu, expected %llu", (unsigned long long)stats.hosts, (unsigned long long)known);
    EXPECT(m, stats.hosts_queued == with_queue, "%llu", (unsigned long long)stats.hosts_queued);
    EXPECT(m, stats.hosts_blocked == blocked, "%llu, not %llu", (unsigned long long)stats.hosts_blocked,
           (unsigned long long)blocked);
    EXPECT(m, stats.accepted == m->accepted, "%llu", (unsigned long long)stats.accepted);
    EXPECT(m, stats.finished == m->finished, "%llu", (unsigned long long)stats.finished);
    EXPECT(m, stats.again == m->again, "%llu", (unsigned long long)stats.again);
    EXPECT(m, stats.revisits == count_revisits(m), "%llu", (unsigned long long)stats.revisits);
    EXPECT(m, stats.forgetting == m->forgetting, "%llu, expected %zu", (unsigned long long)stats.forgetting, m->forgetting);
    const char *failed = cw_frontier_check(m->frontier);
    EXPECT(m, !failed, "%s", failed);
}

#ifdef DURABLE
static const uint64_t budgets[] = {0, 2000, 64 << 20}; /* of windows, bytes */
static const uint64_t stages[] = {0, 3000, 64 << 20};
static const uint32_t logs[] = {CW_DONE_MAX, 5};

static crawl_frontier *open_model(model *m, const char *path)
{
    crawl_frontier *frontier = open_in(path, &m->options, m->now);
    frontier->store->windows.budget = budgets[m->seed / 3 % 3];
    frontier->store->windows.stage.limit = stages[m->seed * 5 / 7 % 3];
    frontier->store->donelog.room = logs[m->seed / 2 % 2];
    return frontier;
}

/* What was out comes again, to its old place. */
static void take_back(model *m)
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

/* Turns begin anew, and every host counts as asked now. Of one that nothing was written of, nothing is known. */
static void forget_turns(model *m)
{
    for (unsigned host = 0; host < HOSTS; host++) {
        model_host *h = &m->hosts[host];
        h->served = 0;
        h->taken = 0;
        if (!h->stored)
            h->known = 0;
        h->asked = h->known != 0;
        h->last_start = m->now;
    }
}

/* A revisit that is forgotten takes the request that it repeats out of the seen-set with it. */
static void fail_for(const char *violation, void *user)
{
    bool of_revisits = strncmp(violation, "seen:", 5) == 0 || strncmp(violation, "twice:", 6) == 0;
    EXPECT((model *)user, of_revisits, "%s", violation);
}

static void verify_directory(model *m, const char *path)
{
    uint64_t violations = 0;
    crawl_frontier_view *view = NULL;
    EXPECT(m, crawl_frontier_view_open(path, &view, NULL) == CRAWL_OK, "view");
    EXPECT(m, crawl_frontier_view_check(view, fail_for, m, &violations, NULL) == CRAWL_OK, "check");
    crawl_frontier_view_free(view);
}

static void reopen(model *m, bool crash)
{
    char path[256];
    snprintf(path, sizeof path, "%s", m->frontier->store->directory);
    if (crash)
        cw_frontier_abandon(m->frontier);
    else
        EXPECT(m, crawl_frontier_close(m->frontier, NULL) == CRAWL_OK, "close");
    if (m->numbers)
        verify_directory(m, path);
    m->frontier = open_model(m, path);
    take_back(m);
    if (crash)
        forget_turns(m);
    check_figures(m);
}

static void step_reopen(model *m)
{
    if (below(m, 4) == 0)
        reopen(m, below(m, 2));
}
#else
static void step_reopen(model *m)
{
    (void)m;
}
#endif

/* Weights of the steps, out of 100. */
static const struct {
    unsigned weight;
    void (*step)(model *m);
    bool is_pop;
} steps[] = {{16, step_push, false},  {3, step_urgent, false}, {38, step_pop, true},
             {14, step_start, false}, {21, step_done, false},  {4, step_block, false},
             {2, step_pause, false},  {1, step_share, false},  {1, step_reopen, true}};

static void random_step(model *m)
{
    uint64_t pick = below(m, 100);
    size_t i = 0;
    while (pick >= steps[i].weight)
        pick -= steps[i++].weight;
    if (below(m, 3) == 0)
        m->now += (int64_t)below(m, below(m, 10) ? 30 : 500);
    steps[i].step(m);
    if (!steps[i].is_pop)
        note_news(m);
}

static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_EXACT, CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE};

static void run(uint64_t seed)
{
    static model the_model;
    model *m = &the_model;
    memset(m, 0, sizeof *m);
    m->seed = seed;
    m->random = seed * 0x9e3779b97f4a7c15u + 1;
    m->options = test_options();
    m->options.order = (crawl_order)(seed % 3);
    m->options.seen.kind = kinds[seed / 9 % 3];
    m->options.seen.capacity = 5000;
    m->options.seen.fpr = 1e-9; /* none is met */
    m->options.pause_ms = below(m, 3) ? (int64_t)below(m, 100) : 0;
    m->options.per_host = 1 + (unsigned)below(m, 3);
    m->options.confirm_start = below(m, 2);
    m->options.max_queued = below(m, 4) ? 0 : 20 + below(m, 50);
    m->options.on_ready = on_ready;
    m->options.user = m;
    for (unsigned host = 0; host < HOSTS; host++)
        m->hosts[host] = (model_host){.pause = -1, .share = 1};
#ifdef DURABLE
    m->frontier = open_model(m, make_directory().path);
#else
    m->frontier = create(&m->options);
#endif
    for (m->step = 0; m->step < STEPS; m->step++) {
        random_step(m);
        if (m->step % 16 == 0)
            check_figures(m);
    }
    check_figures(m);
    crawl_frontier_free(m->frontier);
}

Test(model, gives_the_same_answers)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run(seed);
}
