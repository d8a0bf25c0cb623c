/* The writes of a push: into the stage, in order of arrival, or, if the batch is too large for that, under its keys. */

#include "frontier/disk/disk_figures.h"
#include "frontier/disk/persist.h"
#include "frontier/push/depths.h"
#include "frontier/push/push.h"

static int compare_hosts(const void *a, const void *b, void *batch)
{
    uint32_t i = *(const uint32_t *)a;
    uint32_t j = *(const uint32_t *)b;
    const cw_frontier_candidate *all = ((const cw_frontier_batch *)batch)->candidates;
    uint32_t first = all[i].host->number;
    uint32_t second = all[j].host->number;
    return first != second ? (first < second ? -1 : 1) : i < j ? -1 : i > j;
}

/* Records find their places in the database faster in the order of their keys. */
static void sort_by_host(cw_frontier_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->order[i] = (uint32_t)i;
    qsort_r(batch->order, batch->count, sizeof *batch->order, compare_hosts, batch);
}

static void persist_staged(cw_frontier_batch *batch)
{
    cw_disk *disk = cw_disk_of(batch->frontier);
    for (size_t i = 0; i < batch->count; i++)
        if (cw_frontier_batch_is_new(batch, i))
            cw_disk_persist_host_of(batch->frontier, batch->candidates[i].host);
    char *at = cw_disk_stage_write_head(disk->scratch.data, batch->parent);
    for (size_t i = 0; i < batch->count; i++) {
        const cw_frontier_candidate *c = &batch->candidates[i];
        if (cw_frontier_batch_is_new(batch, i))
            at = cw_disk_stage_write_request(at, cw_disk_name_of(c->host, cw_frontier_batch_key(batch, i), c->item),
                                             c->item);
    }
    cw_disk_put_stage(disk, crawl_slice_of(disk->scratch.data, (size_t)(at - disk->scratch.data)));
}

static void persist_sorted(cw_frontier_batch *batch)
{
    sort_by_host(batch);
    for (size_t j = 0; j < batch->count; j++) {
        size_t i = batch->order[j];
        cw_frontier_candidate *c = &batch->candidates[i];
        if (cw_frontier_batch_is_new(batch, i))
            cw_disk_persist_new(batch->frontier, c->host, cw_frontier_batch_key(batch, i), c->item);
    }
    cw_disk_of(batch->frontier)->windows.stage.batch++;
}

crawl_err cw_disk_put_batch(crawl_frontier *frontier, cw_frontier_batch *batch, int64_t now)
{
    cw_disk *disk = cw_disk_of(frontier);
    uint64_t fresh = 0;
    size_t keys = batch->count + batch->marks;
    cw_disk_begin(disk);
    if (batch->flags)
        persist_staged(batch);
    else
        persist_sorted(batch);
    for (size_t i = 0; i < keys; i++)
        fresh += batch->fresh[i];
    cw_disk_figures_write(frontier, 0);
    if (fresh) /* there is room; see cw_disk_put_reserve */
        cw_disk_put_log(disk, cw_disk_journal_added(disk->scratch.data, batch->keys, batch->fresh, keys, now));
    crawl_err err = cw_disk_commit(disk);
    if (!err && fresh)
        cw_disk_journal_wrote(&disk->journal, fresh);
    return err;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

crawl_err cw_disk_put_reserve(crawl_frontier *frontier, cw_frontier_batch *batch)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_failure(disk);
    if (!err) /* no candidate has its host yet */
        err = cw_disk_rest_some(frontier, batch->count);
    size_t parent = batch->parent ? batch->parent->size : 0;
    size_t room = cw_disk_journal_room(batch->count * (frontier->options.by_depth ? 1 + CW_FRONTIER_MARKS : 1));
    size_t together = cw_disk_stage_head_room(parent);
    for (size_t i = 0; i < batch->count; i++) {
        const cw_frontier_candidate *c = &batch->candidates[i];
        together += cw_disk_stage_room(c->item);
        room = larger(room, larger(cw_disk_request_room(c->item, parent), CW_DISK_HOST_ROOM + c->origin.size));
    }
    batch->flags = together <= CW_DISK_STAGE_BATCH_MAX ? cw_disk_stage_flag(&disk->windows.stage) : 0;
    return err ? err : cw_disk_reserve(disk, batch->flags ? larger(room, together) : room);
}
