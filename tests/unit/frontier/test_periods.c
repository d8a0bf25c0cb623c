/* A site that is visited repeatedly: each page is forgotten a period after it was fetched, and comes back when a link
 * to it is found. For a hundred periods of 2 s of simulated time: no page is requested twice within its period, each
 * one is requested again at the first link after it, except for the filter's rate, and the filter does not grow. A
 * rotating set, which takes no dates, does the same through its window.
 *
 * The correct answer for each link is recorded separately for each page: that of an exact set without a fault. */
#include "tests/unit/frontier/help.h"

#ifdef DURABLE
enum { PAGES = 125, EACH_MS = 20, WINDOW_BYTES = 2 * CW_FRONTIER_FORGETS_WINDOW * sizeof(cw_frontier_forget) };
#else
enum { PAGES = 1250, EACH_MS = 2, WINDOW_BYTES = 0 };
#endif

enum {
    PERIOD_MS = 2000, /* less than PAGES * EACH_MS: when all pages were fetched, the first ones are forgotten */
    SHORTER_MS = 500, /* of a page that fails */
    PERIODS = 100,
    LINKS = 3,   /* links to the following pages, */
    HUB = PAGES, /* one to a page without links that all link to, */
    FAILING,     /* and one to another such page, which fails */
    ALL
};

#define FPR 0.02 /* so that something is lost */

typedef struct page {
    bool queued;
    int64_t found;   /* last accepted; INT64_MIN: never */
    int64_t fetched; /* INT64_MIN: never */
    int64_t due;     /* last counted as due */
    unsigned visits;
} page;

typedef struct site {
    crawl_frontier_options options;
    crawl_frontier *frontier;
    int64_t now;
    page pages[ALL];
    unsigned due;  /* times that a page should have been accepted, once in its period, */
    unsigned lost; /* and was not, at the first link to it */
} site;

static bool rotates(const site *s)
{
    return s->options.seen.kind == CRAWL_BLOOM_ROTATING;
}

static int64_t period_of(unsigned number)
{
    return number == FAILING ? SHORTER_MS : PERIOD_MS;
}

/* Returns true if a link found now must be accepted, or must be refused. A rotating set leaves a quarter of its window
 * open, from when the page was found. */
static bool must_accept(const site *s, unsigned number)
{
    const page *p = &s->pages[number];
    if (p->found == INT64_MIN)
        return true;
    if (rotates(s))
        return s->now - p->found >= PERIOD_MS;
    return !p->queued && s->now >= p->fetched + period_of(number);
}

static bool must_refuse(const site *s, unsigned number)
{
    if (rotates(s))
        return s->pages[number].found != INT64_MIN && s->now - s->pages[number].found < PERIOD_MS * 3 / 4;
    return !must_accept(s, number);
}

static void page_url(char url[32], unsigned number)
{
    snprintf(url, 32, "http://site/%u", number);
}

static void find(site *s, const unsigned *numbers, size_t count)
{
    char urls[LINKS + 2][32];
    uint8_t results[LINKS + 2];
    crawl_request requests[LINKS + 2];
    for (size_t i = 0; i < count; i++) {
        page_url(urls[i], numbers[i]);
        requests[i] = request_for(urls[i], 0, 0);
    }
    cr_assert_eq(crawl_frontier_push(s->frontier, requests, count, (crawl_slice){0}, results, NULL, s->now), CRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        page *p = &s->pages[numbers[i]];
        bool accepted = results[i] == CRAWL_PUSHED_NEW;
        bool first = must_accept(s, numbers[i]) && s->now >= p->due + period_of(numbers[i]);
        cr_assert(!accepted || !must_refuse(s, numbers[i]), "page %u at %d: too soon", numbers[i], (int)s->now);
        s->due += first;
        s->lost += first && !accepted;
        p->due = first ? s->now : p->due;
        if (accepted) {
            p->queued = true;
            p->found = s->now;
        }
    }
}

static unsigned number_of(const crawl_lease *lease)
{
    return (unsigned)strtoul(lease->url.data + strlen("http://site/"), NULL, 10);
}

static void fetch(site *s)
{
    crawl_lease lease;
    unsigned links[LINKS + 2];
    cr_assert_eq(crawl_frontier_pop(s->frontier, s->now, &lease, NULL), CRAWL_OK, "at %d nothing is left", (int)s->now);
    unsigned number = number_of(&lease);
    page *p = &s->pages[number];
    for (unsigned i = 0; i < LINKS; i++)
        links[i] = (number + i + 1) % PAGES;
    links[LINKS] = HUB;
    links[LINKS + 1] = FAILING;
    p->queued = false;
    p->fetched = s->now;
    p->visits++;
    int64_t until = s->now + period_of(number);
    cr_assert_eq(crawl_frontier_done(s->frontier, lease.id, CRAWL_DONE_FORGET, until, s->now), CRAWL_OK);
    if (number < PAGES)
        find(s, links, LINKS + 2);
    s->now += EACH_MS;
}

