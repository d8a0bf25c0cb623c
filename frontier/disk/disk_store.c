
#include "frontier/disk/disk.h"
#include "frontier/disk/disk_notes.h"
#include "frontier/disk/persist.h"
#include "frontier/disk/stage/settle.h"
#include "frontier/disk/stage/tail.h"

static crawl_err reserve_request(crawl_frontier *frontier, const cw_frontier_item *item,
                                 const cw_frontier_parent *parent)
{
    return cw_disk_reserve(cw_disk_of(frontier), cw_disk_request_room(item, parent ? parent->size : 0));
}

static crawl_err reserve_host(crawl_frontier *frontier, const cw_frontier_host *host)
{
    return cw_disk_reserve(cw_disk_of(frontier), cw_disk_host_room(cw_frontier_host_origin(host)));
}

static void link_lease(crawl_frontier *frontier, cw_frontier_lease *lease)
{
    cw_frontier_leases_link(&frontier->leases, lease);
}

static crawl_err wait_for_others(crawl_frontier *frontier)
{
    cw_disk_settler_wait(&cw_disk_of(frontier)->settler);
    return cw_disk_sync_wait(&cw_disk_of(frontier)->sync);
}

static crawl_err sync_now(crawl_frontier *frontier)
{
    return cw_disk_sync_now(&cw_disk_of(frontier)->sync);
}

static crawl_err disk_store_failure(crawl_frontier *frontier, crawl_error *error)
{
    return cw_disk_why(cw_disk_of(frontier), error);
}

static void disk_store_figures(const crawl_frontier *frontier, crawl_frontier_stats *out)
{
    out->disk_bytes = cw_disk_bytes(cw_disk_of(frontier));
}

static void disk_store_stop(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    if (disk->running) {
        cw_disk_settler_stop(&disk->settler);
        cw_disk_sync_stop(&disk->sync);
    }
    disk->running = false;
}

static crawl_err close_store(crawl_frontier *frontier, crawl_error *error)
{
    disk_store_stop(frontier);
    return cw_disk_persist_end(frontier, error);
}

static void free_store(crawl_frontier *frontier)
{
    cw_disk_close(cw_disk_of(frontier));
}

/* A date without room in the window stays on disk. */
static crawl_err disk_store_reserve_date(crawl_frontier *)
{
    return CRAWL_OK;
}

static const cw_frontier_dates disk_store_dates = {.reserve = disk_store_reserve_date,
                                                   .add = cw_disk_dates_add,
                                                   .read = cw_disk_dates_read,
                                                   .forgotten = cw_disk_dates_forgotten};

static const cw_frontier_tails disk_store_tails = {.create = cw_disk_tail_create,
                                                   .free = cw_disk_tail_free,
                                                   .takes = cw_disk_tail_takes,
                                                   .grew = cw_disk_tail_grew,
                                                   .shrank = cw_disk_tail_shrank,
                                                   .refill = cw_disk_tail_refill,
                                                   .ripen = cw_disk_tail_ripen,
                                                   .hasten = cw_disk_tail_hasten};

static const cw_frontier_store calls = {
    .reserve_batch = cw_disk_put_reserve,
    .put = cw_disk_put_batch,
    .batch_queued = cw_disk_settle_if_due,
    .put_urgent = cw_disk_persist_urgent,
    .reserve_request = reserve_request,
    .taken = link_lease,
    .end = cw_disk_persist_done,
    .end_again = cw_disk_persist_again,
    .dates = &disk_store_dates,
    .tails = &disk_store_tails,
    .wake = cw_disk_rest_wake,
    .reserve_host = reserve_host,
    .put_host = cw_disk_persist_host,
    .set_notes = cw_disk_notes_set,
    .get_note = cw_disk_notes_get,
    .notes = cw_disk_notes_each,
    .wait = wait_for_others,
    .sync = sync_now,
    .failure = disk_store_failure,
    .figures = disk_store_figures,
    .close = close_store,
    .stop = disk_store_stop,
    .free = free_store,
};

void cw_disk_join(cw_disk *disk, crawl_frontier *frontier)
{
    frontier->store = calls;
    frontier->store.self = disk;
    frontier->hosts.indexed = true;
    cw_disk_rest_join(frontier);
    disk->windows = (cw_disk_windows){.disk = disk,
                                      .memory = &frontier->memory,
                                      .hosts = &frontier->hosts,
                                      .leases = &frontier->leases,
                                      .schedule = &frontier->schedule,
                                      .order = frontier->options.order,
                                      .budget = frontier->options.window_bytes,
                                      .stage.limit = frontier->options.window_bytes / 4};
    if (disk->windows.stage.limit > CW_DISK_STAGE_BYTES)
        disk->windows.stage.limit = CW_DISK_STAGE_BYTES;
    uint64_t sessions = cw_disk_windows_sessions(frontier->options.order, frontier->options.window_bytes);
    if (!frontier->schedule.sessions_max || frontier->schedule.sessions_max > sessions)
        frontier->schedule.sessions_max = sessions;
}
