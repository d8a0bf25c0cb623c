/* When what was written reaches the disk: one thread that brings it there at intervals and writes snapshots of the
 * seen-set, and the group commit of callers that wait for it. */
#pragma once

#include <crawl/frontier.h>

#include <pthread.h>
#include <stdatomic.h>

struct cw_disk;

typedef struct cw_disk_sync {
    struct cw_disk *disk;
    crawl_sync policy;
    int interval; /* ms */
    pthread_t thread;
    int wake; /* eventfd: something was written since the last sync, a snapshot is wanted, or the end */
    _Atomic bool stop;
    _Atomic bool dirty;       /* something was written since the last sync of the thread */
    _Atomic bool asked;       /* for a snapshot */
    _Atomic uint64_t written; /* batches */
    pthread_mutex_t guard;    /* of the group commit: */
    pthread_cond_t advanced;
    uint64_t synced; /* batches */
    bool syncing;
} cw_disk_sync;

/* Starts the thread. CRAWL_ENOMEM: it cannot be. */
crawl_err cw_disk_sync_start(cw_disk_sync *sync, struct cw_disk *disk, crawl_sync policy, uint32_t interval_ms);
/* Ends it; what it was at is brought to its end. */
void cw_disk_sync_stop(cw_disk_sync *sync);

/* A batch was written. Under the frontier's lock. */
void cw_disk_sync_note(cw_disk_sync *sync);

/* With CRAWL_SYNC_ALWAYS: waits until all that was written before is on the disk; callers share the syncs. Otherwise
 * does nothing. Without the frontier's lock. Failures are noted as the store's. */
crawl_err cw_disk_sync_wait(cw_disk_sync *sync);
/* The same whatever the policy. */
crawl_err cw_disk_sync_now(cw_disk_sync *sync);
