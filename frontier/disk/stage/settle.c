#include "frontier/disk/stage/settle.h"

#include "frontier/disk/disk_figures.h"
#include "frontier/disk/log/leftover.h"
#include "frontier/state.h"

#include <time.h>

/* Puts that justify a file: the next settling then begins with an empty table in memory. Deletions alone do not: a file
 * of nothing else would be compacted at once, with everything it overlaps. */
#define FLUSH_PUTS 20000u

/* How long others can take the frontier's lock between two tell steps. */
#define NAP_NS 20000

/* Hosts and requests are scattered in memory: each is prefetched this many changes before it is needed. First the host,
 * then its array, then the requests in it. */
enum { HOST_AHEAD = 24, ENTRIES_AHEAD = 16, ITEMS_AHEAD = 8 };

void cw_disk_settling_hold(cw_disk *disk)
{
    pthread_mutex_lock(&disk->settling.guard);
}

void cw_disk_settling_release(cw_disk *disk)
{
    pthread_mutex_unlock(&disk->settling.guard);
}

/* Keeps anything more from being put under this name, and a refill from taking the record there for a request of the
 * stage. Before the changes exist, gathering them finds the record that says the request is gone. */
static void pass_by(cw_disk_settling *settling, cw_disk_queue_key name)
{
    int phase = atomic_load(&settling->phase);
    bool there = phase == CW_SETTLING_WRITING || phase == CW_SETTLING_WRITTEN;
    cw_disk_change *change = there ? cw_disk_changes_find(&settling->changes, name) : NULL;
    if (change)
        change->over = true;
}

/* It does not matter whether the request was put already: deleting an absent record does no harm. */
bool cw_disk_settling_overtake(cw_disk *disk, cw_disk_queue_key name, const cw_frontier_item *item)
{
    if (!(item->flags & cw_disk_stage_flag(&disk->windows.stage))) {
        pass_by(&disk->settling, name);
        if (atomic_load(&disk->settling.phase) == CW_SETTLING_WRITTEN)
            return false;
        cw_disk_drop(disk, name, true);
    }
    cw_disk_put_gone(disk, name);
    return true;
}

static crawl_err write_boundary(cw_disk *disk)
{
    cw_disk_begin(disk);
    cw_disk_boundary_write(&disk->settling.boundary, &disk->database, disk->batch);
    return cw_disk_commit(disk);
}

/* Switches stage and log, once the database knows of the boundary. */
static crawl_err take_turns(cw_disk *disk)
{
    crawl_error error = {0};
    if (cw_disk_witness_turned(&disk->witness, &error))
        return cw_disk_fail(disk, &error);
    cw_disk_donelog_turn(&disk->donelog);
    disk->windows.stage.odd = !disk->windows.stage.odd;
    atomic_store(&disk->settling.phase, CW_SETTLING_BEGUN);
    return CRAWL_OK;
}

crawl_err cw_disk_settle_begin(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_error error = {0};
    crawl_err err = cw_disk_failure(disk);
    if (!err)
        err = cw_disk_donelog_prepare(&disk->donelog, &error);
    if (err && err != CRAWL_ENOMEM)
        err = cw_disk_fail(disk, &error);
    disk->settling.boundary =
        (cw_disk_boundary){.there = true, .batch = disk->windows.stage.batch, .records = disk->donelog.names.count};
    if (!err)
        err = write_boundary(disk);
    return err ? err : take_turns(disk);
}

/* Shared by the walks over the stage. */
typedef struct gathering {
    cw_disk_changes *changes;
    uint64_t number; /* of the current record */
} gathering;

static crawl_err gather_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    gathering *g = user;
    return record.size ? cw_disk_changes_put(g->changes, name, record, parent, g->number)
                       : cw_disk_changes_add(g->changes, name, CW_CHANGE_GONE);
}

/* Beyond the boundary: a request gone meanwhile may have been in the stage being settled. */
static crawl_err pass_by_gone(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    gathering *g = user;
    (void)parent;
    cw_disk_change *put = record.size ? NULL : cw_disk_changes_find(g->changes, name);
    if (put)
        put->over = true;
    return CRAWL_OK;
}

static uint8_t settle_kind_of(const cw_disk_done *done)
{
    if (done->flags & CW_DONE_STAGED)
        return CW_CHANGE_GONE;
    return done->flags & CW_DONE_MOVED ? CW_CHANGE_DELETE_MOVED : CW_CHANGE_DELETE;
}

/* Reads what only the settling can change by now: the records up to the boundary, and the previous log. */
static crawl_err settle_gather(cw_disk *disk, gathering *g, crawl_error *error)
{
    const cw_disk_done_names *done = &disk->donelog.before;
    uint64_t boundary = disk->settling.boundary.batch;
    crawl_err err =
        cw_disk_stage_walk(&disk->database, disk->windows.stage.settled, boundary, &g->number, gather_staged, g, error);
    for (uint32_t i = 0; i < done->count && !err; i++)
        err = cw_disk_changes_add(g->changes, done->all[i].name, settle_kind_of(&done->all[i]));
    if (err)
        return err;
    cw_disk_changes_sort(g->changes);
    g->number = boundary;
    return cw_disk_stage_walk(&disk->database, boundary, UINT64_MAX, &g->number, pass_by_gone, g, error);
}

