/* Further visits and dates to forget at, from one process to the next. */
#define DURABLE
#include "frontier/disk/disk.h"
#include "tests/unit/frontier/pages.h"

#include <signal.h>
#include <sys/wait.h>

static crawl_frontier_options counting_options(void)
{
    crawl_frontier_options options = test_options();
    options.seen.kind = CRAWL_BLOOM_COUNTING;
    options.seen.capacity = 20000;
    options.per_host = 10;
    return options;
}

/* One page queued for its second visit at 500, one in flight on its second, one to be forgotten at 1000, one already
 * forgotten. */
static void work_and_be_killed(const char *path)
{
    crawl_frontier_options options = counting_options();
    crawl_frontier *f = open_in(path, &options, 0);
    for (char url[] = "http://a/1"; url[9] <= '4'; url[9]++)
        push_new(f, url, 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    crawl_frontier_done_again(f, lease.id, 500, crawl_slice_from("one"), 0);
    lease = pop(f, "http://a/2", 0);
    crawl_frontier_done_again(f, lease.id, 50, crawl_slice_from("two"), 0);
    done(f, pop(f, "http://a/3", 0), CRAWL_DONE_FORGET, 1000, 0);
    done(f, pop(f, "http://a/4", 0), CRAWL_DONE_FORGET, 60, 0);
    pop(f, "http://a/2", 100);
    raise(SIGKILL);
}

Test(durable_dates, survive_a_kill)
{
    directory dir = make_directory();
    int status = -1;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        work_and_be_killed(dir.path);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    crawl_frontier_options options = counting_options();
    crawl_frontier *f = open_in(dir.path, &options, 200);
    crawl_frontier_stats stats = stats_of(f, 200);
    cr_assert_eq(stats.queued, 2);
    cr_assert_eq(stats.revisits, 2);
    cr_assert_eq(stats.again, 2);
    cr_assert_eq(stats.finished, 4);
    cr_assert_eq(stats.forgetting, 1);
    crawl_lease lease = pop(f, "http://a/2", 200);
    cr_assert_eq(lease.visit, 2);
    cr_assert(crawl_slice_equal(lease.memo, crawl_slice_from("two")));
    finish(f, lease, 200);
    pop_again(f, 200, 300);
    lease = pop(f, "http://a/1", 500);
    cr_assert_eq(lease.visit, 2);
    cr_assert(crawl_slice_equal(lease.memo, crawl_slice_from("one")));
    finish(f, lease, 500);
    cr_assert_eq(push_request(f, request_for("http://a/1", 0, 0), 999), CRAWL_PUSHED_SEEN);
    cr_assert_eq(push_request(f, request_for("http://a/3", 0, 0), 999), CRAWL_PUSHED_SEEN);
    cr_assert_eq(push_request(f, request_for("http://a/4", 0, 0), 999), CRAWL_PUSHED_NEW);
    cr_assert_eq(push_request(f, request_for("http://a/3", 0, 0), 1000), CRAWL_PUSHED_NEW);
    cr_assert_eq(stats_of(f, 1000).filter.refused, 0);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

enum { PAGES = 3000 };

static int64_t date_of(unsigned page)
{
    return 1 + page * 2654435761u % 5000;
}

static void page_url(char url[32], unsigned page)
{
    snprintf(url, 32, "http://a/%u", page);
}

static void visit_pages(crawl_frontier *f)
{
    char url[32];
    for (unsigned i = 0; i < PAGES; i++) {
        crawl_lease lease;
        page_url(url, i);
        crawl_request request = request_for(url, 0, 0);
        cr_assert_eq(crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, NULL, 0), CRAWL_OK);
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FORGET, date_of(i), 0), CRAWL_OK);
    }
    check(f);
}

static unsigned count_seen(crawl_frontier *f)
{
    char url[32];
    unsigned seen = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        page_url(url, i);
        crawl_fingerprint print = print_of(crawl_slice_from(url));
        seen += crawl_frontier_seen(f, &print) == CRAWL_EXISTS;
    }
    return seen;
}

