/* See settle.h. */
#include "frontier/settle.h"

#include "frontier/persist.h"

/* So many requests put are worth a file: the next write then begins with an empty table in memory. Deletions alone are not: a file of nothing
 * else would be compacted at once, with all that it overlaps. */
#define FLUSH_PUTS 20000u

/* One key of the queue that is put or deleted. */
typedef struct change {
    cw_queue_key name;
    bool moved;
    const cw_item *item; /* NULL: deleted */
} change;

typedef struct changes {
    change *all;
    size_t count;
    size_t puts;
} changes;

static void add_put(changes *c, const cw_host *host, cw_key key, const cw_item *item)
{
    if (item->flags & CW_ITEM_STAGED)
        c->all[c->count++] = (change){.name = cw_store_name_of(host, key, item), .item = item};
}

static void gather_host(changes *c, const cw_host *host)
{
    const cw_queue *queue = &host->queues[CW_NORMAL];
    for (uint32_t i = 0; i < queue->ready; i++)
        add_put(c, host, queue->entries[i].key, queue->entries[i].value);
}

/* Those that are leased are in no queue, and in the stage all the same. */
static void gather_leases(crawl_frontier *frontier, changes *c)
{
    const cw_leases *leases = &frontier->leases;
    for (uint32_t i = 0; i < leases->count; i++) {
        const cw_lease *lease = &leases->slots[i];
        if (lease->host)
            add_put(c, lease->host, cw_order_key(frontier->options.order, lease->item, lease->sequence), lease->item);
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(((const change *)a)->name.bytes, ((const change *)b)->name.bytes, CW_QUEUE_KEY_SIZE);
}

static crawl_err gather(crawl_frontier *frontier, changes *c)
{
    const cw_stage *stage = &frontier->store->windows.stage;
    const cw_donelog *log = &frontier->store->donelog;
    c->all = malloc((stage->count + frontier->leases.out + log->count + 1) * sizeof *c->all);
    if (!c->all)
        return CRAWL_ENOMEM;
    for (uint32_t i = 0; i < stage->listed; i++)
        gather_host(c, stage->hosts[i]);
    gather_leases(frontier, c);
    c->puts = c->count;
    for (uint32_t i = 0; i < log->count; i++)
        c->all[c->count++] = (change){.name = log->waiting[i].name, .moved = log->waiting[i].flags & CW_DONE_MOVED};
    qsort(c->all, c->count, sizeof *c->all, compare);
    return CRAWL_OK;
}

/* In a batch of its own: it is a large one. */
static crawl_err write_changes(crawl_frontier *frontier, const changes *c)
{
    cw_store *store = frontier->store;
    rocksdb_writebatch_t *kept = store->batch;
    store->batch = rocksdb_writebatch_create();
    cw_store_begin(store);
    for (size_t i = 0; i < c->count; i++) {
        if (c->all[i].item)
            cw_store_put_request(store, c->all[i].name, c->all[i].item);
        else
            cw_store_drop(store, c->all[i].name, c->all[i].moved);
    }
    cw_leftover_begin_anew(store, store->donelog.generation + 1);
    cw_persist_counters(frontier, 0);
    crawl_err err = cw_store_commit(store);
    rocksdb_writebatch_destroy(store->batch);
    store->batch = kept;
    return err;
}

static void settle_memory(crawl_frontier *frontier)
{
    cw_stage *stage = &frontier->store->windows.stage;
    for (uint32_t i = 0; i < frontier->leases.count; i++)
        if (frontier->leases.slots[i].host)
            frontier->leases.slots[i].item->flags &= (uint8_t)~CW_ITEM_STAGED;
    for (uint32_t i = 0; i < stage->listed; i++) {
        cw_queue *queue = &stage->hosts[i]->queues[CW_NORMAL];
        stage->hosts[i]->staged = false;
        if (!queue->tail || !queue->tail->staged)
            continue;
        cw_tail_settled(queue);
        cw_queue_trim(queue, &frontier->memory);
    }
    stage->listed = 0;
}

crawl_err cw_settle(crawl_frontier *frontier)
{
    cw_store *store = frontier->store;
    crawl_error error = {0};
    changes c = {0};
    crawl_err err = cw_store_failure(store);
    if (!err)
        err = gather(frontier, &c);
    if (err)
        return err;
    err = cw_donelog_prepare(&store->donelog, &error);
    if (err && err != CRAWL_ENOMEM)
        err = cw_store_fail(store, &error);
    if (!err)
        err = write_changes(frontier, &c);
    free(c.all);
    if (err)
        return err;
    cw_donelog_turn(&store->donelog);
    settle_memory(frontier);
    if (c.puts >= FLUSH_PUTS)
        cw_database_flush(&store->database, CW_FAMILY_QUEUE);
    return CRAWL_OK;
}

void cw_settle_if_due(crawl_frontier *frontier)
{
    const cw_stage *stage = &frontier->store->windows.stage;
    if (stage->bytes > stage->limit)
        (void)cw_settle(frontier);
}