/* Looks at the last records beyond the boundary under the lock; from here on, a request that overtakes finds its
 * change. */
static crawl_err publish(crawl_frontier *frontier, gathering *g, crawl_error *error)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_disk_settling *settling = &disk->settling;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = CRAWL_OK;
    if (g->number < disk->windows.stage.batch)
        err = cw_disk_stage_walk(&disk->database, g->number, UINT64_MAX, &g->number, pass_by_gone, g, error);
    if (!err) {
        settling->changes = *g->changes;
        atomic_store(&settling->written, 0);
        atomic_store(&settling->told, 0);
        atomic_store(&settling->all, g->changes->count);
        atomic_store(&settling->phase, CW_SETTLING_WRITING);
    }
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

static crawl_err gather_step(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_error error = {0};
    cw_disk_changes changes = {0};
    gathering g = {.changes = &changes};
    crawl_err err = settle_gather(disk, &g, &error);
    if (!err)
        err = publish(frontier, &g, &error);
    if (!err)
        return CRAWL_OK;
    cw_disk_changes_free(&changes);
    return err == CRAWL_ENOMEM ? err : cw_disk_fail(disk, &error);
}

static crawl_err add_change(cw_disk *disk, const cw_disk_change *change)
{
    cw_disk_settling *settling = &disk->settling;
    crawl_slice name = CW_DISK_SLICE_OF_KEY(change->name);
    if (change->kind == CW_CHANGE_DELETE)
        cw_disk_database_delete_single(&disk->database, settling->batch, CW_FAMILY_QUEUE, name);
    else if (change->kind == CW_CHANGE_DELETE_MOVED)
        cw_disk_database_delete(&disk->database, settling->batch, CW_FAMILY_QUEUE, name);
    if (change->kind != CW_CHANGE_PUT || change->over)
        return CRAWL_OK;
    crawl_err err = cw_disk_changes_record(&settling->changes, change, &settling->scratch);
    if (!err)
        cw_disk_database_put(&disk->database, settling->batch, CW_FAMILY_QUEUE, name,
                             crawl_buf_slice(&settling->scratch));
    return err;
}

/* Writes the next changes, `next` of which must exist, and the progress, in one write. */
static crawl_err settle_write_some(cw_disk *disk, size_t next, crawl_error *error)
{
    cw_disk_settling *settling = &disk->settling;
    const cw_disk_change *all = settling->changes.all + atomic_load(&settling->written);
    crawl_err err = CRAWL_OK;
    cw_disk_rocksdb.writebatch_clear(settling->batch);
    for (size_t i = 0; i < next && !err; i++)
        err = add_change(disk, &all[i]);
    if (err)
        return err;
    settling->boundary.begun = true;
    settling->boundary.last = all[next - 1].name;
    cw_disk_boundary_write(&settling->boundary, &disk->database, settling->batch);
    err = cw_disk_database_write(&disk->database, settling->batch, false, error);
    return err ? cw_disk_fail(disk, error) : CRAWL_OK;
}

