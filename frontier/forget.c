/* What is taken out of the seen-set: at once, or at a date. Every call begins with a part of what has come due, and
 * push, which must know what is seen, with all of it, part by part. On disk a part is one write: its dates are dropped
 * and the log of the seen-set gets one batch more, in the place that it has among the others. */
#include "frontier/forget.h"

#define AT_ONCE 256u /* forgotten by one call, a fraction of a millisecond */

bool cw_frontier_can_forget(const crawl_frontier *frontier, const cw_item *item, uint32_t *where)
{
    crawl_bloom_kind kind = crawl_bloom_kind_of(frontier->seen);
    *where = item->where;
    if (item->flags & CW_ITEM_URGENT || !crawl_bloom_kind_forgets(kind))
        return false;
    if (item->where != CW_NOWHERE)
        return true;
    /* Nothing of a false positive is in, and to forget it would harm other keys. Where there are none, it is in. */
    *where = 0;
    return kind == CRAWL_BLOOM_EXACT || kind == CRAWL_BLOOM_DIGEST;
}

crawl_err cw_frontier_keep_forget(crawl_frontier *frontier)
{
    if (frontier->store || !crawl_bloom_kind_forgets(crawl_bloom_kind_of(frontier->seen)))
        return CRAWL_OK;
    return cw_forgets_reserve(&frontier->forgets, &frontier->memory, (size_t)frontier->leases.out + 1);
}

/* CRAWL_DRAINED: it is never to be forgotten. */
static crawl_err entry_of(const crawl_frontier *frontier, const cw_lease *lease, int64_t at, cw_forget *out)
{
    *out = (cw_forget){.at = at, .sequence = lease->sequence, .fingerprint = lease->item->fingerprint};
    return at < CRAWL_FOREVER && cw_frontier_can_forget(frontier, lease->item, &out->where) ? CRAWL_OK : CRAWL_DRAINED;
}

void cw_frontier_forget(crawl_frontier *frontier, const cw_lease *lease, int64_t at, int64_t now)
{
    cw_forget entry;
    if (entry_of(frontier, lease, at, &entry))
        return;
    if (at <= now) /* refused where a revisit of it was forgotten already */
        (void)crawl_bloom_forget(frontier->seen, entry.fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, entry.where);
    else if (frontier->store)
        cw_forgets_add_stored(&frontier->forgets, &frontier->memory, entry);
    else
        cw_forgets_add(&frontier->forgets, entry);
}

bool cw_persist_forget(crawl_frontier *frontier, const cw_lease *lease, int64_t at, int64_t now)
{
    cw_forget entry;
    char record[CW_FORGET_ROOM];
    cw_store *store = frontier->store;
    if (entry_of(frontier, lease, at, &entry))
        return false;
    if (at > now) {
        cw_forget_key key = cw_forget_key_make(cw_forget_order(&entry));
        size_t size = (size_t)(cw_forget_write(record, &entry) - record);
        cw_store_put(store, CW_FAMILY_META, CW_SLICE_OF_KEY(key), crawl_slice_of(record, size));
        cw_persist_counters(frontier, 1);
        return false;
    }
    if (cw_store_reserve(store, cw_journal_forgot_room(1)))
        return false;
    cw_persist_log(frontier, cw_journal_forgot(store->scratch.data, &entry, 1));
    return true;
}

/* The first of those on disk, into the window, which is empty and has room. Keeps W2. */
static crawl_err read_window(crawl_frontier *frontier, cw_cursor *cursor, crawl_error *error)
{
    cw_forgets *forgets = &frontier->forgets;
    for (; forgets->beyond && cw_cursor_valid(cursor); cw_cursor_next(cursor)) {
        cw_forget entry;
        if (!cw_forget_read(cw_cursor_key(cursor), cw_cursor_value(cursor), &entry))
            return crawl_error_set(error, CRAWL_ECORRUPT, "a record of what is to be forgotten cannot be read");
        forgets->edge = cw_forget_order(&entry);
        if (forgets->count == CW_FORGETS_WINDOW)
            return CRAWL_OK;
        cw_forgets_add(forgets, entry);
        forgets->beyond--;
    }
    crawl_err err = cw_cursor_error(cursor, error);
    if (!err && forgets->beyond)
        err = crawl_error_set(error, CRAWL_ECORRUPT, "what is to be forgotten ends before its count");
    forgets->edge = CW_FORGETS_END;
    return err;
}

/* false: it cannot be read, now or ever. */
static bool refill(crawl_frontier *frontier)
{
    cw_cursor cursor;
    crawl_error error = {0};
    cw_forgets *forgets = &frontier->forgets;
    if (cw_forgets_reserve(forgets, &frontier->memory, CW_FORGETS_WINDOW))
        return false;
    cw_forget_key from = cw_forget_key_make(forgets->edge);
    cw_forget_key to = cw_forget_key_make(CW_FORGETS_END);
    cw_cursor_open(&cursor, &frontier->store->database, CW_FAMILY_META, CW_SLICE_OF_KEY(from), CW_SLICE_OF_KEY(to),
                   false);
    crawl_err err = read_window(frontier, &cursor, &error);
    cw_cursor_close(&cursor);
    if (err)
        cw_store_fail(frontier->store, &error);
    return !err;
}

/* One write for all of them. */
static crawl_err persist_forgotten(crawl_frontier *frontier, const cw_forget *gone, size_t count)
{
    cw_store *store = frontier->store;
    crawl_err err = cw_store_reserve(store, cw_journal_forgot_room(count));
    if (err)
        return err;
    cw_store_begin(store);
    for (size_t i = 0; i < count; i++) {
        cw_forget_key key = cw_forget_key_make(cw_forget_order(&gone[i]));
        cw_database_delete_single(&store->database, store->batch, CW_FAMILY_META, CW_SLICE_OF_KEY(key));
    }
    cw_persist_log(frontier, cw_journal_forgot(store->scratch.data, gone, count));
    cw_persist_counters(frontier, 0);
    err = cw_store_commit(store);
    if (!err)
        cw_journal_wrote(&store->journal, count);
    return err;
}

/* What is due, AT_ONCE at most, out of the window. */
static size_t take_due(crawl_frontier *frontier, cw_forget *due)
{
    size_t count = 0;
    cw_forgets *forgets = &frontier->forgets;
    while (count < AT_ONCE && forgets->count && forgets->entries[0].at <= frontier->now)
        due[count++] = cw_forgets_take(forgets);
    return count;
}

bool cw_frontier_forget_due(crawl_frontier *frontier)
{
    cw_forget due[AT_ONCE];
    cw_forgets *forgets = &frontier->forgets;
    if (cw_frontier_failed(frontier) || (!forgets->count && !refill(frontier)))
        return false;
    size_t count = take_due(frontier, due);
    if (frontier->store && count && persist_forgotten(frontier, due, count)) {
        for (size_t i = 0; i < count; i++)
            cw_forgets_add(forgets, due[i]);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        (void)crawl_bloom_forget(frontier->seen, due[i].fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, due[i].where);
    if (!frontier->store)
        cw_forgets_trim(forgets, &frontier->memory, frontier->leases.out);
    return count > 0;
}
