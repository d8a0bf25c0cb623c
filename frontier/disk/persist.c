#include "frontier/disk/persist.h"

#include "frontier/disk/disk_figures.h"
#include "frontier/disk/stage/settle.h"

#define HOSTS_AT_ONCE 1000u /* records of hosts per write at shutdown */

void cw_disk_persist_host_of(crawl_frontier *frontier, cw_frontier_host *host)
{
    if (!host->stored)
        cw_disk_put_host(cw_disk_of(frontier), host);
    host->stored = true;
}

void cw_disk_persist_new(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                         const cw_frontier_item *item)
{
    cw_disk_persist_host_of(frontier, host);
    cw_disk_put_ready(cw_disk_of(frontier), host, key, item);
}

crawl_err cw_disk_persist_urgent(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                                 const cw_frontier_item *item)
{
    cw_disk *disk = cw_disk_of(frontier);
    size_t room = cw_disk_request_room(item, item->parent ? item->parent->size : 0);
    size_t host_room = cw_disk_host_room(cw_frontier_host_origin(host));
    crawl_err err = cw_disk_reserve(disk, room > host_room ? room : host_room);
    if (err)
        return err;
    cw_disk_begin(disk);
    cw_disk_persist_new(frontier, host, key, item);
    cw_disk_figures_write(frontier, 0);
    return cw_disk_commit(disk);
}

/* Deletes the request from where it stands: the stage or the queue. */
static void persist_drop(crawl_frontier *frontier, const cw_frontier_lease *lease, cw_heap_key key)
{
    cw_disk *disk = cw_disk_of(frontier);
    bool staged = lease->item->flags & CW_ITEM_STAGED &&
                  cw_disk_settling_overtake(disk, cw_disk_name_of(lease->host, key, lease->item), lease->item);
    lease->item->flags &= (uint8_t)~CW_ITEM_STAGED;
    if (staged)
        cw_disk_figures_write(frontier, 0);
    else
        cw_disk_drop_ready(disk, lease->host, key, lease->item);
}

/* Logs the common end: a record in the log of done requests. CRAWL_ENOMEM: it is full, and the one before is not
 * settled. */
static crawl_err log_done(crawl_frontier *frontier, const cw_frontier_lease *lease, cw_heap_key key)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_error error = {0};
    crawl_err err = cw_disk_failure(disk);
    if (!err && cw_disk_donelog_is_full(&disk->donelog))
        cw_disk_settle_if_due(frontier);
    if (!err && cw_disk_donelog_is_full(&disk->donelog))
        err = CRAWL_ENOMEM;
    if (err)
        return err;
    uint8_t flags = lease->item->flags & CW_ITEM_MOVED ? CW_DONE_MOVED : 0;
    if (lease->item->flags & cw_disk_stage_flag(&disk->windows.stage))
        flags |= CW_DONE_STAGED;
    err = cw_disk_donelog_append(&disk->donelog, cw_disk_name_of(lease->host, key, lease->item), flags,
                                 cw_disk_database_sequence(&disk->database), &error);
    if (!err)
        err = cw_disk_witness_done(&disk->witness, &error);
    if (err)
        return cw_disk_fail(disk, &error);
    if (disk->running)
        cw_disk_sync_note(&disk->sync);
    cw_disk_settle_if_due(frontier);
    return CRAWL_OK;
}

static void persist_return(crawl_frontier *frontier, const cw_frontier_lease *lease, cw_heap_key key,
                           crawl_outcome outcome, int64_t at, int64_t now)
{
    cw_disk *disk = cw_disk_of(frontier);
    if (at <= now && outcome == CRAWL_DONE_RETURN)
        return; /* its record stays as it was */
    bool staged = lease->item->flags & CW_ITEM_STAGED;
    lease->item->flags |= CW_ITEM_MOVED;
    if (at > now || staged)
        persist_drop(frontier, lease, key);
    if (at <= now) {
        cw_disk_put_ready(disk, lease->host, key, lease->item);
        return;
    }
    cw_disk_put_delayed(disk, lease->host, (cw_heap_key){.high = cw_heap_key_of_time(at), .low = lease->sequence},
                        lease->item);
}

static bool comes_back(crawl_outcome outcome)
{
    return outcome == CRAWL_DONE_RETRY || outcome == CRAWL_DONE_RETURN;
}

static crawl_err write_end(crawl_frontier *frontier, const cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                           int64_t now)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_heap_key key = cw_frontier_order_key(frontier->options.order, lease->item, lease->sequence);
    bool logged = false;
    bool plain = outcome == CRAWL_DONE_FINISHED && !cw_frontier_item_visits(lease->item); /* others change figures */
    crawl_err err = plain ? log_done(frontier, lease, key) : CRAWL_ENOMEM;
    if (err != CRAWL_ENOMEM)
        return err;
    cw_disk_settling_hold(disk);
    cw_disk_begin(disk);
    if (comes_back(outcome))
        persist_return(frontier, lease, key, outcome, at, now);
    else
        persist_drop(frontier, lease, key);
    if (!comes_back(outcome) && cw_frontier_item_visits(lease->item))
        cw_disk_figures_write(frontier, 0);
    if (outcome == CRAWL_DONE_FORGET)
        logged = cw_disk_dates_end(frontier, lease, at, now);
    err = cw_disk_rocksdb.writebatch_count(disk->batch) ? cw_disk_commit(disk) : cw_disk_failure(disk);
    cw_disk_settling_release(disk);
    if (!err && logged)
        cw_disk_journal_wrote(&disk->journal, 1);
    return err;
}

