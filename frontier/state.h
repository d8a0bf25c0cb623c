/* The frontier's own structure, for the files that implement its public calls. One mutex guards all of it. While it is
 * held, no function of the caller's is called, and no lock is taken but those of the store, which come after it.
 *
 *   frontier.c, push*.c, done.c, host_calls.c, stats.c   public calls: lock, clock, wake-up
 *   walk.c                             the same: all hosts, a few at a time
 *   create.c                           creation and destruction
 *   schedule.c, hosts.c                when: hosts, pauses, blocks, and what is waited for
 *   queue.c, item.c                    what: requests in order
 *   lease.c                            requests that are out
 *   forget.c, forgets.c                requests to remove from the seen-set at a date
 *   store.h, memory_store.c, disk/     where requests, hosts, dates and notes are kept */
#pragma once

#include "frontier/hosts/schedule.h"
#include "frontier/store.h"

#include <pthread.h>

/* The promise that the last pop gave its caller. */
typedef enum cw_frontier_promise {
    CW_PROMISE_NONE,   /* it gave a lease */
    CW_PROMISE_TIME,   /* nothing before crawl_frontier.promised */
    CW_PROMISE_DRAINED /* nothing, ever */
} cw_frontier_promise;

struct crawl_frontier {
    pthread_mutex_t lock;
    crawl_frontier_options options;
    crawl_bloom *seen;
    cw_frontier_memory memory;
    cw_frontier_hosts hosts;
    cw_frontier_schedule schedule;
    cw_frontier_leases leases;
    cw_frontier_forgets forgets;
    cw_frontier_store store;
    cw_frontier_sequence sequence;
    int64_t now; /* latest time given by any call */
    cw_frontier_promise promise;
    int64_t promised;
    bool is_sought; /* a host came with urgent requests, whose callers (pop_host) have no promise: leave tells them */
    uint32_t deepest; /* with by_depth: no request was found deeper, up to CRAWL_DEPTHS_MAX */
    uint64_t queued;
    uint64_t urgent; /* queued or leased, from push_urgent */
    uint64_t pushed;
    uint64_t accepted;
    uint64_t refused_seen;
    uint64_t refused_full;
    uint64_t finished;
    uint64_t again;           /* of these, by done_again */
    uint64_t revisits;        /* queued or leased, with a visit above 1 */
    uint64_t revisits_leased; /* of these, leased */
};

/* Every public call runs between these two. Enter locks, and returns the caller's time, corrected so that it does not
 * go back and is before CRAWL_FOREVER. Leave unlocks, and calls on_ready if something became poppable sooner than the
 * last pop said. */
int64_t cw_frontier_enter(crawl_frontier *frontier, int64_t now_ms);
void cw_frontier_leave(crawl_frontier *frontier);

/* Returns CRAWL_OK, or why the store has failed. */
static inline crawl_err cw_frontier_failed(crawl_frontier *frontier)
{
    return frontier->store.failure ? frontier->store.failure(frontier, NULL) : CRAWL_OK;
}

/* Leaves, and waits until all writes are as safe as the options ask for. Returns err, or the error of waiting. */
crawl_err cw_frontier_leave_written(crawl_frontier *frontier, crawl_err err);

/* Fills *options completely from the caller's, and checks all but the filter's. CRAWL_EINVAL. */
crawl_err cw_frontier_take_options(const crawl_frontier_options *given, crawl_frontier_options *options,
                                   crawl_error *error);
/* Creates a frontier with nothing in it. Takes ownership of seen, even on failure. CRAWL_ENOMEM. */
crawl_err cw_frontier_make(const crawl_frontier_options *options, crawl_bloom *seen, crawl_frontier **out,
                           crawl_error *error);
/* Frees the frontier without writing anything: a durable one leaves on disk what a crash would leave. */
void cw_frontier_abandon(crawl_frontier *frontier);

/* Wakes the resting host for which time changes something first, if that is before all hosts in memory. CRAWL_ENOMEM,
 * or the store's error. */
crawl_err cw_frontier_rouse_soonest(crawl_frontier *frontier);

/* Keeps room for one more request in this queue of the host. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_keep(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue);

/* Updates counters, unused memory and place in the schedule. Call after any change to a host. */
void cw_frontier_settle(crawl_frontier *frontier, cw_frontier_host *host, int64_t now);
