#include "frontier/disk/sync.h"

#include "base/thread.h"
#include "frontier/disk/disk.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void sync_wake(cw_disk_sync *sync)
{
    eventfd_write(sync->wake, 1); /* fails only after 2^64 - 2 unread calls */
}

/* Sleeps until woken, or for `ms`; negative: until woken. */
static void wait(cw_disk_sync *sync, int ms)
{
    eventfd_t calls;
    struct pollfd ready = {.fd = sync->wake, .events = POLLIN};
    if (poll(&ready, 1, ms) == 1)
        eventfd_read(sync->wake, &calls);
}

/* Syncs the log of done requests first: its records of pushes that do not reach the disk are skipped. */
static crawl_err sync_bring_to_disk(cw_disk_sync *sync)
{
    crawl_error error = {0};
    uint64_t generation;
    uint64_t reached = cw_disk_database_sequence(&sync->disk->database);
    crawl_err err = cw_disk_donelog_sync(&sync->disk->donelog, &generation, &error);
    if (!err)
        err = cw_disk_database_sync(&sync->disk->database, &error);
    if (err)
        return cw_disk_fail(sync->disk, &error);
    cw_disk_witness_synced(&sync->disk->witness, reached);
    cw_disk_donelog_sweep(&sync->disk->donelog, generation);
    return CRAWL_OK;
}

/* Syncs the log before the snapshot: no key in the snapshot may be without its queued request. Without a snapshot the
 * log keeps growing and nothing is lost, so after a lack of memory or space the next attempt comes much later. */
static void write_snapshot(cw_disk_sync *sync)
{
    cw_disk *disk = sync->disk;
    crawl_error error = {0};
    crawl_err err = sync_bring_to_disk(sync);
    if (!err)
        err = cw_disk_journal_snapshot(&disk->journal, &disk->database, disk->directory, NULL, &error);
    if (err == CRAWL_ECORRUPT)
        cw_disk_fail(disk, &error);
    else if (err)
        cw_disk_journal_postpone(&disk->journal);
    atomic_store(&sync->asked, false);
}

/* An interval begins with the first write after a sync. */
static void *sync_run(void *argument)
{
    cw_disk_sync *sync = argument;
    while (!atomic_load(&sync->stop)) {
        wait(sync, -1);
        if (atomic_load(&sync->dirty) && sync->policy == CRAWL_SYNC_INTERVAL && !atomic_load(&sync->stop))
            wait(sync, sync->interval);
        if (cw_disk_failure(sync->disk))
            continue;
        if (atomic_exchange(&sync->dirty, false) && sync->policy == CRAWL_SYNC_INTERVAL)
            (void)sync_bring_to_disk(sync);
        if (cw_disk_journal_wants_snapshot(&sync->disk->journal) && !atomic_load(&sync->stop))
            write_snapshot(sync);
    }
    return NULL;
}

crawl_err cw_disk_sync_start(cw_disk_sync *sync, cw_disk *disk, crawl_sync policy, uint32_t interval_ms)
{
    *sync = (cw_disk_sync){.disk = disk, .policy = policy, .interval = (int)interval_ms};
    sync->wake = eventfd(0, EFD_CLOEXEC);
    if (sync->wake < 0)
        return CRAWL_ENOMEM;
    if (pthread_mutex_init(&sync->guard, NULL))
        goto close;
    if (pthread_cond_init(&sync->advanced, NULL))
        goto destroy_guard;
    if (cw_thread_start(&sync->thread, sync_run, sync) == 0)
        return CRAWL_OK;
    pthread_cond_destroy(&sync->advanced);
destroy_guard:
    pthread_mutex_destroy(&sync->guard);
close:
    close(sync->wake);
    return CRAWL_ENOMEM;
}

void cw_disk_sync_stop(cw_disk_sync *sync)
{
    atomic_store(&sync->stop, true);
    sync_wake(sync);
    pthread_join(sync->thread, NULL);
    pthread_cond_destroy(&sync->advanced);
    pthread_mutex_destroy(&sync->guard);
    close(sync->wake);
}

void cw_disk_sync_note(cw_disk_sync *sync)
{
    atomic_fetch_add(&sync->written, 1);
    bool first = !atomic_exchange(&sync->dirty, true) && sync->policy == CRAWL_SYNC_INTERVAL;
    bool full = cw_disk_journal_wants_snapshot(&sync->disk->journal) && !atomic_exchange(&sync->asked, true);
    if (first || full)
        sync_wake(sync);
}

crawl_err cw_disk_sync_now(cw_disk_sync *sync)
{
    uint64_t wanted = atomic_load(&sync->written);
    crawl_err err = CRAWL_OK;
    pthread_mutex_lock(&sync->guard);
    while (sync->synced < wanted && !err) {
        if (sync->syncing) {
            pthread_cond_wait(&sync->advanced, &sync->guard);
            continue;
        }
        uint64_t reached = atomic_load(&sync->written);
        sync->syncing = true;
        pthread_mutex_unlock(&sync->guard);
        err = sync_bring_to_disk(sync);
        pthread_mutex_lock(&sync->guard);
        sync->syncing = false;
        if (!err)
            sync->synced = reached;
        pthread_cond_broadcast(&sync->advanced);
    }
    pthread_mutex_unlock(&sync->guard);
    return err;
}

crawl_err cw_disk_sync_wait(cw_disk_sync *sync)
{
    return sync->policy == CRAWL_SYNC_ALWAYS ? cw_disk_sync_now(sync) : CRAWL_OK;
}
