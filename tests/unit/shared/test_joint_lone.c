/* Tests parked leases of joint frontiers: the host continues without them, in another frontier too, no request is given
 * twice, and hosts that others seek by name are given to them. */
#include "tests/unit/shared/joint_help.h"

#include "shared/store/hold.h"
#include "shared/store/lone.h"

TestSuite(shared_lone, .init = open_scene, .fini = close_scene);

static void begin(crawl_frontier *frontier, crawl_lease *lease)
{
    wait_for(frontier, CRAWL_OK, lease);
    cr_assert_eq(crawl_frontier_start(frontier, lease->id, now()), CRAWL_OK);
}

static void end(crawl_frontier *frontier, const crawl_lease *lease, crawl_outcome outcome)
{
    cr_expect_eq(crawl_frontier_done(frontier, lease->id, outcome, 0, now()), CRAWL_OK);
}

static void close_it(crawl_frontier *frontier)
{
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}

static size_t hosts_held(crawl_frontier *frontier)
{
    pthread_mutex_lock(&frontier->lock);
    size_t held = cw_joint_of(frontier)->holds->held;
    pthread_mutex_unlock(&frontier->lock);
    return held;
}

/* Begins a page, parks its lease, and waits until its host has left the frontier. */
static void park_one(crawl_frontier *frontier, const char *url, crawl_lease *lease)
{
    int64_t until = now() + 20000;
    push(frontier, url, false);
    begin(frontier, lease);
    cr_assert_eq(crawl_frontier_park(frontier, lease->id, now()), CRAWL_OK);
    while (hosts_held(frontier) && now() < until)
        wait_a_moment();
    cr_assert_eq(hosts_held(frontier), 0);
}

static void expect_none(crawl_frontier *frontier, int64_t for_ms)
{
    crawl_lease lease;
    for (int64_t until = now() + for_ms; now() < until; wait_a_moment())
        cr_assert_eq(crawl_frontier_pop(frontier, now(), &lease, NULL), CRAWL_AGAIN);
}

/* The deadline of the parked request is extended in time, so the other frontier never gets it. */
Test(shared_lone, its_host_is_others_meanwhile)
{
    crawl_lease parked, lease;
    scene.shared.lease_ms = 3 * SHORT_LEASE_MS;
    crawl_frontier *frontier = join();
    crawl_frontier *other = join();
    park_one(frontier, "http://host.test/1", &parked);
    push(other, "http://host.test/2", false);
    begin(other, &lease);
    cr_expect_eq(page_of(&lease), 2);
    end(other, &lease, CRAWL_DONE_FINISHED);
    expect_none(other, 2 * scene.shared.lease_ms);
    end(frontier, &parked, CRAWL_DONE_FINISHED);
    wait_for(other, CRAWL_DRAINED, &lease);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    close_it(frontier);
    close_it(other);
    expect_done(2);
}

/* The session continues with another window. */
Test(shared_lone, its_host_goes_on_where_it_is)
{
    enum { PAGES_OF_HOST = 6 };
    crawl_lease parked, lease;
    scene.shared.window = 1;
    crawl_frontier *frontier = join();
    for (unsigned i = 0; i < PAGES_OF_HOST; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host.test/%u", i);
        push(frontier, text, false);
    }
    begin(frontier, &parked);
    cr_assert_eq(crawl_frontier_park(frontier, parked.id, now()), CRAWL_OK);
    for (unsigned i = 1; i < PAGES_OF_HOST; i++) {
        begin(frontier, &lease);
        cr_expect_eq(page_of(&lease), i);
        end(frontier, &lease, CRAWL_DONE_FINISHED);
    }
    end(frontier, &parked, CRAWL_DONE_FINISHED);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    close_it(frontier);
    expect_done(PAGES_OF_HOST);
}

/* Joins as another process, which gets the first page again and ends it. */
static void expect_first_page_again(void)
{
    crawl_lease lease;
    crawl_frontier *other = join();
    begin(other, &lease);
    cr_expect_eq(page_of(&lease), 1);
    end(other, &lease, CRAWL_DONE_FINISHED);
    close_it(other);
    expect_done(1);
}

Test(shared_lone, it_comes_again_where_its_process_dies)
{
    crawl_lease parked;
    scene.shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *frontier = join();
    park_one(frontier, "http://host.test/1", &parked);
    cw_frontier_abandon(frontier);
    expect_first_page_again();
}

