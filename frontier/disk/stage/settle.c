/* See settle.h. */
#include "frontier/disk/stage/settle.h"

#include "frontier/disk/figures.h"
#include "frontier/disk/log/leftover.h"

/* So many requests put are worth a file: the next write then begins with an empty table in memory. Deletions alone are
 * not: a file of nothing else would be compacted at once, with all that it overlaps. */
#define FLUSH_PUTS 20000u

/* What is settled lies all over the memory: so many steps before it is looked at, it is asked for. A host first, then
 * its array, then the requests in it. */
enum { HOST_AHEAD = 24, ENTRIES_AHEAD = 16, ITEMS_AHEAD = 8 };

/* One key of the queue that is put or deleted. Small enough, at 32 bytes, for qsort to move it as it is. */
typedef struct change {
    uint32_t host;
    uint8_t range;
    bool moved;
    cw_frontier_key key;
    const cw_frontier_item *item; /* NULL: deleted */
} change;

typedef struct changes {
    change *all;
    size_t count;
    size_t puts;
} changes;

static void add_put(changes *c, const cw_frontier_host *host, cw_frontier_key key, const cw_frontier_item *item)
{
    if (item->flags & CW_ITEM_STAGED)
        c->all[c->count++] = (change){.host = host->number, .range = CW_RANGE_NORMAL, .key = key, .item = item};
}

/* Those done stand there by their names, which were made here. */
static void add_deletion(changes *c, const cw_disk_done *done)
{
    change deletion = {.moved = done->flags & CW_DONE_MOVED};
    unsigned range = CW_RANGE_NORMAL;
    (void)cw_disk_queue_key_read(CW_DISK_SLICE_OF_KEY(done->name), &deletion.host, &range, &deletion.key);
    deletion.range = (uint8_t)range;
    c->all[c->count++] = deletion;
}

/* It takes two lines or three; what is in the middle is not looked at. */
static void expect_host(const cw_disk_stage *stage, uint32_t i)
{
    if (i >= stage->listed)
        return;
    const cw_frontier_host *host = stage->hosts[i];
    __builtin_prefetch(host, 1);
    __builtin_prefetch((const char *)host + sizeof *host - 1, 1);
}

static void expect_entries(const cw_disk_stage *stage, uint32_t i)
{
    if (i < stage->listed)
        __builtin_prefetch(stage->hosts[i]->queues[CW_NORMAL].entries, 1);
}

static void expect_items(const cw_disk_stage *stage, uint32_t i)
{
    if (i >= stage->listed)
        return;
    const cw_frontier_queue *queue = &stage->hosts[i]->queues[CW_NORMAL];
    for (uint32_t j = 0; j < queue->ready; j++)
        __builtin_prefetch(queue->entries[j].value, 1);
}

/* The host in this place of the list; those behind it are asked for. */
static cw_frontier_host *host_at(const cw_disk_stage *stage, uint32_t i)
{
    expect_host(stage, i + HOST_AHEAD);
    expect_entries(stage, i + ENTRIES_AHEAD);
    expect_items(stage, i + ITEMS_AHEAD);
    return stage->hosts[i];
}

static void gather_host(changes *c, const cw_frontier_host *host)
{
    const cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    for (uint32_t i = 0; i < queue->ready; i++)
        add_put(c, host, queue->entries[i].key, queue->entries[i].value);
}

/* Those that are leased are in no queue, and in the stage all the same. */
static void gather_leases(crawl_frontier *frontier, changes *c)
{
    const cw_frontier_leases *leases = &frontier->leases;
    for (uint32_t i = 0; i < leases->count; i++) {
        const cw_frontier_lease *lease = &leases->slots[i];
        if (lease->host)
            add_put(c, lease->host, cw_frontier_order_key(frontier->options.order, lease->item, lease->sequence),
                    lease->item);
    }
}

/* As their names on disk compare. */
static int compare(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->range != y->range)
        return x->range < y->range ? -1 : 1;
    return cw_frontier_key_less(x->key, y->key) ? -1 : cw_frontier_key_less(y->key, x->key);
}