/* Tells the database, which then drops the stage up to the boundary. */
static crawl_err settle_end(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_disk_settling *settling = &disk->settling;
    pthread_mutex_lock(&frontier->lock);
    cw_disk_begin(disk);
    cw_disk_leftover_end(disk, disk->windows.stage.settled, settling->boundary.batch, disk->donelog.generation);
    cw_disk_figures_write(frontier, 0);
    crawl_err err = cw_disk_commit(disk);
    if (!err) {
        cw_disk_donelog_settled(&disk->donelog);
        disk->windows.stage.settled = settling->boundary.batch;
        atomic_store(&settling->phase, CW_SETTLING_WRITTEN);
    }
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

static crawl_err write_step(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_disk_settling *settling = &disk->settling;
    crawl_error error = {0};
    size_t next = settling->changes.count - atomic_load(&settling->written);
    if (!next)
        return settle_end(frontier);
    if (next > CW_DISK_SETTLE_AT_ONCE)
        next = CW_DISK_SETTLE_AT_ONCE;
    pthread_mutex_lock(&settling->guard);
    crawl_err err = settle_write_some(disk, next, &error);
    if (!err)
        atomic_fetch_add(&settling->written, next);
    pthread_mutex_unlock(&settling->guard);
    if (!err && disk->running)
        cw_disk_sync_note(&disk->sync);
    return err;
}

static cw_frontier_host *settle_host_of(const crawl_frontier *frontier, size_t i)
{
    const cw_disk_changes *changes = &cw_disk_of(frontier)->settling.changes;
    return i < changes->count ? cw_frontier_hosts_at(&frontier->hosts, cw_disk_change_host(&changes->all[i])) : NULL;
}

/* A host takes two or three cache lines; the middle one is not needed. */
static void settle_expect(const crawl_frontier *frontier, size_t i)
{
    const cw_frontier_host *host = settle_host_of(frontier, i + HOST_AHEAD);
    if (host) {
        __builtin_prefetch(host, 1);
        __builtin_prefetch((const char *)host + sizeof *host - 1, 1);
    }
    host = settle_host_of(frontier, i + ENTRIES_AHEAD);
    if (host)
        __builtin_prefetch(host->queues[CW_NORMAL].entries, 1);
    host = settle_host_of(frontier, i + ITEMS_AHEAD);
    for (uint32_t j = 0; host && j < host->queues[CW_NORMAL].ready && j < ITEMS_AHEAD; j++)
        __builtin_prefetch(host->queues[CW_NORMAL].entries[j].value, 1);
}

/* Marks the requests of the host, queued and leased, as those of its queue on disk. Returns how many were examined. */
static size_t settle_tell_host(crawl_frontier *frontier, cw_frontier_host *host)
{
    uint8_t flag = cw_disk_stage_settling_flag(&cw_disk_of(frontier)->windows.stage);
    cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    size_t looked = 1 + queue->ready;
    for (const cw_frontier_lease *lease = cw_frontier_leases_of(&frontier->leases, host); lease;
         lease = cw_frontier_leases_next_of(&frontier->leases, lease))
        lease->item->flags &= (uint8_t)~flag;
    if (queue->tail && cw_disk_window_of(queue)->staged) {
        cw_disk_tail_settled(queue, flag);
        cw_frontier_queue_trim(queue, &frontier->memory);
    }
    return looked;
}

/* Updates the hosts of the next changes. Their requests are then only on disk, except for a window. */
static void tell_some(crawl_frontier *frontier)
{
    cw_disk_settling *settling = &cw_disk_of(frontier)->settling;
    const cw_disk_changes *changes = &settling->changes;
    size_t i = atomic_load(&settling->told);
    for (size_t looked = 0; i < changes->count && looked < CW_DISK_SETTLE_AT_ONCE;) {
        uint32_t number = cw_disk_change_host(&changes->all[i]);
        cw_frontier_host *host = cw_frontier_hosts_at(&frontier->hosts, number);
        bool put = false;
        for (; i < changes->count && cw_disk_change_host(&changes->all[i]) == number; i++) {
            put |= changes->all[i].kind == CW_CHANGE_PUT;
            if (changes->puts)
                settle_expect(frontier, i);
        }
        atomic_store(&settling->told, i);
        looked += put && host ? settle_tell_host(frontier, host) : 1;
    }
}

static crawl_err tell_step(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_disk_settling *settling = &disk->settling;
    cw_disk_changes over = {0};
    pthread_mutex_lock(&frontier->lock);
    tell_some(frontier);
    bool all = atomic_load(&settling->told) == settling->changes.count;
    if (all) {
        over = settling->changes;
        settling->changes = (cw_disk_changes){0};
        atomic_store(&settling->all, 0);
        atomic_store(&settling->phase, CW_SETTLING_NONE);
    }
    pthread_mutex_unlock(&frontier->lock);
    if (over.puts >= FLUSH_PUTS)
        cw_disk_database_flush(&disk->database, CW_FAMILY_QUEUE);
    cw_disk_changes_free(&over);
    return CRAWL_OK;
}

static crawl_err (*const steps[])(crawl_frontier *frontier) = {
    [CW_SETTLING_BEGUN] = gather_step, [CW_SETTLING_WRITING] = write_step, [CW_SETTLING_WRITTEN] = tell_step};

crawl_err cw_disk_settle_on(crawl_frontier *frontier, const _Atomic bool *stop, void (*each_step)(void *user),
                            void *user)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_failure(disk);
    while (!err && cw_disk_settling_is_under_way(&disk->settling) && !(stop && atomic_load(stop))) {
        int phase = atomic_load(&disk->settling.phase);
        const struct timespec nap = {.tv_nsec = NAP_NS};
        err = steps[phase](frontier);
        if (each_step)
            each_step(user);
        if (stop && phase == CW_SETTLING_WRITTEN)
            nanosleep(&nap, NULL);
    }
    return err;
}

crawl_err cw_disk_settle(crawl_frontier *frontier)
{
    cw_disk_settling *settling = &cw_disk_of(frontier)->settling;
    pthread_mutex_lock(&settling->work);
    crawl_err err = cw_disk_settle_on(frontier, NULL, NULL, NULL);
    pthread_mutex_lock(&frontier->lock);
    if (!err && !cw_disk_settling_is_under_way(settling))
        err = cw_disk_settle_begin(frontier);
    pthread_mutex_unlock(&frontier->lock);
    if (!err)
        err = cw_disk_settle_on(frontier, NULL, NULL, NULL);
    pthread_mutex_unlock(&settling->work);
    return err;
}
