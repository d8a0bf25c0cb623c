/* Shared by the frontier's tests: requests made from a URL, and pops compared by URL.
 *
 * With DURABLE defined, create makes a frontier in a new directory, which is removed when the frontier is freed. Its
 * windows have no budget, its hosts rest, and its stage is settled with every push, so that every request is read from
 * the disk to be leased. */
#pragma once

#include "tests/support/frontier_check.h"
#include "tests/unit/frontier/disk/directory.h"
#ifdef DURABLE
#include "frontier/disk/disk.h"
#endif

#include <criterion/criterion.h>
#include <stdio.h>

/* Replaces the SHA-1 of a canonical form: five FNV-1a hashes with different seeds. */
static inline crawl_fingerprint print_of(crawl_slice url)
{
    crawl_fingerprint print;
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t hash = 2166136261u + i * 0x9e3779b9u;
        for (size_t at = 0; at < url.size; at++)
            hash = (hash ^ (uint8_t)url.data[at]) * 16777619u;
        memcpy(print.bytes + 4 * i, &hash, 4);
    }
    return print;
}

static inline crawl_request request_for(const char *url, uint32_t depth, int32_t priority)
{
    crawl_slice slice = crawl_slice_from(url);
    return (crawl_request){.url = slice, .fingerprint = print_of(slice), .depth = depth, .priority = priority};
}

/* Defaults of the tests: no pause, one lease at once, an exact seen-set. */
static inline crawl_frontier_options test_options(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    options.per_host = 1;
    options.seen.kind = CRAWL_BLOOM_EXACT;
    options.seen.capacity = 1000;
    return options;
}

static inline crawl_frontier *open_in(const char *path, const crawl_frontier_options *options, int64_t now)
{
    crawl_frontier *frontier = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_open(path, options, now, &frontier, &error), CRAWL_OK, "%s", error.message);
    return frontier;
}

static inline crawl_frontier *create(const crawl_frontier_options *options)
{
#ifdef DURABLE
    crawl_frontier *frontier = open_in(make_directory().path, options, INT64_MIN + 1);
    cw_disk_of(frontier)->windows.budget = 0;
    cw_disk_of(frontier)->windows.stage.limit = 0;
#ifndef HOSTS_STAY /* in memory, for tests that examine them there, or their size */
    cw_disk_of(frontier)->rest.most = 0;
#endif
#else
    crawl_frontier *frontier = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_create(options, &frontier, &error), CRAWL_OK, "%s", error.message);
#endif
    return frontier;
}

#ifdef DURABLE
static inline void free_with_directory(crawl_frontier *frontier)
{
    char path[256];
    if (!frontier)
        return;
    snprintf(path, sizeof path, "%s", cw_disk_of(frontier)->directory);
    crawl_frontier_free(frontier);
    remove_directory(path);
}
#define crawl_frontier_free free_with_directory
#endif

static inline void check(crawl_frontier *frontier)
{
    const char *failed = check_frontier(frontier, NULL);
    cr_assert_null(failed, "%s", failed);
}

static inline uint8_t push_request(crawl_frontier *frontier, crawl_request request, int64_t now)
{
    uint8_t result = 99;
    crawl_err err = crawl_frontier_push(frontier, &request, 1, (crawl_slice){0}, &result, NULL, now);
    cr_assert(err == CRAWL_OK || err == CRAWL_FULL, "%s", crawl_strerror(err));
    check(frontier);
    return result;
}

static inline void push_new(crawl_frontier *frontier, const char *url, uint32_t depth, int32_t priority, int64_t now)
{
    cr_assert_eq(push_request(frontier, request_for(url, depth, priority), now), CRAWL_PUSHED_NEW, "%s", url);
}

static inline void push_urgent(crawl_frontier *frontier, const char *url, int64_t now)
{
    crawl_request request = request_for(url, 0, 0);
    cr_assert_eq(crawl_frontier_push_urgent(frontier, &request, now), CRAWL_OK);
    check(frontier);
}

/* Pops and expects this URL. Returns the lease. */
static inline crawl_lease pop(crawl_frontier *frontier, const char *url, int64_t now)
{
    crawl_lease lease = {0};
    crawl_err err = crawl_frontier_pop(frontier, now, &lease, NULL);
    cr_assert_eq(err, CRAWL_OK, "%s at %lld: %s", url, (long long)now, crawl_strerror(err));
    cr_assert(crawl_slice_equal(lease.url, crawl_slice_from(url)), "got %.*s, expected %s", (int)lease.url.size,
              lease.url.data, url);
    check(frontier);
    return lease;
}

/* Pops and expects that there is nothing for exactly this time. */
static inline void pop_again(crawl_frontier *frontier, int64_t now, int64_t expected)
{
    crawl_lease lease;
    int64_t wait = -1;
    crawl_err err = crawl_frontier_pop(frontier, now, &lease, &wait);
    cr_assert_eq(err, CRAWL_AGAIN, "%s", crawl_strerror(err));
    cr_assert_eq(wait, expected, "waits %lld, expected %lld", (long long)wait, (long long)expected);
    check(frontier);
}

static inline void pop_drained(crawl_frontier *frontier, int64_t now)
{
    crawl_lease lease;
    crawl_err err = crawl_frontier_pop(frontier, now, &lease, NULL);
    cr_assert_eq(err, CRAWL_DRAINED, "%s", crawl_strerror(err));
}

static inline void done(crawl_frontier *frontier, crawl_lease lease, crawl_outcome outcome, int64_t at, int64_t now)
{
    cr_assert_eq(crawl_frontier_done(frontier, lease.id, outcome, at, now), CRAWL_OK);
    check(frontier);
}

static inline void finish(crawl_frontier *frontier, crawl_lease lease, int64_t now)
{
    done(frontier, lease, CRAWL_DONE_FINISHED, 0, now);
}

/* Pops, expects this URL, and finishes it. */
static inline void visit(crawl_frontier *frontier, const char *url, int64_t now)
{
    finish(frontier, pop(frontier, url, now), now);
}

static inline crawl_frontier_stats stats_of(crawl_frontier *frontier, int64_t now)
{
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(frontier, now, &stats);
    return stats;
}