static void start(site *s, crawl_bloom_kind kind)
{
    memset(s, 0, sizeof *s);
    s->options = test_options();
    s->options.order = CRAWL_ORDER_BEST;
    s->options.seen.kind = kind;
    s->options.seen.fpr = FPR;
    s->options.seen.window_ms = kind == CRAWL_BLOOM_ROTATING ? PERIOD_MS : 0;
    if (kind == CRAWL_BLOOM_ROTATING)
        s->options.seen.capacity = 10000;
    for (unsigned i = 0; i < ALL; i++)
        s->pages[i] = (page){.found = INT64_MIN, .fetched = INT64_MIN, .due = -PERIOD_MS};
    s->now = 1000;
    s->frontier = create(&s->options);
    find(s, (const unsigned[]){0}, 1);
}

#ifdef DURABLE
/* Ends the process, alternately by a crash and by a stop. */
static void end_process(site *s, unsigned period)
{
    char path[256];
    snprintf(path, sizeof path, "%s", cw_disk_of(s->frontier)->directory);
    if (period % 20)
        cw_frontier_abandon(s->frontier);
    else
        cr_assert_eq(crawl_frontier_close(s->frontier, NULL), CRAWL_OK);
    s->frontier = open_in(path, &s->options, s->now);
}
#else
static void end_process(site *, unsigned)
{
}
#endif

/* Runs a hundred periods. Returns the pages fetched. */
static unsigned run(site *s, crawl_bloom_kind kind)
{
    unsigned fetched = 0;
    crawl_frontier_stats early = {0};
    start(s, kind);
    for (unsigned period = 1; period <= PERIODS; period++) {
        for (int64_t end = 1000 + (int64_t)period * PERIOD_MS; s->now < end; fetched++)
            fetch(s);
        check(s->frontier);
        if (period == 10)
            early = stats_of(s->frontier, s->now);
        if (period % 10 == 0)
            end_process(s, period);
    }
    crawl_frontier_stats late = stats_of(s->frontier, s->now);
    const char *name = crawl_bloom_kind_name(kind);
    cr_assert_eq(late.filter.bytes, early.filter.bytes, "%s: %zu bytes, then %zu", name, (size_t)early.filter.bytes,
                 (size_t)late.filter.bytes);
    cr_assert_leq(late.forgetting, rotates(s) ? 0 : ALL);
    cr_assert_leq(late.bytes, early.bytes + WINDOW_BYTES, "%s", name);
    cr_assert_eq(late.filter.refused, 0, "%s", name);
    cr_assert_leq(late.filter.count, rotates(s) ? 10000 : ALL, "%s: %zu", name, (size_t)late.filter.count);
    return fetched;
}

/* Allows twice the rate, since a lost page is likely to be lost the next time: the other pages are the same. */
static void expect_rate(const site *s)
{
    const char *name = crawl_bloom_kind_name(s->options.seen.kind);
    double most = 2 * FPR * s->due;
    cr_assert_gt(s->due, PAGES * PERIODS / 2);
    cr_assert_leq(s->lost, s->options.seen.kind == CRAWL_BLOOM_EXACT ? 0 : most, "%s: %u of %u", name, s->lost, s->due);
}

/* Only the way to the first link after the period is added. */
static void expect_visits(const site *s)
{
    const page *hub = &s->pages[HUB];
    const page *failing = &s->pages[FAILING];
    const unsigned most = PERIODS * PERIOD_MS / SHORTER_MS;
    unsigned seldom = 0;
    for (unsigned i = 0; i < ALL; i++)
        seldom += s->pages[i].visits < PERIODS * 3 / 4;
    cr_assert_leq(seldom, s->options.seen.kind == CRAWL_BLOOM_EXACT ? 0 : 2 * FPR * ALL, "%u pages", seldom);
    if (rotates(s))
        return;
    cr_assert(hub->visits <= PERIODS && hub->visits > PERIODS * 9 / 10, "%u", hub->visits);
    cr_assert(failing->visits <= most && failing->visits > most * 8 / 10, "%u", failing->visits);
}

Test(periods, each_kind_against_an_exact_set_driven_alike)
{
    static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE, CRAWL_BLOOM_ROTATING};
    static site s;
    unsigned pages = run(&s, CRAWL_BLOOM_EXACT);
    expect_rate(&s);
    expect_visits(&s);
    crawl_frontier_free(s.frontier);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned others = run(&s, kinds[i]);
        expect_rate(&s);
        expect_visits(&s);
        cr_assert_geq(others, pages - pages / 50, "%u, of %u by an exact set", others, pages);
        crawl_frontier_free(s.frontier);
    }
}
