/* Frontiers that share a crawl, several in one process, against a real redis-server: each request is given once whoever
 * pushed it, whatever one of them had comes back when it dies, pauses hold from one to the next, and all find the end
 * by themselves.
 *
 * Leases are short only where one of them has to run out: on a busy machine a thread may wait for longer than a short
 * one, and it is right then that the host is another's. */
#include "tests/unit/redis/shared_help.h"

#include "base/clock.h"
#include "frontier/shared/state.h"

#include <crawl/shared.h>

enum { HOSTS = 12, PAGES = 150, FRONTIERS = 3, SHORT_LEASE_MS = 300 };

static int64_t now(void)
{
    return cw_clock_ms(CLOCK_BOOTTIME);
}

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

static crawl_frontier_options frontier_options(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    options.confirm_start = true;
    options.fingerprints = "sha1";
    return options;
}

static crawl_shared_options shared_options(const crawl_redis_url *url)
{
    crawl_shared_options options;
    crawl_shared_options_init(&options, sizeof options);
    options.url = url;
    options.name = "test";
    options.window = 4;
    return options;
}

static crawl_redis_url url_of(const server *s)
{
    char text[80];
    crawl_redis_url url;
    crawl_error error = {0};
    snprintf(text, sizeof text, "unix:%s", s->socket);
    cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){NULL}, &url, &error), CRAWL_OK);
    return url;
}

static crawl_frontier *join(const crawl_shared_options *shared, const crawl_frontier_options *options)
{
    crawl_frontier *frontier = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_join(shared, options, &frontier, NULL, &error), CRAWL_OK, "%s", error.message);
    return frontier;
}

static void push(crawl_frontier *frontier, const char *url, bool revisit)
{
    crawl_request request = {.url = crawl_slice_from(url), .revisit = revisit};
    print_of(url, request.fingerprint.bytes);
    cr_assert_eq(crawl_frontier_push(frontier, &request, 1, crawl_slice_from("http://from.test/"), NULL, NULL, now()),
                 CRAWL_OK);
}

static void url_of_page(unsigned page, char out[80])
{
    snprintf(out, 80, "http://host%u.test/%u", page % HOSTS, page);
}

/* Page n has links to 2n + 1, 2n + 2 and, to have some that were seen, back to itself and to the first. */
static void push_links(crawl_frontier *frontier, unsigned page)
{
    const unsigned links[] = {2 * page + 1, 2 * page + 2, page, 0};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char url[80];
        url_of_page(links[i], url);
        if (links[i] < PAGES)
            push(frontier, url, false);
    }
}

static unsigned page_of(const crawl_lease *lease)
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

/* One lease if there is one: the page is visited, and its links are pushed. */
static crawl_err visit_one(crawl_frontier *frontier, visits *v)
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

/* Until all of them have found the end. */
static void visit_all(crawl_frontier **frontiers, size_t count, visits *v)
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

/* Nothing is left in Redis, and all of its invariants hold. */
static void expect_done(const server *s, uint64_t finished)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, s, worker_options("check"));
    cw_shared_look look = look_at(&w);
    cr_expect_eq(look.figures.queued + look.figures.held + look.figures.sessions, 0);
    cr_expect(look.is_drained);
    cr_expect_eq(look.figures.finished, finished, "%llu", (unsigned long long)look.figures.finished);
    expect_sound(&w);
    stop_worker(&w);
    stop_loop(base);
}

