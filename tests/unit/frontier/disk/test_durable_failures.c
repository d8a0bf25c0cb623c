/* Every single allocation of the durable frontier's own code fails once, in turn: in the stage, settling, the donelog,
 * windows and records. Each call then returns CRAWL_ENOMEM or copes, the invariants hold, done never fails, and every
 * request comes exactly once.
 *
 * The sources are included here, so that their allocations can fail. RocksDB's allocations are not affected. */
#include "tests/unit/frontier/disk/failing.h"

#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
#define aligned_alloc failing_aligned_alloc

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* names that are static in one file are parameters in another */

#include "base/buf.c"
#include "frontier/disk/disk_record.c"
#include "frontier/disk/log/donelog.c"
#include "frontier/disk/log/leftover.c"
#include "frontier/disk/stage/settle.c"
#include "frontier/disk/stage/stage.c"
#include "frontier/disk/stage/tail.c"
#include "frontier/hosts/hosts.c"
#include "frontier/hosts/queue.c"
#include "frontier/lease.c"
#include "frontier/memory/arena.c"
#define compare compare_changes /* leftover.c has one of its own */
#include "frontier/disk/stage/changes.c"
#undef compare

#pragma GCC diagnostic pop

#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc

#define record test_record /* donelog.c has one of its own */
#include "tests/unit/frontier/pages.h"

enum { HOSTS = 12, PAGES = 24, BATCHES = 2, AT_ONCE = 3 };

static void check_now(crawl_frontier *f)
{
    const char *failed = check_frontier(f, NULL);
    cr_assert_null(failed, "allocation %lu: %s", failing, failed);
    cr_assert_eq(crawl_frontier_failure(f, NULL), CRAWL_OK, "allocation %lu", failing);
}

/* Pushes a batch again until nothing of it is refused. The pages of the round are numbered from `first`. */
static void push_all(crawl_frontier *f, unsigned long round, unsigned first)
{
    crawl_request requests[PAGES];
    char urls[PAGES][64];
    size_t accepted = 0;
    size_t total = 0;
    crawl_err err;
    for (unsigned i = 0; i < PAGES; i++) {
        snprintf(urls[i], sizeof urls[i], "http://host%lu-%u/%u", round % 4 * 100, (first + i) % HOSTS, first + i);
        snprintf(urls[i] + strlen(urls[i]), 16, "/%lu", round);
        requests[i] = request_for(urls[i], i % 2, 0);
    }
    do {
        err = crawl_frontier_push(f, requests, PAGES, crawl_slice_from("http://parent/"), NULL, &accepted, 0);
        check_now(f);
        total += accepted;
    } while (refused(err));
    cr_assert_eq(err, CRAWL_OK);
    cr_assert_eq(total, PAGES, "allocation %lu: %zu", failing, total);
}

/* Leases and finishes `count` requests of this round, none of which came before. */
static void finish_some(crawl_frontier *f, unsigned long round, unsigned count, bool came[PAGES * BATCHES])
{
    while (count) {
        crawl_lease lease;
        unsigned page;
        unsigned long of;
        crawl_err err = crawl_frontier_pop(f, 0, &lease, NULL);
        check_now(f);
        if (refused(err))
            continue;
        cr_assert_eq(err, CRAWL_OK, "allocation %lu: %s", failing, crawl_strerror(err));
        cr_assert_eq(sscanf(lease.url.data, "http://host%*u-%*u/%u/%lu", &page, &of), 2);
        cr_assert_eq(of, round);
        if (lease.attempt == 1 && page % 11 == 5) {
            cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_RETRY, 0, 0), CRAWL_OK);
            continue;
        }
        cr_assert(!came[page], "allocation %lu: page %u came twice", failing, page);
        came[page] = true;
        err = crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0);
        cr_assert_eq(err, CRAWL_OK, "allocation %lu: %s", failing, crawl_strerror(err));
        check_now(f);
        count--;
    }
}

static crawl_frontier *open_small(const char *path)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = NULL;
    crawl_error error = {0};
    while (refused(crawl_frontier_open(path, &options, 0, &f, &error)))
        cr_assert_null(f);
    cr_assert_not_null(f, "allocation %lu: %s", failing, error.message);
    f->schedule.sessions_max = AT_ONCE;
    cw_disk_of(f)->windows.stage.limit = 3000;
    cw_disk_of(f)->donelog.room = 7;
    check_now(f);
    return f;
}

/* Runs one round in which allocation number `number` fails. Returns false if there were not that many. */
static bool round_with_failure(crawl_frontier *f, unsigned long number)
{
    bool came[PAGES * BATCHES] = {0};
    allocations = 0;
    failing = number;
    push_all(f, number, 0);
    finish_some(f, number, PAGES / 2, came);
    push_all(f, number, PAGES);
    finish_some(f, number, PAGES * BATCHES - PAGES / 2, came);
    pop_drained(f, 0);
    bool enough = allocations >= number;
    failing = 0;
    return enough;
}

Test(durable_failures, each_allocation_in_turn)
{
    directory dir = make_directory();
    crawl_frontier *f = open_small(dir.path);
    unsigned long number = 1;
    while (round_with_failure(f, number))
        number++;
    cr_assert_gt(number, 50, "%lu", number);
    cr_assert_gt(refusals, 30, "%lu", refusals);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}

/* The opening reads the state after a crash; it returns CRAWL_ENOMEM and loses nothing. A close that runs out of memory
 * is a crash. */
Test(durable_failures, each_allocation_of_opening_and_closing)
{
    directory dir = make_directory();
    unsigned long number = 0;
    unsigned long opening;
    do {
        bool came[PAGES * BATCHES] = {0};
        crawl_frontier *f = open_small(dir.path);
        failing = 0;
        push_all(f, ++number, 0);
        finish_some(f, number, 5, came);
        cw_frontier_abandon(f);
        allocations = 0;
        failing = number;
        f = open_small(dir.path);
        opening = allocations;
        finish_some(f, number, 5, came);
        allocations = 0;
        failing = number;
        refusals += crawl_frontier_close(f, NULL) == CRAWL_ENOMEM;
        failing = 0;
        f = open_small(dir.path);
        finish_some(f, number, PAGES - 10, came);
        pop_drained(f, 0);
        crawl_frontier_free(f);
        check_directory(dir.path);
    } while (number <= opening);
    cr_assert_gt(number, opening);
    cr_assert_gt(refusals, 10, "%lu", refusals);
    remove_directory(dir.path);
}
