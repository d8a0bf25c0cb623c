/* See persist.h. */
#include "frontier/forget.h"

#include "frontier/disk/settle.h"

#include <assert.h>

#define HOSTS_AT_ONCE 1000u /* records of hosts in one write at the end */

static const crawl_slice counters_name = {.data = "mcounters", .size = sizeof "mcounters" - 1};
static const crawl_slice clean_name = {.data = "mclean", .size = sizeof "mclean" - 1};

void cw_persist_host_of(crawl_frontier *frontier, cw_host *host)
{
    if (!host->stored)
        cw_store_put_host(frontier->store, host);
    host->stored = true;
}

void cw_persist_new(crawl_frontier *frontier, cw_host *host, cw_key key, const cw_item *item)
{
    cw_persist_host_of(frontier, host);
    cw_store_put_ready(frontier->store, host, key, item);
}

enum { FIGURES = sizeof(cw_figures) / sizeof(uint64_t) };

static_assert(FIGURES == 12, "the figures are numbers of 64 bits and nothing else");

void cw_persist_counters(crawl_frontier *frontier, unsigned forgets)
{
    const cw_figures figures = {.pushed = frontier->pushed,
                                .accepted = frontier->accepted,
                                .refused_seen = frontier->refused_seen,
                                .refused_full = frontier->refused_full,
                                .up = frontier->sequence.up,
                                .down = frontier->sequence.down,
                                .hosts = frontier->hosts.numbers,
                                .leases = frontier->schedule.leases,
                                .stage = frontier->store->windows.stage.batch,
                                .again = frontier->again,
                                .revisits = frontier->revisits,
                                .forgets = cw_forgets_count(&frontier->forgets) + forgets};
    uint64_t numbers[FIGURES];
    char record[FIGURES * CW_NUMBER_MAX];
    char *at = record;
    memcpy(numbers, &figures, sizeof numbers);
    for (size_t i = 0; i < FIGURES; i++)
        at = cw_put_number(at, numbers[i]);
    cw_store_put(frontier->store, CW_FAMILY_META, counters_name, crawl_slice_of(record, (size_t)(at - record)));
}