static crawl_err gather(crawl_frontier *frontier, changes *c)
{
    const cw_disk_stage *stage = &cw_disk_of(frontier)->windows.stage;
    const cw_disk_donelog *log = &cw_disk_of(frontier)->donelog;
    c->all = malloc((stage->count + frontier->leases.out + log->count + 1) * sizeof *c->all);
    if (!c->all)
        return CRAWL_ENOMEM;
    for (uint32_t i = 0; i < stage->listed; i++)
        gather_host(c, host_at(stage, i));
    gather_leases(frontier, c);
    c->puts = c->count;
    for (uint32_t i = 0; i < log->count; i++)
        add_deletion(c, &log->waiting[i]);
    qsort(c->all, c->count, sizeof *c->all, compare);
    return CRAWL_OK;
}

static void expect_item(const changes *c, size_t i)
{
    const cw_frontier_item *item = i < c->count ? c->all[i].item : NULL;
    if (!item)
        return;
    __builtin_prefetch(item);
    __builtin_prefetch((const char *)item + sizeof *item);
}

static void write_change(cw_disk *disk, const change *c)
{
    cw_disk_queue_key name = cw_disk_queue_key_make(c->host, c->range, c->key);
    if (c->item)
        cw_disk_put_request(disk, name, c->item);
    else
        cw_disk_drop(disk, name, c->moved);
}

/* In a batch of its own: it is a large one. */
static crawl_err write_changes(crawl_frontier *frontier, const changes *c)
{
    cw_disk *disk = cw_disk_of(frontier);
    rocksdb_writebatch_t *kept = disk->batch;
    disk->batch = rocksdb_writebatch_create();
    cw_disk_begin(disk);
    for (size_t i = 0; i < c->count; i++) {
        expect_item(c, i + ITEMS_AHEAD);
        write_change(disk, &c->all[i]);
    }
    cw_disk_leftover_begin_anew(disk, disk->donelog.generation + 1);
    cw_disk_figures_write(frontier, 0);
    crawl_err err = cw_disk_commit(disk);
    rocksdb_writebatch_destroy(disk->batch);
    disk->batch = kept;
    return err;
}

static void settle_memory(crawl_frontier *frontier)
{
    cw_disk_stage *stage = &cw_disk_of(frontier)->windows.stage;
    for (uint32_t i = 0; i < frontier->leases.count; i++)
        if (frontier->leases.slots[i].host)
            frontier->leases.slots[i].item->flags &= (uint8_t)~CW_ITEM_STAGED;
    for (uint32_t i = 0; i < stage->listed; i++) {
        cw_frontier_host *host = host_at(stage, i);
        cw_frontier_queue *queue = &host->queues[CW_NORMAL];
        host->staged = false;
        if (!queue->tail || !cw_disk_window_of(queue)->staged)
            continue;
        cw_disk_tail_settled(queue);
        cw_frontier_queue_trim(queue, &frontier->memory);
    }
    stage->listed = 0;
}

crawl_err cw_disk_settle(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_error error = {0};
    changes c = {0};
    crawl_err err = cw_disk_failure(disk);
    if (!err)
        err = gather(frontier, &c);
    if (err)
        return err;
    err = cw_disk_donelog_prepare(&disk->donelog, &error);
    if (err && err != CRAWL_ENOMEM)
        err = cw_disk_fail(disk, &error);
    if (!err)
        err = write_changes(frontier, &c);
    free(c.all);
    if (err)
        return err;
    if (cw_disk_witness_turned(&disk->witness, &error))
        return cw_disk_fail(disk, &error);
    cw_disk_donelog_turn(&disk->donelog);
    settle_memory(frontier);
    if (c.puts >= FLUSH_PUTS)
        cw_disk_database_flush(&disk->database, CW_FAMILY_QUEUE);
    return CRAWL_OK;
}

void cw_disk_settle_if_due(crawl_frontier *frontier)
{
    const cw_disk_stage *stage = &cw_disk_of(frontier)->windows.stage;
    if (stage->bytes > stage->limit)
        (void)cw_disk_settle(frontier);
}
