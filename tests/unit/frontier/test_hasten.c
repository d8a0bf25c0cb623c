/* crawl_frontier_hasten: requests that wait for their next visit become due. */
#include "tests/unit/frontier/help.h"

/* Makes requests with the memo "y" due, and changes it to "n"; counts the calls. */
typedef struct wish {
    unsigned asked;
    crawl_buf urls; /* of the wanted ones */
} wish;

static bool wants(const crawl_lease *request, crawl_slice *memo, void *user)
{
    wish *w = user;
    w->asked++;
    if (!crawl_slice_equal(request->memo, crawl_slice_from("y")))
        return false;
    cr_assert_eq(crawl_buf_append(&w->urls, request->url.data, request->url.size), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_char(&w->urls, ' '), CRAWL_OK);
    *memo = crawl_slice_from("no");
    return true;
}

/* Makes a page wait until at. */
static void wait_until(crawl_frontier *f, const char *url, int64_t at, const char *memo)
{
    push_new(f, url, 0, 0, 0);
    crawl_lease lease = pop(f, url, 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, at, crawl_slice_from(memo), 0), CRAWL_OK);
}

static uint64_t hasten(crawl_frontier *f, wish *w, int64_t now)
{
    uint64_t count = 99;
    cr_assert_eq(crawl_frontier_hasten(f, crawl_slice_from("http://a"), now, wants, w, &count), CRAWL_OK);
    check(f);
    return count;
}

Test(hasten, what_is_wanted_comes_now_with_its_new_memo_and_the_others_at_their_date)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    wish w = {0};
    wait_until(f, "http://a/1", 1000, "x");
    wait_until(f, "http://a/2", 2000, "y");
    wait_until(f, "http://b/3", 3000, "y");
    cr_expect_eq(hasten(f, &w, 10), 1);
    cr_expect_eq(w.asked, 2);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&w.urls), crawl_slice_from("http://a/2 ")));
    crawl_lease lease = pop(f, "http://a/2", 10);
    cr_expect(crawl_slice_equal(lease.memo, crawl_slice_from("no")));
    cr_expect_eq(lease.visit, 2);
    finish(f, lease, 10);
    pop_again(f, 10, 990);
    finish(f, pop(f, "http://a/1", 1000), 1000);
    finish(f, pop(f, "http://b/3", 3000), 3000);
    pop_drained(f, 3000);
    crawl_buf_free(&w.urls);
    crawl_frontier_free(f);
}

Test(hasten, retries_and_what_is_due_are_left_alone)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    wish w = {0};
    push_new(f, "http://a/1", 0, 0, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_RETRY, 500, 0);
    wait_until(f, "http://a/2", 100, "y");
    cr_expect_eq(hasten(f, &w, 100), 0);
    cr_expect_eq(w.asked, 0);
    cr_expect_eq(crawl_frontier_hasten(f, crawl_slice_from("http://none"), 100, wants, &w, NULL), CRAWL_OK);
    crawl_frontier_free(f);
}

/* More requests than one step of the store, with dates in no order: every wanted one comes once, and the rest in the
 * order of their dates. */
Test(hasten, many)
{
    enum { PAGES = 2500, LATER = 1000000 };
    crawl_frontier_options options = test_options();
    options.seen.capacity = 10000;
    crawl_frontier *f = create(&options);
    char url[64];
    wish w = {0};
    for (unsigned i = 0; i < PAGES; i++) {
        snprintf(url, sizeof url, "http://a/%u", i);
        push_new(f, url, 0, 0, 0);
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        crawl_slice memo = crawl_slice_from(i % 3 ? "x" : "y");
        cr_assert_eq(crawl_frontier_done_again(f, lease.id, LATER + i * 7919 % PAGES, memo, 0), CRAWL_OK);
    }
    cr_expect_eq(hasten(f, &w, 5), (PAGES + 2) / 3);
    cr_expect_eq(w.asked, PAGES);
    cr_expect_eq(stats_of(f, 5).queued, PAGES);
    unsigned came = 0;
    crawl_lease lease;
    for (; crawl_frontier_pop(f, 6, &lease, NULL) == CRAWL_OK; came++) {
        cr_expect(crawl_slice_equal(lease.memo, crawl_slice_from("no")));
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 6), CRAWL_OK);
    }
    cr_expect_eq(came, (PAGES + 2) / 3);
    check(f);
    for (; crawl_frontier_pop(f, LATER + PAGES, &lease, NULL) == CRAWL_OK; came++)
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, LATER + PAGES), CRAWL_OK);
    cr_expect_eq(came, PAGES);
    pop_drained(f, LATER + PAGES);
    crawl_buf_free(&w.urls);
    crawl_frontier_free(f);
}