crawl_err cw_persist_read_figures(cw_database *database, cw_figures *out, crawl_error *error)
{
    uint64_t numbers[FIGURES] = {0};
    crawl_buf record = {0};
    crawl_err err = cw_database_get(database, CW_FAMILY_META, counters_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    for (size_t i = 0; i < FIGURES && !err; i++)
        if (!cw_get_number(&at, &numbers[i]))
            err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the figures cannot be read");
    crawl_buf_free(&record);
    memcpy(out, numbers, sizeof *out);
    return err;
}

void cw_persist_log(crawl_frontier *frontier, size_t record_size)
{
    cw_store *store = frontier->store;
    cw_seen_key key = cw_seen_key_make(cw_journal_next(&store->journal));
    cw_store_put(store, CW_FAMILY_SEEN, CW_SLICE_OF_KEY(key), crawl_slice_of(store->scratch.data, record_size));
}

crawl_err cw_persist_urgent(crawl_frontier *frontier, cw_host *host, cw_key key, const cw_item *item)
{
    cw_store_begin(frontier->store);
    cw_persist_new(frontier, host, key, item);
    cw_persist_counters(frontier, 0);
    return cw_store_commit(frontier->store);
}

/* From where it stands: the stage or the queue. */
static void drop(crawl_frontier *frontier, const cw_lease *lease, cw_key key)
{
    cw_store *store = frontier->store;
    if (!(lease->item->flags & CW_ITEM_STAGED)) {
        cw_store_drop_ready(store, lease->host, key, lease->item);
        return;
    }
    cw_store_put_gone(store, cw_store_name_of(lease->host, key, lease->item));
    cw_persist_counters(frontier, 0);
    lease->item->flags &= (uint8_t)~CW_ITEM_STAGED;
}

/* The common end: a line in the log of what is done. CRAWL_ENOMEM: it is full, and there is no memory to settle it. */
static crawl_err log_done(crawl_frontier *frontier, const cw_lease *lease, cw_key key)
{
    cw_store *store = frontier->store;
    crawl_error error = {0};
    crawl_err err = cw_store_failure(store);
    if (!err && cw_donelog_is_full(&store->donelog))
        err = cw_settle(frontier);
    if (err)
        return err;
    uint8_t flags = lease->item->flags & CW_ITEM_MOVED ? CW_DONE_MOVED : 0;
    if (lease->item->flags & CW_ITEM_STAGED)
        flags |= CW_DONE_STAGED;
    err = cw_donelog_append(&store->donelog, cw_store_name_of(lease->host, key, lease->item), flags,
                            store->windows.stage.batch, &error);
    if (!err)
        err = cw_witness_done(&store->witness, &error);
    if (err)
        return cw_store_fail(store, &error);
    if (store->running)
        cw_sync_note(&store->sync);
    return CRAWL_OK;
}

static void persist_return(crawl_frontier *frontier, const cw_lease *lease, cw_key key, crawl_outcome outcome,
                           int64_t at, int64_t now)
{
    cw_store *store = frontier->store;
    if (at <= now && outcome == CRAWL_DONE_RETURN)
        return; /* it stands there as it was */
    bool staged = lease->item->flags & CW_ITEM_STAGED;
    lease->item->flags |= CW_ITEM_MOVED;
    if (at > now || staged)
        drop(frontier, lease, key);
    if (at <= now) {
        cw_store_put_ready(store, lease->host, key, lease->item);
        return;
    }
    cw_store_put_delayed(store, lease->host, (cw_key){.high = cw_key_of_time(at), .low = lease->sequence}, lease->item);
}

static bool comes_back(crawl_outcome outcome)
{
    return outcome == CRAWL_DONE_RETRY || outcome == CRAWL_DONE_RETURN;
}

crawl_err cw_persist_done(crawl_frontier *frontier, const cw_lease *lease, crawl_outcome outcome, int64_t at,
                          int64_t now)
{
    cw_store *store = frontier->store;
    cw_key key = cw_order_key(frontier->options.order, lease->item, lease->sequence);
    bool logged = false;
    bool plain = outcome == CRAWL_DONE_FINISHED && !cw_item_visits(lease->item); /* the others change figures */
    crawl_err err = plain ? log_done(frontier, lease, key) : CRAWL_ENOMEM;
    if (err != CRAWL_ENOMEM)
        return err;
    cw_store_begin(store);
    if (comes_back(outcome))
        persist_return(frontier, lease, key, outcome, at, now);
    else
        drop(frontier, lease, key);
    if (!comes_back(outcome) && cw_item_visits(lease->item))
        cw_persist_counters(frontier, 0);
    if (outcome == CRAWL_DONE_FORGET)
        logged = cw_persist_forget(frontier, lease, at, now);
    if (!rocksdb_writebatch_count(store->batch))
        return cw_store_failure(store);
    err = cw_store_commit(store);
    if (!err && logged)
        cw_journal_wrote(&store->journal, 1);
    return err;
}

crawl_err cw_persist_again(crawl_frontier *frontier, const cw_lease *lease, cw_item *next, uint64_t sequence,
                           int64_t at, int64_t now)
{
    cw_store *store = frontier->store;
    crawl_order order = frontier->options.order;
    cw_key key = cw_order_key(order, next, sequence);
    next->flags &= (uint8_t) ~(CW_ITEM_MOVED | CW_ITEM_STAGED); /* nothing was ever written under another sequence */
    if (sequence == lease->sequence) {
        lease->item->flags |= CW_ITEM_MOVED;
        next->flags |= CW_ITEM_MOVED;
    }
    cw_store_begin(store);
    drop(frontier, lease, cw_order_key(order, lease->item, lease->sequence));
    if (at > now)
        cw_store_put_delayed(store, lease->host, (cw_key){.high = cw_key_of_time(at), .low = sequence}, next);
    else
        cw_store_put_ready(store, lease->host, key, next);
    cw_persist_counters(frontier, 0);
    return cw_store_commit(store);
}

crawl_err cw_persist_host(crawl_frontier *frontier, cw_host *host)
{
    cw_store_begin(frontier->store);
    cw_store_put_host(frontier->store, host);
    cw_persist_counters(frontier, 0);
    crawl_err err = cw_store_commit(frontier->store);
    host->stored |= !err;
    return err;
}

/* What is out is queued again, in the room that was kept for it: it stands on disk where it stood. */
static void take_back(crawl_frontier *frontier)
{
    for (uint32_t i = 0; i < frontier->leases.count; i++) {
        cw_lease *lease = &frontier->leases.slots[i];
        if (!lease->host)
            continue;
        cw_host *host = lease->host;
        cw_key key = cw_order_key(frontier->options.order, lease->item, lease->sequence);
        cw_leases_unlink(&frontier->leases, lease);
        cw_queue_put(cw_host_queue_of(host, lease->item), key, lease->item);
        cw_leases_close(&frontier->leases, &frontier->memory, lease);
        host->changed = true;
    }
}

static crawl_err write_hosts(crawl_frontier *frontier)
{
    size_t cursor = 0;
    uint32_t count = 0;
    crawl_err err = CRAWL_OK;
    cw_store_begin(frontier->store);
    for (cw_host *host; !err && (host = cw_map_next(frontier->hosts.map, &cursor));) {
        if (!host->changed)
            continue;
        cw_store_put_host(frontier->store, host);
        if (++count % HOSTS_AT_ONCE == 0) {
            err = cw_store_commit(frontier->store);
            cw_store_begin(frontier->store);
        }
    }
    cw_persist_counters(frontier, 0);
    return err ? err : cw_store_commit(frontier->store);
}

static crawl_err write_clean(cw_store *store, crawl_error *error)
{
    cw_store_begin(store);
    cw_store_put(store, CW_FAMILY_META, clean_name, crawl_slice_from("1"));
    crawl_err err = cw_database_write(&store->database, store->batch, true, error);
    return err ? err : cw_witness_end(&store->witness, cw_database_sequence(&store->database), error);
}

crawl_err cw_persist_end(crawl_frontier *frontier, crawl_error *error)
{
    cw_store *store = frontier->store;
    crawl_err err = cw_store_why(store, error);
    if (err)
        return err;
    take_back(frontier);
    err = cw_settle(frontier);
    if (!err)
        err = write_hosts(frontier);
    if (err)
        return cw_store_why(store, error) ? err : crawl_error_set(error, err, "no memory for what is to be written");
    if (atomic_load(&store->journal.last) > store->journal.snapshot) {
        err = cw_database_sync(&store->database, error);
        if (!err)
            err = cw_journal_snapshot(&store->journal, &store->database, store->directory, frontier->seen, error);
    }
    return err ? err : write_clean(store, error);
}

crawl_err cw_persist_was_clean(cw_database *database, bool *clean, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_err err = cw_database_get(database, CW_FAMILY_META, clean_name, &record, error);
    *clean = !err;
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

/* On the disk before anything else is, and what opening wrote with it: otherwise a power cut could leave the word and
 * lose what it no longer holds for. */
crawl_err cw_persist_begin(cw_store *store, crawl_error *error)
{
    cw_store_begin(store);
    cw_database_delete(&store->database, store->batch, CW_FAMILY_META, clean_name);
    return cw_database_write(&store->database, store->batch, true, error);
}
