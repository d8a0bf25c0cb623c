/* Four threads on one frontier: every request is leased to one at a time, every accepted one is finished once, and all
 * learn of the end. Waiting threads sleep until on_ready calls or, as the clock stands still here, for ever. */
#include "tests/unit/frontier/help.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, HOSTS = 37, PAGES = 6000, LINKS = 8 };

typedef struct crawl {
    crawl_frontier *frontier;
    pthread_mutex_t lock;
    pthread_cond_t ready;
    uint64_t calls; /* of on_ready */
    atomic_int leased[PAGES];
    atomic_int finished[PAGES];
    atomic_int tries[PAGES];
    atomic_size_t accepted;
    atomic_int errors;
} crawl;

static void wake(void *user)
{
    crawl *c = user;
    pthread_mutex_lock(&c->lock);
    c->calls++;
    pthread_cond_broadcast(&c->ready);
    pthread_mutex_unlock(&c->lock);
}

static uint64_t calls_of(crawl *c)
{
    pthread_mutex_lock(&c->lock);
    uint64_t calls = c->calls;
    pthread_mutex_unlock(&c->lock);
    return calls;
}

/* Waits until there were more than `seen` calls. */
static void wait_for_call(crawl *c, uint64_t seen)
{
    pthread_mutex_lock(&c->lock);
    while (c->calls == seen)
        pthread_cond_wait(&c->ready, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void push_page(crawl *c, const unsigned *pages, size_t count, uint32_t depth)
{
    crawl_request requests[LINKS];
    char urls[LINKS][64];
    size_t accepted = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(urls[i], sizeof urls[i], "http://host%u/%u", pages[i] % HOSTS, pages[i]);
        requests[i] = request_for(urls[i], depth, 0);
        requests[i].tag = pages[i];
    }
    if (crawl_frontier_push(c->frontier, requests, count, crawl_slice_from("http://parent/"), NULL, &accepted, 0))
        c->errors++;
    c->accepted += accepted;
}

/* Page p links to a few pages computed from its number, so that many have several links. */
static void follow(crawl *c, unsigned page, uint32_t depth)
{
    unsigned pages[LINKS];
    for (unsigned i = 0; i < LINKS; i++)
        pages[i] = (page * 7 + i * i * 31 + 1) % PAGES;
    push_page(c, pages, LINKS, depth + 1);
}

static void work(crawl *c, const crawl_lease *lease)
{
    unsigned page = lease->tag;
    char url[64];
    snprintf(url, sizeof url, "http://host%u/%u", page % HOSTS, page);
    c->errors += c->leased[page]++ != 0;
    c->errors += !crawl_slice_equal(lease->url, crawl_slice_from(url));
    c->errors += lease->depth > 0 && !crawl_slice_equal(lease->parent, crawl_slice_from("http://parent/"));
    c->errors += (int)lease->attempt != c->tries[page] + 1;
    bool retry = page % 5 == 0 && c->tries[page] < 2;
    if (retry)
        c->tries[page]++;
    else
        follow(c, page, lease->depth);
    c->leased[page]--;
    c->finished[page] += !retry;
    c->errors +=
        crawl_frontier_done(c->frontier, lease->id, retry ? CRAWL_DONE_RETRY : CRAWL_DONE_FINISHED, 0, 0) != CRAWL_OK;
}

static void *run(void *user)
{
    crawl *c = user;
    for (;;) {
        crawl_lease lease;
        uint64_t seen = calls_of(c);
        switch (crawl_frontier_pop(c->frontier, 0, &lease, NULL)) {
        case CRAWL_OK:
            work(c, &lease);
            break;
        case CRAWL_AGAIN:
            wait_for_call(c, seen);
            break;
        case CRAWL_DRAINED:
            return NULL;
        default:
            c->errors++;
            return NULL;
        }
    }
}

Test(threads, lease_every_request_once)
{
    static crawl c;
    pthread_t threads[THREADS];
    const unsigned seeds[] = {0, 1};
    crawl_frontier_options options = test_options();
    options.per_host = 2;
    options.on_ready = wake;
    options.user = &c;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.ready, NULL);
    c.frontier = create(&options);
    push_page(&c, seeds, 2, 0);
    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run, &c), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    size_t finished = 0;
    for (unsigned page = 0; page < PAGES; page++) {
        cr_assert_leq(c.finished[page], 1, "page %u finished %d times", page, c.finished[page]);
        finished += (size_t)c.finished[page];
    }
    cr_assert_eq(c.errors, 0);
    cr_assert_eq(finished, c.accepted);
    cr_assert_gt(finished, PAGES / 2);
    check(c.frontier);
    cr_assert_eq(stats_of(c.frontier, 0).finished, finished);
    crawl_frontier_free(c.frontier);
}
