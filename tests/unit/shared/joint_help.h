/* Shared by the tests of joint frontiers: several in one process, with a real redis-server; pages with links, which are
 * visited until all frontiers find the end; and the final state in Redis.
 *
 * Leases are short only if one must expire: on a busy machine a thread may stall for longer than a short one, and then
 * its host rightly goes to another. */
#pragma once

#include "tests/unit/shared/protocol_help.h"

#include "base/clock.h"
#include "tests/support/joint_check.h"

#include <crawl/sys/shared.h>

enum { HOSTS = 12, PAGES = 150, FRONTIERS = 3, SHORT_LEASE_MS = 300 };

static inline int64_t now(void)
{
    return cw_clock_ms(CLOCK_BOOTTIME);
}

static inline void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

static inline crawl_frontier_options frontier_options(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    options.confirm_start = true;
    options.fingerprints = "sha1";
    return options;
}

static inline crawl_shared_options shared_options(const crawl_redis_url *url)
{
    crawl_shared_options options;
    crawl_shared_options_init(&options, sizeof options);
    options.url = url;
    options.name = "test";
    options.window = 4;
    return options;
}

/* A server, and the options with which frontiers join the crawl there; a test may change these first. */
static struct scene {
    server server;
    crawl_redis_url url;
    crawl_shared_options shared;
    crawl_frontier_options options;
} scene;

static inline void open_scene(void)
{
    start_server(&scene.server);
    scene.url = url_of(&scene.server);
    scene.shared = shared_options(&scene.url);
    scene.options = frontier_options();
}

static inline void close_scene(void)
{
    crawl_redis_url_free(&scene.url);
    stop_server(&scene.server);
}

static inline crawl_frontier *join(void)
{
    crawl_frontier *frontier = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_join(&scene.shared, &scene.options, &frontier, NULL, &error), CRAWL_OK, "%s",
                 error.message);
    return frontier;
}

static inline void push(crawl_frontier *frontier, const char *url, bool revisit)
{
    crawl_request request = {.url = crawl_slice_from(url), .revisit = revisit};
    print_of(url, request.fingerprint.bytes);
    cr_assert_eq(crawl_frontier_push(frontier, &request, 1, crawl_slice_from("http://from.test/"), NULL, NULL, now()),
                 CRAWL_OK);
}

static inline void url_of_page(unsigned page, char out[80])
{
    snprintf(out, 80, "http://host%u.test/%u", page % HOSTS, page);
}

/* Page n has links to 2n + 1, 2n + 2 and, for links that were seen, to itself and to the first page. */
static inline void push_links(crawl_frontier *frontier, unsigned page)
{
    const unsigned links[] = {2 * page + 1, 2 * page + 2, page, 0};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char url[80];
        url_of_page(links[i], url);
        if (links[i] < PAGES)
            push(frontier, url, false);
    }
}

static inline unsigned page_of(const crawl_lease *lease)
{
    char text[80];
    const char *slash = memrchr(lease->url.data, '/', lease->url.size);
    size_t size = (size_t)(lease->url.data + lease->url.size - slash - 1);
    memcpy(text, slash + 1, size);
    text[size] = '\0';
    return (unsigned)strtoul(text, NULL, 10);
}

typedef struct visits {
    unsigned of[PAGES];
} visits;

/* Takes one lease if there is one: visits the page, and pushes its links. */
static inline crawl_err visit_one(crawl_frontier *frontier, visits *v)
{
    crawl_lease lease;
    crawl_err err = crawl_frontier_pop(frontier, now(), &lease, NULL);
    if (err)
        return err;
    if (crawl_frontier_start(frontier, lease.id, now()) == CRAWL_AGAIN)
        return crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now());
    unsigned page = page_of(&lease);
    cr_expect(crawl_slice_equal(lease.parent, crawl_slice_from("http://from.test/")));
    v->of[page]++;
    push_links(frontier, page);
    return crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now());
}

/* Visits pages until all frontiers have found the end. */
static inline void visit_all(crawl_frontier **frontiers, size_t count, visits *v)
{
    size_t drained = 0;
    for (unsigned turn = 0; turn < 60000 && drained < count; turn++) {
        bool found = false;
        drained = 0;
        for (size_t i = 0; i < count; i++) {
            crawl_err err = visit_one(frontiers[i], v);
            cr_assert(!err || err == CRAWL_AGAIN || err == CRAWL_DRAINED, "%s", crawl_strerror(err));
            drained += err == CRAWL_DRAINED;
            found = found || !err;
        }
        if (!found)
            wait_a_moment();
    }
    cr_assert_eq(drained, count, "they do not find the end");
}

/* Expects all invariants in Redis. */
static inline cw_shared_look expect_sound_store(void)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, &scene.server, worker_options("check"));
    cw_shared_look look = look_at(&w);
    expect_sound(&w);
    stop_worker(&w);
    stop_loop(base);
    return look;
}

/* Expects, in addition, that nothing is left to do. */
static inline void expect_done(uint64_t finished)
{
    cw_shared_look look = expect_sound_store();
    cr_expect_eq(look.figures.queued + look.figures.held + look.figures.sessions, 0);
    cr_expect(look.is_drained);
    cr_expect_eq(look.figures.finished, finished, "%llu", (unsigned long long)look.figures.finished);
}

/* Makes a snapshot, from which the server starts after a kill. */
static inline void save_scene(void)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, &scene.server, worker_options("other"));
    cr_assert_eq(crawl_redis_send_texts(w.redis, NULL, NULL, "SAVE", NULL), CRAWL_OK);
    (void)look_at(&w);
    stop_worker(&w);
    stop_loop(base);
}

/* Asks for a lease until this is the answer. */
static inline void wait_for(crawl_frontier *frontier, crawl_err wanted, crawl_lease *lease)
{
    int64_t until = now() + 20000;
    crawl_err err = CRAWL_AGAIN;
    while ((err = crawl_frontier_pop(frontier, now(), lease, NULL)) != wanted && now() < until)
        wait_a_moment();
    cr_assert_eq(err, wanted, "%s", crawl_strerror(err));
}
