/* The thread that settles beside the calls, and the brake on calls that are faster than it: beyond its first half, the
 * stage being filled may be as full as the other one is settled. A faster caller waits, without a lock, for the next
 * step of the settling; so no call waits for all of it, and the two stages bound memory. The log of done requests has
 * the same bound. */
#pragma once

#include <crawl/frontier.h>

#include <pthread.h>
#include <stdatomic.h>

typedef struct cw_disk_settler {
    crawl_frontier *frontier;
    pthread_t thread;
    _Atomic bool stop;
    _Atomic bool working;    /* a settling is under way, and the thread is working on it */
    _Atomic unsigned filled; /* fill of the current stage or log, in thousandths; the larger of the two */
    pthread_mutex_t guard;   /* of the members below */
    pthread_cond_t wanted;
    pthread_cond_t advanced;
    bool asked;
    unsigned waiting; /* calls */
} cw_disk_settler;

/* Starts the thread. CRAWL_ENOMEM: it cannot be started. */
crawl_err cw_disk_settler_start(cw_disk_settler *settler, crawl_frontier *frontier);
/* Ends the thread within one step of its settling, which cw_disk_settle can finish. */
void cw_disk_settler_stop(cw_disk_settler *settler);

/* Begins to settle if stage or log is full. Call after a push or the end of a request, under the frontier's lock. If
 * memory is short, a later call tries again. */
void cw_disk_settle_if_due(crawl_frontier *frontier);

/* Waits while pushes or ends are too far ahead of the settling. Call without the frontier's lock. */
void cw_disk_settler_wait(cw_disk_settler *settler);
