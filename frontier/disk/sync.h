/* When writes reach the disk: one thread that syncs at intervals and writes snapshots of the seen-set, and the group
 * commit of callers that wait for it. */
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
    int wake; /* eventfd: something was written since the last sync, a snapshot is wanted, or shutdown */
    _Atomic bool stop;
    _Atomic bool dirty;       /* something was written since the thread's last sync */
    _Atomic bool asked;       /* for a snapshot */
    _Atomic uint64_t written; /* batches */
    pthread_mutex_t guard;    /* of the group commit: */
    pthread_cond_t advanced;
    uint64_t synced; /* batches */
    bool syncing;
} cw_disk_sync;

/* Starts the thread. CRAWL_ENOMEM: it cannot be started. */
crawl_err cw_disk_sync_start(cw_disk_sync *sync, struct cw_disk *disk, crawl_sync policy, uint32_t interval_ms);
/* Ends the thread after its current work. */
void cw_disk_sync_stop(cw_disk_sync *sync);

/* Notes that a batch was written. Call under the frontier's lock. */
void cw_disk_sync_note(cw_disk_sync *sync);

/* With CRAWL_SYNC_ALWAYS: waits until all earlier writes are on disk; callers share the syncs. Otherwise does nothing.
 * Call without the frontier's lock. Failures are recorded as the store's. */
crawl_err cw_disk_sync_wait(cw_disk_sync *sync);
/* The same whatever the policy. */
crawl_err cw_disk_sync_now(cw_disk_sync *sync);