/* A parked request can end like any other: it comes again at once, or at a date with its memo, or as not sent. */
Test(shared_lone, it_ends_as_any)
{
    enum { LATER_MS = 300 };
    crawl_lease parked, lease;
    crawl_frontier *frontier = join();
    park_one(frontier, "http://host.test/1", &parked);
    end(frontier, &parked, CRAWL_DONE_RETRY);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(lease.attempt, 2);
    end(frontier, &lease, CRAWL_DONE_FINISHED);
    park_one(frontier, "http://host.test/2", &parked);
    int64_t at = now() + LATER_MS;
    cr_expect_eq(crawl_frontier_done_again(frontier, parked.id, at, crawl_slice_from("memo"), now()), CRAWL_OK);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_geq(now(), at);
    cr_expect_eq(lease.visit, 2);
    cr_expect(crawl_slice_equal(lease.memo, crawl_slice_from("memo")));
    end(frontier, &lease, CRAWL_DONE_FINISHED);
    park_one(frontier, "http://host.test/3", &parked);
    end(frontier, &parked, CRAWL_DONE_RETURN);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(lease.attempt, 1);
    end(frontier, &lease, CRAWL_DONE_FINISHED);
    close_it(frontier);
    expect_done(3);
}

/* Closing gives it back like every open lease. */
Test(shared_lone, it_is_given_back_at_the_close)
{
    crawl_lease parked;
    crawl_frontier *frontier = join();
    park_one(frontier, "http://host.test/1", &parked);
    close_it(frontier);
    cr_expect_eq(expect_sound_store().figures.queued, 1);
    expect_first_page_again();
}

/* Each of two frontiers seeks the host that the other one has with requests it does not ask meanwhile, as when all
 * pages of a host are in the browser; each gets it. A third frontier, which takes any host, does not get it first. */
Test(shared_lone, hosts_that_others_seek_are_left_to_them)
{
    enum { MANY = 20, LEAST = 3 };
    static const char *const origins[] = {"http://host0.test", "http://host1.test"};
    crawl_frontier *frontiers[2];
    crawl_lease leases[2], lease;
    for (unsigned i = 0; i < 2; i++) {
        frontiers[i] = join();
        for (unsigned page = 0; page < MANY; page++) {
            char text[80];
            snprintf(text, sizeof text, "%s/%u", origins[i], page);
            push(frontiers[i], text, false);
        }
        begin(frontiers[i], &leases[i]);
    }
    crawl_frontier *third = join();
    cr_expect_eq(crawl_frontier_pop(third, now(), &lease, NULL), CRAWL_AGAIN); /* it takes any host */
    for (unsigned i = 0; i < 2; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s/part", origins[!i]);
        const crawl_request part = {.url = crawl_slice_from(text)};
        cr_assert_eq(crawl_frontier_push_urgent(frontiers[i], &part, now()), CRAWL_OK);
        cr_assert_eq(crawl_frontier_park(frontiers[i], leases[i].id, now()), CRAWL_OK);
    }
    int64_t since = now();
    for (unsigned i = 0; i < 2; i++) {
        crawl_err err;
        while ((err = crawl_frontier_pop_host(frontiers[i], crawl_slice_from(origins[!i]), now(), &lease, NULL)) &&
               now() - since < 20000)
            wait_a_moment();
        cr_assert_eq(err, CRAWL_OK);
        cr_expect(lease.urgent);
        cr_assert_eq(crawl_frontier_start(frontiers[i], lease.id, now()), CRAWL_OK);
        end(frontiers[i], &lease, CRAWL_DONE_FINISHED);
        end(frontiers[i], &leases[i], CRAWL_DONE_FINISHED);
    }
    cr_expect_lt(now() - since, scene.shared.lease_ms / LEAST);
    for (unsigned i = 0; i < 2; i++)
        close_it(frontiers[i]);
    close_it(third);
    cr_expect_eq(expect_sound_store().figures.finished, 2);
}

/* A request that was admitted before may still leave, since nobody else can have the host earlier. */
Test(shared_lone, a_lease_that_is_out_leaves_before_its_host_goes)
{
    static const char origin[] = "http://host.test";
    const crawl_request part = {.url = crawl_slice_from("http://host.test/part")};
    crawl_lease lease, of_other;
    int64_t until = now() + 20000;
    bool yields = false;
    scene.shared.lease_ms = 3000;
    crawl_frontier *frontier = join();
    crawl_frontier *other = join();
    push(frontier, "http://host.test/1", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_assert_eq(crawl_frontier_push_urgent(other, &part, now()), CRAWL_OK);
    while (!yields && now() < until) {
        wait_a_moment();
        pthread_mutex_lock(&frontier->lock);
        yields = cw_joint_hold_of_origin(cw_joint_of(frontier), crawl_slice_from(origin))->yields;
        pthread_mutex_unlock(&frontier->lock);
    }
    cr_expect(yields);
    cr_expect(crawl_frontier_shared_has(frontier, lease.id));
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_pop_host(other, crawl_slice_from(origin), now(), &of_other, NULL), CRAWL_AGAIN);
    cr_expect_null(check_frontier(frontier, check_joint));
    end(frontier, &lease, CRAWL_DONE_FINISHED);
    wait_for(other, CRAWL_OK, &of_other);
    cr_expect(of_other.urgent);
    end(other, &of_other, CRAWL_DONE_FINISHED);
    close_it(frontier);
    close_it(other);
    expect_done(1);
}
