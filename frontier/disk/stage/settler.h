/* The thread that settles beside the calls, and what keeps calls from being faster than it: a stage that fills while
 * the other one is settled may be as full as that is settled, beyond its first half. A faster caller waits, without a
 * lock, for the next step of the settling; so no call waits for the whole of it, and the two stages bound what is in
 * memory. The log of what is done has the same bound. */
#pragma once

#include <crawl/frontier.h>

#include <pthread.h>
#include <stdatomic.h>

typedef struct cw_disk_settler {
    crawl_frontier *frontier;
    pthread_t thread;
    _Atomic bool stop;
    _Atomic bool working;    /* a settling is under way, and the thread at it */
    _Atomic unsigned filled; /* of the stage or the log that is being filled, in thousandths; whichever is more */
    pthread_mutex_t guard;   /* of the rest: */
    pthread_cond_t wanted;
    pthread_cond_t advanced;
    bool asked;
    unsigned waiting; /* calls */
} cw_disk_settler;

/* Starts the thread. CRAWL_ENOMEM: it cannot be. */
crawl_err cw_disk_settler_start(cw_disk_settler *settler, crawl_frontier *frontier);
/* Ends it, within a step of its settling, which cw_disk_settle can bring to its end. */
void cw_disk_settler_stop(cw_disk_settler *settler);

/* After a push, or the end of a request, under the frontier's lock: begins to settle if there is as much as there may
 * be. A change that there is no memory for is tried again. */
void cw_disk_settle_if_due(crawl_frontier *frontier);

/* Without the frontier's lock: waits while more was pushed or ended than is good. */
void cw_disk_settler_wait(cw_disk_settler *settler);
