/* Shared by the files of `crawl inspect`: the command line, the view of the directory, and functions that print. */
#pragma once

#include "crawler/program/redis/remote.h"
#include "tools/common/io.h"
#include <crawl/frontier.h>
#include <crawl/sys/explain.h>

typedef struct cw_inspect {
    const char *directory; /* or the URL of a crawl in Redis */
    const char *config;    /* file; NULL: the default */
    crawl_slice origin;    /* limits the requests to this one; empty: all */
    bool jsonl;
    bool yes;       /* drop a crawl without asking */
    int64_t now_ms; /* wall clock */
    crawl_frontier_view *view;
    int status; /* of the program, unless something fails */
} cw_inspect;

/* Print to standard output. CRAWL_EIO, CRAWL_ECORRUPT: the directory cannot be read; cw_inspect_check has then printed
 * nothing, unless standard output failed. CRAWL_ENOMEM. */
crawl_err cw_inspect_summary(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_hosts(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_queue(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_filter(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_check(cw_inspect *inspect, crawl_error *error);

/* Does all of these for a crawl in Redis. word: of the option that chooses one; NULL: the summary. CRAWL_EINVAL: the
 * URL, the password or the server's configuration; CRAWL_ENET, CRAWL_ABSENT, CRAWL_ECORRUPT: it cannot be read. */
crawl_err cw_inspect_shared(cw_inspect *inspect, const char *word, crawl_error *error);

/* Print the figures of a filter; one violation; and, as the last line, the number of violations, which decides the
 * status. */
crawl_err cw_inspect_print_filter(const cw_inspect *inspect, const crawl_bloom_stats *stats, crawl_bloom_kind kind);
void cw_inspect_print_violation(const char *violation, void *inspect);
crawl_err cw_inspect_print_violations(cw_inspect *inspect, const char *where, uint64_t violations);