crawl_err cw_disk_persist_done(crawl_frontier *frontier, cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                               int64_t now)
{
    crawl_err err = write_end(frontier, lease, outcome, at, now);
    cw_frontier_leases_unlink(&frontier->leases, lease);
    return err;
}

crawl_err cw_disk_persist_again(crawl_frontier *frontier, cw_frontier_lease *lease, cw_frontier_item *next,
                                uint64_t sequence, int64_t at, int64_t now)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_order order = frontier->options.order;
    cw_heap_key key = cw_frontier_order_key(order, next, sequence);
    next->flags &= (uint8_t) ~(CW_ITEM_MOVED | CW_ITEM_STAGED); /* nothing was ever written under another sequence */
    if (sequence == lease->sequence) {
        lease->item->flags |= CW_ITEM_MOVED;
        next->flags |= CW_ITEM_MOVED;
    }
    cw_disk_settling_hold(disk);
    cw_disk_begin(disk);
    persist_drop(frontier, lease, cw_frontier_order_key(order, lease->item, lease->sequence));
    if (at > now)
        cw_disk_put_delayed(disk, lease->host, (cw_heap_key){.high = cw_heap_key_of_time(at), .low = sequence}, next);
    else
        cw_disk_put_ready(disk, lease->host, key, next);
    cw_disk_figures_write(frontier, 0);
    cw_frontier_leases_unlink(&frontier->leases, lease);
    crawl_err err = cw_disk_commit(disk);
    cw_disk_settling_release(disk);
    return err;
}

crawl_err cw_disk_persist_host(crawl_frontier *frontier, cw_frontier_host *host)
{
    cw_disk_begin(cw_disk_of(frontier));
    cw_disk_put_host(cw_disk_of(frontier), host);
    cw_disk_figures_write(frontier, 0);
    crawl_err err = cw_disk_commit(cw_disk_of(frontier));
    host->stored |= !err;
    return err;
}

/* Queues leased requests again, in the room kept for them: on disk they stand where they stood. */
static void persist_take_back(crawl_frontier *frontier)
{
    for (uint32_t i = 0; i < frontier->leases.count; i++) {
        cw_frontier_lease *lease = &frontier->leases.slots[i];
        if (!lease->host)
            continue;
        cw_frontier_host *host = lease->host;
        cw_heap_key key = cw_frontier_order_key(frontier->options.order, lease->item, lease->sequence);
        cw_frontier_leases_unlink(&frontier->leases, lease);
        cw_frontier_queue_put(cw_frontier_host_queue_of(host, lease->item), key, lease->item);
        cw_frontier_leases_close(&frontier->leases, &frontier->memory, lease);
        host->changed = true;
    }
}

static crawl_err write_hosts(crawl_frontier *frontier)
{
    size_t cursor = 0;
    uint32_t count = 0;
    crawl_err err = CRAWL_OK;
    cw_disk_begin(cw_disk_of(frontier));
    for (cw_frontier_host *host; !err && (host = cw_map_next(frontier->hosts.map, &cursor));) {
        if (!host->changed)
            continue;
        cw_disk_put_host(cw_disk_of(frontier), host);
        if (++count % HOSTS_AT_ONCE == 0) {
            err = cw_disk_commit(cw_disk_of(frontier));
            cw_disk_begin(cw_disk_of(frontier));
        }
    }
    cw_disk_figures_write(frontier, 0);
    return err ? err : cw_disk_commit(cw_disk_of(frontier));
}

static crawl_err write_clean(cw_disk *disk, crawl_error *error)
{
    crawl_err err = cw_disk_figures_set_clean(disk, true, error);
    return err ? err : cw_disk_witness_end(&disk->witness, cw_disk_database_sequence(&disk->database), error);
}

crawl_err cw_disk_persist_end(crawl_frontier *frontier, crawl_error *error)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_why(disk, error);
    if (err)
        return err;
    persist_take_back(frontier);
    err = cw_disk_settle(frontier);
    if (!err)
        err = write_hosts(frontier);
    if (err)
        return cw_disk_why(disk, error) ? err : crawl_error_set(error, err, "no memory for a write");
    if (atomic_load(&disk->journal.last) > disk->journal.snapshot) {
        err = cw_disk_database_sync(&disk->database, error);
        if (!err)
            err = cw_disk_journal_snapshot(&disk->journal, &disk->database, disk->directory, frontier->seen, error);
    }
    return err ? err : write_clean(disk, error);
}
