/* The hosts that have answered with a wall or a challenge instead of a page, for the summary, and for the end of a
 * crawl that has nothing else left. Memory: 16 bytes per such host. Thread-safe. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>

typedef struct cw_host_walled cw_host_walled;

/* NULL: out of memory. Free it before the records of the hosts. */
cw_host_walled *cw_host_walled_create(void);
void cw_host_walled_free(cw_host_walled *walled);

/* Adds a host at its first wall. host: NULL if its record may go away; then the host is only counted. service: a
 * constant. CRAWL_ENOMEM. */
crawl_err cw_host_walled_add(cw_host_walled *walled, cw_host_record *host, const char *service);

/* The hosts that are given up for their walls and have something queued. */
typedef struct cw_host_walled_queue {
    uint64_t hosts;
    uint64_t requests;
} cw_host_walled_queue;

cw_host_walled_queue cw_host_walled_queued(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms);

/* Lifts the blocks of these hosts, so that the next process asks them. Closing the frontier reports a failure. */
void cw_host_walled_lift(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms);

/* Fills in the figures of the hosts. */
void cw_host_walled_stats(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms, crawl_engine_stats *out);
