/* Pages of numbered hosts, pushed in batches into a durable frontier, and the verification of its directory. */
#pragma once

#include "frontier/disk/disk.h"
#include "tests/unit/frontier/help.h"

static inline void url_of(char url[64], unsigned host, unsigned page)
{
    snprintf(url, 64, "http://host%u/%u", host, page);
}

/* Pushes pages [first, first + count) of a host as one batch. Returns how many were accepted. */
static inline size_t push_pages(crawl_frontier *f, unsigned host, unsigned first, unsigned count, int64_t now)
{
    enum { MOST = 200 };
    char urls[MOST][64];
    crawl_request requests[MOST];
    size_t accepted = 0;
    for (unsigned i = 0; i < count; i++) {
        url_of(urls[i], host, first + i);
        requests[i] = request_for(urls[i], 0, 0);
    }
    crawl_frontier_push(f, requests, count, crawl_slice_from("http://parent/"), NULL, &accepted, now);
    return accepted;
}

/* Expects no violation in the directory. */
static inline void check_directory(const char *path)
{
    uint64_t violations = 99;
    crawl_error error = {0};
    crawl_frontier_view *view = NULL;
    cr_assert_eq(crawl_frontier_view_open(path, &view, &error), CRAWL_OK, "%s", error.message);
    crawl_err err = crawl_frontier_view_check(view, (void (*)(const char *, void *))(void (*)(void))puts, NULL,
                                              &violations, &error);
    cr_assert_eq(err, CRAWL_OK, "%s", error.message);
    cr_assert_eq(violations, 0);
    crawl_frontier_view_free(view);
}