/* More requests than the window holds, most of them overdue at the opening, survive closes and crashes in turn. */
Test(durable_dates, many_are_kept_over_ends_of_both_kinds)
{
    char path[256];
    crawl_frontier_options options = counting_options();
    options.seen.kind = CRAWL_BLOOM_EXACT;
    crawl_frontier *f = create(&options);
    snprintf(path, sizeof path, "%s", cw_disk_of(f)->directory);
    visit_pages(f);
    for (int64_t now = 0; now <= 5000; now += 1000) {
        unsigned waiting = 0;
        for (unsigned i = 0; i < PAGES; i++)
            waiting += date_of(i) > now;
        push_request(f, request_for("http://b/", 0, 0), now);
        cr_assert_eq(count_seen(f), waiting, "at %d", (int)now);
        cr_assert_eq(stats_of(f, now).forgetting, waiting, "at %d", (int)now);
        if (now % 2000)
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        else
            cw_frontier_abandon(f);
        f = open_in(path, &options, now);
        check(f);
    }
    crawl_frontier_free(f);
}

Test(durable_dates, a_directory_of_the_format_before_is_refused_with_words)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    cw_disk_begin(cw_disk_of(f));
    cw_disk_put(cw_disk_of(f), CW_FAMILY_META, crawl_slice_from("mformat"), crawl_slice_from("\1"));
    cr_assert_eq(cw_disk_commit(cw_disk_of(f)), CRAWL_OK);
    cw_frontier_abandon(f);
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &f, &error), CRAWL_ECORRUPT);
    cr_assert_not_null(strstr(error.message, "of format 1; this version knows format 3"), "%s", error.message);
    crawl_frontier_view *view = NULL;
    cr_assert_eq(crawl_frontier_view_open(dir.path, &view, &error), CRAWL_ECORRUPT);
    remove_directory(dir.path);
}

Test(durable_dates, the_next_visit_is_not_known_while_some_are_on_disk_alone)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    int64_t due;
    for (char url[] = "http://a/1"; url[9] <= '9'; url[9]++)
        push_new(f, url, 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 9000, lease.memo, 0), CRAWL_OK);
    cr_expect_eq(crawl_frontier_next_visit(f, 0, &due), CRAWL_FULL);
    crawl_frontier_free(f);
}

static bool wants_late(const crawl_lease *request, crawl_slice *memo, void *)
{
    *memo = crawl_slice_from("hastened");
    return !crawl_slice_equal(request->url, crawl_slice_from("http://a/1"));
}

/* The directory is sound, and the request is due for the next process, with its new memo. */
Test(durable_dates, what_was_hastened_is_due_for_the_next_process)
{
    directory dir = make_directory();
    crawl_frontier_options options = counting_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    crawl_error error = {0};
    uint64_t hastened = 0;
    for (char url[] = "http://a/1"; url[9] <= '3'; url[9]++) {
        push_new(f, url, 0, 0, 0);
        crawl_lease lease = pop(f, url, 0);
        crawl_frontier_done_again(f, lease.id, 400 + 100 * (url[9] - '0'), crawl_slice_from("x"), 0);
    }
    cr_assert_eq(crawl_frontier_hasten(f, crawl_slice_from("http://a"), 10, wants_late, NULL, &hastened), CRAWL_OK);
    cr_expect_eq(hastened, 2);
    cr_assert_eq(crawl_frontier_close(f, &error), CRAWL_OK, "%s", error.message);
    check_directory(dir.path);
    f = open_in(dir.path, &options, 20);
    for (unsigned i = 0; i < 2; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 20, &lease, NULL), CRAWL_OK);
        cr_expect(crawl_slice_equal(lease.memo, crawl_slice_from("hastened")));
        finish(f, lease, 20);
    }
    pop_again(f, 20, 480);
    cr_assert_eq(crawl_frontier_close(f, &error), CRAWL_OK, "%s", error.message);
    remove_directory(dir.path);
}