Test(shared, many_hands)
{
    server s = {0};
    visits v = {0};
    crawl_frontier *frontiers[FRONTIERS];
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    for (size_t i = 0; i < FRONTIERS; i++)
        frontiers[i] = join(&shared, &options);
    push(frontiers[0], "http://host0.test/0", false);
    push(frontiers[1], "http://host0.test/0", false);
    visit_all(frontiers, FRONTIERS, &v);
    for (size_t i = 0; i < FRONTIERS; i++) {
        crawl_frontier_stats stats;
        cr_expect_null(cw_frontier_check(frontiers[i]));
        crawl_frontier_stats_get(frontiers[i], now(), &stats);
        cr_expect_eq(stats.queued + stats.leased, 0);
        crawl_error error = {0};
        cr_expect_eq(crawl_frontier_close(frontiers[i], &error), CRAWL_OK, "%s", error.message);
    }
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_eq(v.of[i], 1, "page %u was visited %u times", i, v.of[i]);
    expect_done(&s, PAGES);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* It dies with leases out, with ends of leases that it has not told, and with links that it has not sent. */
Test(shared, one_dies)
{
    enum { ITS_LEASES = 3 };
    server s = {0};
    visits v = {0};
    visits of_dead = {0};
    crawl_lease leases[ITS_LEASES];
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *dies = join(&shared, &options);
    crawl_frontier *lives = join(&shared, &options);
    push(dies, "http://host0.test/0", false);
    for (unsigned visited = 0; visited < 30;)
        visited += visit_one(dies, &of_dead) == CRAWL_OK;
    for (size_t i = 0; i < ITS_LEASES;)
        i += crawl_frontier_pop(dies, now(), &leases[i], NULL) == CRAWL_OK;
    push_links(dies, page_of(&leases[0]));
    cr_expect_null(cw_frontier_check(dies));
    cw_frontier_abandon(dies);
    visit_all(&lives, 1, &v);
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_geq(v.of[i] + of_dead.of[i], 1, "page %u is lost", i);
    crawl_shared_figures figures;
    cr_expect_eq(crawl_frontier_shared_figures(lives, &figures), CRAWL_OK);
    cr_expect_gt(figures.lost, 0);
    cr_expect_eq(crawl_frontier_close(lives, NULL), CRAWL_OK);
    expect_done(&s, PAGES);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* By the times that callers tell; so whoever is slow makes no difference. */
Test(shared, pauses_hold_from_one_to_the_next)
{
    enum { PAUSE_MS = 50, REQUESTS = 9 };
    server s = {0};
    crawl_frontier *frontiers[FRONTIERS];
    unsigned by[FRONTIERS] = {0};
    int64_t last = 0;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.window = 1;
    options.pause_ms = PAUSE_MS;
    for (size_t i = 0; i < FRONTIERS; i++)
        frontiers[i] = join(&shared, &options);
    for (unsigned i = 0; i < REQUESTS; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host.test/%u", i);
        push(frontiers[0], text, false);
    }
    for (unsigned done = 0; done < REQUESTS;) {
        for (size_t i = 0; i < FRONTIERS; i++) {
            crawl_lease lease;
            if (crawl_frontier_pop(frontiers[i], now(), &lease, NULL))
                continue;
            int64_t start = now();
            cr_assert_eq(crawl_frontier_start(frontiers[i], lease.id, start), CRAWL_OK);
            cr_expect_geq(start - last, PAUSE_MS, "after %lld ms", (long long)(start - last));
            last = start;
            by[i]++;
            done++;
            crawl_frontier_done(frontiers[i], lease.id, CRAWL_DONE_FINISHED, 0, now());
        }
        wait_a_moment();
    }
    for (size_t i = 0; i < FRONTIERS; i++)
        cr_expect_eq(crawl_frontier_close(frontiers[i], NULL), CRAWL_OK);
    expect_done(&s, REQUESTS);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* The server says nothing for longer than a lease: what is out must not leave, and all is done when it is back. */
Test(shared, the_server_is_silent)
{
    server s = {0};
    visits v = {0};
    crawl_lease lease;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *frontier = join(&shared, &options);
    push(frontier, "http://host0.test/0", false);
    while (crawl_frontier_pop(frontier, now(), &lease, NULL))
        wait_a_moment();
    kill(s.process, SIGSTOP);
    for (int64_t until = now() + SHORT_LEASE_MS; now() < until;)
        wait_a_moment();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_AGAIN);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_pop(frontier, now(), &lease, NULL), CRAWL_AGAIN);
    kill(s.process, SIGCONT);
    visit_all(&frontier, 1, &v);
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_geq(v.of[i], 1);
    cr_expect_null(cw_frontier_check(frontier));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(&s, PAGES);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

static void push_urgent(crawl_frontier *frontier, const char *url)
{
    const crawl_request request = {.url = crawl_slice_from(url)};
    cr_assert_eq(crawl_frontier_push_urgent(frontier, &request, now()), CRAWL_OK);
}

static void wait_for(crawl_frontier *frontier, crawl_err wanted, crawl_lease *lease)
{
    int64_t until = now() + 20000;
    crawl_err err = CRAWL_AGAIN;
    while ((err = crawl_frontier_pop(frontier, now(), lease, NULL)) != wanted && now() < until)
        wait_a_moment();
    cr_assert_eq(err, wanted, "%s", crawl_strerror(err));
}

/* Its host was lost, and another process has asked all that it had: what was urgent here is nobody's business. */
Test(shared, what_is_urgent_of_a_lost_host_does_not_keep_from_the_end)
{
    server s = {0};
    crawl_lease lease;
    crawl_frontier_stats stats;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *frontier = join(&shared, &options);
    push(frontier, "http://host0.test/0", false);
    wait_for(frontier, CRAWL_OK, &lease);
    push_urgent(frontier, "http://host0.test/robots.txt");
    cr_assert_eq(crawl_frontier_block(frontier, lease.origin, CRAWL_FOREVER, now()), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    kill(s.process, SIGSTOP);
    do { /* it asks for no lease, and so takes no host */
        wait_a_moment();
        crawl_frontier_stats_get(frontier, now(), &stats);
    } while (stats.queued);
    cr_expect_null(cw_frontier_check(frontier));
    kill(s.process, SIGCONT);
    crawl_frontier *other = join(&shared, &options);
    wait_for(other, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_done(other, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(other, CRAWL_DRAINED, &lease);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    cr_expect_null(cw_frontier_check(frontier));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(other, NULL), CRAWL_OK);
    expect_done(&s, 1);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* As where the robots.txt of a host leads to another host, which may be another process's for a while. */
Test(shared, what_is_urgent_of_any_host_is_asked)
{
    server s = {0};
    crawl_lease lease;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    crawl_frontier *frontier = join(&shared, &options);
    crawl_frontier *other = join(&shared, &options);
    push(other, "http://host1.test/1", false);
    crawl_lease of_other;
    wait_for(other, CRAWL_OK, &of_other);
    push_urgent(frontier, "http://host1.test/robots.txt");
    push_urgent(frontier, "http://host2.test/robots.txt");
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect(crawl_slice_equal(lease.origin, crawl_slice_from("http://host2.test")));
    cr_expect_null(cw_frontier_check(frontier));
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(other, of_other.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect(crawl_slice_equal(lease.origin, crawl_slice_from("http://host1.test")));
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    wait_for(other, CRAWL_DRAINED, &lease);
    cr_expect_null(cw_frontier_check(frontier));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(other, NULL), CRAWL_OK);
    expect_done(&s, 1);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* Bytes are being written when the server is killed, in a process that leaves SIGPIPE as it is. */
Test(shared, a_server_that_is_killed_kills_nobody)
{
    enum { MANY = 4000 };
    server s = {.is_durable = true};
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    shared.lease_ms = 60000;
    crawl_frontier_options options = frontier_options();
    crawl_frontier *frontier = join(&shared, &options);
    crawl_shared_figures figures = {0};
    kill(s.process, SIGSTOP);
    for (unsigned i = 0; i < MANY; i++) {
        char text[200];
        snprintf(text, sizeof text, "http://host%u.test/%0100u", i % HOSTS, i);
        push(frontier, text, false);
    }
    for (unsigned i = 0; i < 100; i++)
        wait_a_moment(); /* until the socket takes no more */
    kill_server(&s);
    run_server(&s);
    while (figures.accepted < MANY) {
        wait_a_moment();
        cr_assert_eq(crawl_frontier_shared_figures(frontier, &figures), CRAWL_OK);
    }
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* What became of a request, and what is known of its host, is there for the next. */
Test(shared, what_is_known_goes_along)
{
    server s = {0};
    crawl_lease lease;
    crawl_buf note = {0};
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    crawl_frontier *first = join(&shared, &options);
    push(first, "http://host.test:80/1", false);
    push(first, "http://host.test:80/2", false);
    while (crawl_frontier_pop(first, now(), &lease, NULL))
        wait_a_moment();
    cr_expect_eq(lease.attempt, 1);
    cr_expect_eq(crawl_frontier_note_set(first, lease.origin, crawl_slice_from("of the host")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_note_set(first, crawl_slice_from("#x"), crawl_slice_from("of the crawl")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_pause(first, lease.origin, 70, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(first, lease.id, CRAWL_DONE_RETRY, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    crawl_frontier *second = join(&shared, &options);
    cr_expect_eq(crawl_frontier_note_get(second, crawl_slice_from("#x"), &note), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the crawl")));
    unsigned attempts = 0;
    for (unsigned i = 0; i < 2; i++) {
        while (crawl_frontier_pop(second, now(), &lease, NULL))
            wait_a_moment();
        attempts += lease.attempt;
        crawl_buf_clear(&note);
        cr_expect_eq(crawl_frontier_note_get(second, lease.origin, &note), CRAWL_OK);
        cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the host")));
        cr_expect_eq(cw_frontier_hosts_find(&second->hosts, lease.origin)->pause, 70);
        crawl_frontier_start(second, lease.id, now());
        crawl_frontier_done(second, lease.id, CRAWL_DONE_FINISHED, 0, now());
    }
    cr_expect_eq(attempts, 3);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
    expect_done(&s, 2);
    crawl_buf_free(&note);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* ---- hosts that were given back ---- */

static uint64_t hosts_known(crawl_frontier *frontier)
{
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(frontier, now(), &stats);
    return stats.hosts;
}

/* A host goes a moment after its session has ended. */
static void expect_no_hosts(crawl_frontier *frontier)
{
    int64_t until = now() + 20000;
    while (hosts_known(frontier) && now() < until)
        wait_a_moment();
    cr_expect_eq(hosts_known(frontier), 0);
    cr_expect_null(cw_frontier_check(frontier));
}

/* Whatever is said of it later makes it known for a moment only. */
Test(shared, hosts_that_were_given_back_are_forgotten)
{
    enum { MANY = 300, ROUNDS = 3 };
    server s = {0};
    crawl_lease lease;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.hosts = 20;
    crawl_frontier *frontier = join(&shared, &options);
    for (unsigned i = 0; i < MANY * ROUNDS; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host%u.test/%u", i % MANY, i);
        push(frontier, text, false);
    }
    for (unsigned done = 0; done < MANY * ROUNDS; done++) {
        wait_for(frontier, CRAWL_OK, &lease);
        cr_expect_leq(hosts_known(frontier), 10 * shared.hosts);
        cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
        cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    }
    wait_for(frontier, CRAWL_DRAINED, &lease);
    expect_no_hosts(frontier);
    /* The list of numbers has room for half as many again as there were hosts at once, and 64. */
    cr_expect_leq(cw_joint_of(frontier)->numbers, 15 * shared.hosts + 64, "numbers are given anew");
    cr_expect_eq(crawl_frontier_set_pause(frontier, crawl_slice_from("http://host1.test"), 70, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_block(frontier, crawl_slice_from("http://host2.test"), now() + 60000, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(&s, MANY * ROUNDS);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* The process that had forgotten it has it with its pause, from the last request on, its share and its note; a block
 * that ends is kept, too. */
Test(shared, a_host_that_comes_back_is_as_it_was)
{
    enum { PAUSE_MS = 150, BLOCK_MS = 300 };
    server s = {0};
    crawl_lease lease;
    crawl_buf note = {0};
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    crawl_frontier *frontier = join(&shared, &options);
    push(frontier, "http://host.test/1", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_note_set(frontier, lease.origin, crawl_slice_from("of the host")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_pause(frontier, lease.origin, PAUSE_MS, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_share(frontier, lease.origin, 3, now()), CRAWL_OK);
    int64_t start = now();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, start), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    push(frontier, "http://host.test/2", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_geq(now() - start, PAUSE_MS);
    cr_expect_eq(crawl_frontier_note_get(frontier, lease.origin, &note), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the host")));
    const cw_frontier_host *host = cw_frontier_hosts_find(&frontier->hosts, lease.origin);
    cr_expect_eq(host->pause, PAUSE_MS);
    cr_expect_eq(host->share, 3);
    start = now();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, start), CRAWL_OK);
    cr_expect_eq(crawl_frontier_block(frontier, lease.origin, start + BLOCK_MS, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    push(frontier, "http://host.test/3", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_geq(now() - start, BLOCK_MS);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(&s, 3);
    crawl_buf_free(&note);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* ---- pages of places ---- */

/* Asks until Redis has answered. */
static crawl_err take_page(crawl_frontier *frontier, const char *place, uint64_t limit)
{
    crawl_err err = CRAWL_AGAIN;
    for (unsigned turn = 0; turn < 60000 && err == CRAWL_AGAIN; turn++) {
        err = crawl_frontier_shared_page(frontier, crawl_slice_from(place), limit);
        if (err == CRAWL_AGAIN)
            wait_a_moment();
    }
    return err;
}

static uint64_t take_all_pages(crawl_frontier **both, const char *place, uint64_t limit)
{
    uint64_t pages = 0;
    for (bool is_full[2] = {false, false}; !is_full[0] || !is_full[1];)
        for (size_t i = 0; i < 2; i++) {
            crawl_err err = take_page(both[i], place, limit);
            cr_assert(err == CRAWL_OK || err == CRAWL_FULL, "%s", crawl_strerror(err));
            pages += !err;
            is_full[i] = err == CRAWL_FULL;
        }
    return pages;
}

/* Two take what there is, neither more nor less; each place has its own, and a page that is given back is another's. */
Test(shared, pages_of_a_place_are_never_more_than_there_are)
{
    server s = {0};
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    crawl_frontier *both[] = {join(&shared, &options), join(&shared, &options)};
    crawl_frontier *alone = NULL;
    cr_expect_eq(take_all_pages(both, "host a", 37), 37);
    cr_expect_eq(take_all_pages(both, "host b", 1), 1);
    cr_assert_eq(take_page(both[0], "host c", 2), CRAWL_OK);
    cr_assert_eq(take_page(both[1], "host c", 2), CRAWL_OK);
    crawl_frontier_shared_page_back(both[0], crawl_slice_from("host c"));
    cr_expect_eq(take_page(both[1], "host c", 2), CRAWL_OK, "nobody took it, and so it came back");
    cr_expect_eq(take_page(both[0], "host c", 2), CRAWL_FULL);
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(crawl_frontier_close(both[i], NULL), CRAWL_OK);
    crawl_frontier *later = join(&shared, &options);
    cr_expect_eq(take_page(later, "host a", 37), CRAWL_FULL);
    cr_expect_eq(take_page(later, "host a", 38), CRAWL_OK);
    cr_expect_eq(take_page(later, "host b", 2), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(later, NULL), CRAWL_OK);
    cr_assert_eq(crawl_frontier_create(&options, &alone, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_shared_page(alone, crawl_slice_from("host a"), 1), CRAWL_ESTATE);
    crawl_frontier_free(alone);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* ---- depth first ---- */

enum { TREE = 63 };

/* The pages of a tree below one, as one process goes depth first. */
static void walk(unsigned page, unsigned *order, size_t *count)
{
    if (page >= TREE)
        return;
    order[(*count)++] = page;
    walk(2 * page + 1, order, count);
    walk(2 * page + 2, order, count);
}

/* The links of a page as one batch, all to the same host. */
static void push_branch(crawl_frontier *frontier, unsigned page)
{
    char urls[2][80];
    crawl_request requests[2];
    size_t count = 0;
    for (unsigned link = 2 * page + 1; link <= 2 * page + 2 && link < TREE; link++) {
        snprintf(urls[count], sizeof urls[count], "http://host.test/%u", link);
        requests[count] = (crawl_request){.url = crawl_slice_from(urls[count])};
        print_of(urls[count], requests[count].fingerprint.bytes);
        count++;
    }
    if (count)
        cr_assert_eq(crawl_frontier_push(frontier, requests, count, (crawl_slice){0}, NULL, NULL, now()), CRAWL_OK);
}

static bool visit_branch(crawl_frontier *frontier, unsigned *visited, size_t *count)
{
    crawl_lease lease;
    if (crawl_frontier_pop(frontier, now(), &lease, NULL) ||
        crawl_frontier_start(frontier, lease.id, now()) == CRAWL_AGAIN)
        return false;
    unsigned page = page_of(&lease);
    cr_assert_lt(*count, TREE);
    visited[(*count)++] = page;
    push_branch(frontier, page);
    cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    return true;
}

/* Whoever has the host, and though each might take 4 requests of it at once. */
Test(shared, depth_first_follows_a_branch_to_its_end)
{
    server s = {0};
    unsigned expected[TREE];
    unsigned visited[TREE];
    size_t count = 0;
    size_t asked = 0;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    options.order = CRAWL_ORDER_DFS;
    options.per_host = 1;
    crawl_frontier *both[] = {join(&shared, &options), join(&shared, &options)};
    push(both[0], "http://host.test/0", false);
    walk(0, expected, &count);
    for (unsigned turn = 0; turn < 60000 && asked < TREE; turn++)
        if (!visit_branch(both[turn % 2], visited, &asked))
            wait_a_moment();
    cr_assert_eq(asked, TREE);
    for (size_t i = 0; i < TREE; i++)
        cr_expect_eq(visited[i], expected[i], "the page %zu", i);
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(crawl_frontier_close(both[i], NULL), CRAWL_OK);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

static void expect_refused(const crawl_shared_options *shared, const crawl_frontier_options *options, const char *words)
{
    crawl_error error = {0};
    crawl_frontier *frontier = NULL;
    cr_expect_neq(crawl_frontier_join(shared, options, &frontier, NULL, &error), CRAWL_OK);
    cr_expect_not_null(strstr(error.message, words), "%s", error.message);
}

Test(shared, others_are_refused)
{
    server s = {0};
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    const crawl_shared_choice depth = {crawl_slice_from("depth"), crawl_slice_from("3")};
    const crawl_shared_choice other = {crawl_slice_from("depth"), crawl_slice_from("4")};
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    shared.choices = &depth;
    shared.choice_count = 1;
    crawl_frontier *frontier = join(&shared, &options);
    shared.choices = &other;
    expect_refused(&shared, &options, "depth = \"3\", not \"4\"");
    shared.choices = &depth;
    options.order = CRAWL_ORDER_BEST;
    expect_refused(&shared, &options, "order = \"bfs\", not \"best\"");
    options.order = CRAWL_ORDER_DFS;
    expect_refused(&shared, &options, "order = \"bfs\", not \"dfs\"");
    options = frontier_options();
    options.fingerprints = "other";
    expect_refused(&shared, &options, "fingerprints = \"sha1\", not \"other\"");
    options.fingerprints = "sha1";
    options.seen.kind = CRAWL_BLOOM_COUNTING;
    expect_refused(&shared, &options, "counting");
    options.seen.kind = CRAWL_BLOOM_SCALABLE;
    options.seen.fpr = 1e-3;
    expect_refused(&shared, &options, "rate");
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    crawl_redis_url_free(&url);
    stop_server(&s);
}

/* A pause that is longer than what is left of the lease when the last request may leave: were it not known there before
 * the first, whoever has the host after the death of this one would ask too soon. */
Test(shared, a_long_pause_is_known_before_the_first_request)
{
    server s = {0};
    crawl_lease lease;
    start_server(&s);
    crawl_redis_url url = url_of(&s);
    crawl_shared_options shared = shared_options(&url);
    crawl_frontier_options options = frontier_options();
    options.pause_ms = 20000;
    crawl_frontier *frontier = join(&shared, &options);
    push(frontier, "http://host.test/1", false);
    push(frontier, "http://other.test/1", false);
    while (crawl_frontier_pop(frontier, now(), &lease, NULL))
        wait_a_moment();
    const cw_frontier_host *host = cw_frontier_hosts_find(&frontier->hosts, lease.origin);
    cr_expect_eq(cw_joint_hold_of(cw_joint_of(frontier), host)->pause_ms, 20000, "Redis has not acknowledged it");
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    crawl_redis_url_free(&url);
    stop_server(&s);
}
