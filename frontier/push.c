/* Pushing: a batch goes through in five steps, the costly ones outside the lock.
 *
 *   1  origins and fingerprints of all requests are gathered; what is no http(s) URL is out       (no lock)
 *   2  one look into the seen-set: most links of most pages leave here                            (lock)
 *   3  the rest is copied into items                                                              (no lock)
 *   4  room is kept for every item, the batch is added to the seen-set, new items are queued      (lock)
 *      (durable: after they were written, all in one batch)
 *   5  items that were not taken after all are freed                                              (no lock)
 *
 * Another thread may push the same link between 2 and 4; step 4 alone decides. Room is kept before anything is marked
 * seen, so that no request is ever marked and then not queued. */
#include "frontier/persist.h"
#include "frontier/settle.h"

#define BATCH_MAX (UINT32_MAX / 2) /* requests of one batch: indices are kept in 32 bits */

typedef struct candidate {
    cw_item *item;
    cw_host *host;
    crawl_slice origin;
    uint32_t index; /* in batch.requests */
} candidate;

struct batch {
    crawl_frontier *frontier;
    const crawl_request *requests;
    size_t size; /* of requests and results */
    uint8_t *results;
    size_t accepted;
    bool full;
    bool staged; /* durable: it goes into the stage */
    crawl_err err;
    void *room; /* what the arrays below stand in */
    candidate *candidates;
    crawl_fingerprint *keys; /* of the candidates, side by side as the filter wants them */
    uint32_t *where;
    uint32_t *order; /* indices of the candidates as they are written */
    uint8_t *fresh;
    size_t count;      /* candidates */
    uint64_t first;    /* sequence of the first of them */
    crawl_buf origins; /* of URLs with a user name */
    cw_parent *parent;
};

static const crawl_request *request_of(const struct batch *batch, size_t i)
{
    return &batch->requests[batch->candidates[i].index];
}

static void answer(struct batch *batch, size_t i, crawl_pushed result)
{
    batch->results[batch->candidates[i].index] = (uint8_t)result;
}

static uint8_t result_of(const struct batch *batch, size_t i)
{
    return batch->results[batch->candidates[i].index];
}

/* One block for all arrays, the widest elements first. */
static crawl_err allocate(struct batch *batch)
{
    size_t each = sizeof(candidate) + sizeof(crawl_fingerprint) + 2 * sizeof(uint32_t) + 2 * sizeof(uint8_t);
    if (batch->size > BATCH_MAX || batch->size > SIZE_MAX / each)
        return CRAWL_ENOMEM;
    batch->room = malloc(batch->size * each);
    if (!batch->room)
        return CRAWL_ENOMEM;
    batch->candidates = batch->room;
    batch->where = (uint32_t *)(void *)(batch->candidates + batch->size);
    batch->order = batch->where + batch->size;
    batch->keys = (crawl_fingerprint *)(void *)(batch->order + batch->size);
    batch->fresh = (uint8_t *)(batch->keys + batch->size);
    if (!batch->results)
        batch->results = batch->fresh + batch->size;
    return CRAWL_OK;
}

/* A slice of the URL, or of batch->origins; the latter may still move, so that the offset stands for its address. */
static crawl_err find_origin(struct batch *batch, crawl_slice url, crawl_slice *origin)
{
    size_t before = batch->origins.size;
    crawl_err err = crawl_href_origin(url, &batch->origins, origin);
    if (err)
        batch->origins.size = before;
    else if (batch->origins.size != before)
        *origin = crawl_slice_of(NULL, origin->size);
    return err;
}

static void resolve_origins(struct batch *batch)
{
    size_t at = 0;
    for (size_t i = 0; i < batch->count; i++) {
        crawl_slice *origin = &batch->candidates[i].origin;
        if (origin->data)
            continue;
        origin->data = batch->origins.data + at;
        at += origin->size;
    }
}

/* Step 1. */
static void gather(struct batch *batch)
{
    for (size_t i = 0; i < batch->size; i++) {
        const crawl_request *request = &batch->requests[i];
        candidate found = {.index = (uint32_t)i};
        batch->results[i] = CRAWL_PUSHED_INVALID;
        crawl_err err = cw_item_fits(request) ? find_origin(batch, request->url, &found.origin) : CRAWL_EINVAL;
        if (err == CRAWL_ENOMEM)
            batch->err = err;
        if (err)
            continue;
        batch->keys[batch->count] = request->fingerprint;
        batch->candidates[batch->count++] = found;
    }
    resolve_origins(batch);
}

/* Enters with nothing left that should be forgotten by now. In between others come in. */
static void enter_judging(crawl_frontier *frontier, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    while (cw_forgets_next(&frontier->forgets) <= now && cw_frontier_forget_due(frontier)) {
        pthread_mutex_unlock(&frontier->lock);
        now = cw_frontier_enter(frontier, now_ms);
    }
}

/* Step 2. */
static void drop_seen(struct batch *batch, int64_t now_ms)
{
    crawl_frontier *frontier = batch->frontier;
    uint8_t *present = batch->fresh;
    size_t left = 0;
    enter_judging(frontier, now_ms);
    crawl_bloom_test_many(frontier->seen, batch->keys, CRAWL_FINGERPRINT_SIZE, batch->count, present);
    for (size_t i = 0; i < batch->count; i++) {
        if (present[i] && !request_of(batch, i)->revisit) {
            answer(batch, i, CRAWL_PUSHED_SEEN);
            continue;
        }
        batch->keys[left] = batch->keys[i];
        batch->candidates[left++] = batch->candidates[i];
    }
    frontier->pushed += batch->size;
    frontier->refused_seen += batch->count - left;
    pthread_mutex_unlock(&frontier->lock);
    batch->count = left;
}

/* Step 3. What there is no memory for stays INVALID, and so does all behind it. */
static void copy(struct batch *batch, crawl_slice parent)
{
    if (parent.size && batch->count) {
        batch->parent = cw_parent_create(parent);
        if (!batch->parent)
            batch->count = 0;
    }
    for (size_t i = 0; i < batch->count; i++) {
        candidate *c = &batch->candidates[i];
        c->item = cw_item_create(request_of(batch, i), c->origin, 0);
        if (!c->item)
            batch->count = i;
    }
}

/* Finds the host of a candidate and keeps room in its queue. Links of a page tend to share a host, so that the one found last,
 * *host, is tried first. CRAWL_FULL: one host too many. */
static crawl_err keep_one(struct batch *batch, candidate *c, cw_host **host)
{
    crawl_frontier *frontier = batch->frontier;
    crawl_err err = CRAWL_OK;
    if (!*host || !crawl_slice_equal(cw_host_origin(*host), c->origin))
        err = cw_hosts_get_within(&frontier->hosts, c->origin, frontier->options.max_hosts, host);
    if (!err)
        err = cw_frontier_keep(frontier, *host, &(*host)->queues[CW_NORMAL]);
    if (!err) {
        c->host = *host;
        c->host->touched = true;
    }
    return err;
}

/* Step 4: what has room moves to the front of the batch, the rest behind it, to be freed at the end. Without memory the batch
 * is cut. */
static size_t keep_room(struct batch *batch)
{
    cw_host *host = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        candidate c = batch->candidates[i];
        crawl_err err = keep_one(batch, &c, &host);
        if (err && err != CRAWL_FULL) {
            batch->err = err;
            break;
        }
        if (err) {
            answer(batch, i, CRAWL_PUSHED_FULL);
            batch->full = true;
            batch->frontier->refused_full++;
            continue;
        }
        batch->candidates[i] = batch->candidates[kept];
        batch->keys[kept] = batch->keys[i];
        batch->candidates[kept++] = c;
    }
    return kept;
}

/* After an add that ran out of memory: those marked are new, those found are seen, the others were not reached. */
static crawl_pushed judge(const struct batch *batch, size_t i)
{
    if (batch->fresh[i])
        return CRAWL_PUSHED_NEW;
    if (batch->err && crawl_bloom_test(batch->frontier->seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE) != CRAWL_EXISTS)
        return CRAWL_PUSHED_INVALID;
    return request_of(batch, i)->revisit ? CRAWL_PUSHED_NEW : CRAWL_PUSHED_SEEN;
}

static void mark_all(struct batch *batch)
{
    crawl_err err = crawl_bloom_add_many(batch->frontier->seen, batch->keys, CRAWL_FINGERPRINT_SIZE, batch->count, batch->fresh,
                                         batch->where);
    if (err)
        batch->err = err;
    for (size_t i = 0; i < batch->count; i++)
        answer(batch, i, judge(batch, i));
}

static crawl_pushed mark(struct batch *batch, size_t i)
{
    crawl_bloom *seen = batch->frontier->seen;
    crawl_err err = crawl_bloom_add(seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE, &batch->where[i]);
    batch->fresh[i] = err == CRAWL_OK;
    if (err && err != CRAWL_EXISTS) {
        batch->err = err;
        return CRAWL_PUSHED_INVALID;
    }
    return !err || request_of(batch, i)->revisit ? CRAWL_PUSHED_NEW : CRAWL_PUSHED_SEEN;
}

/* One at a time, for what there is no room for must not be marked. */
static void mark_up_to(struct batch *batch, uint64_t room)
{
    crawl_bloom *seen = batch->frontier->seen;
    for (size_t i = 0; i < batch->count; i++) {
        crawl_pushed result;
        batch->fresh[i] = false;
        if (room > 0)
            result = mark(batch, i);
        else if (!request_of(batch, i)->revisit &&
                 crawl_bloom_test(seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE) == CRAWL_EXISTS)
            result = CRAWL_PUSHED_SEEN;
        else
            result = CRAWL_PUSHED_FULL;
        room -= result == CRAWL_PUSHED_NEW;
        batch->full |= result == CRAWL_PUSHED_FULL;
        answer(batch, i, result);
    }
}

static void mark_seen(struct batch *batch)
{
    const crawl_frontier *frontier = batch->frontier;
    uint64_t max = frontier->options.max_queued ? frontier->options.max_queued : UINT64_MAX;
    uint64_t room = frontier->queued < max ? max - frontier->queued : 0;
    if (room >= batch->count)
        mark_all(batch);
    else
        mark_up_to(batch, room);
}

static cw_key key_of(const struct batch *batch, size_t i)
{
    return cw_order_key(batch->frontier->options.order, batch->candidates[i].item, batch->first + i);
}

/* Counts what became of all, and gives those that are new their place and their parent. */
static void name_new(struct batch *batch)
{
    crawl_frontier *frontier = batch->frontier;
    batch->first = cw_sequence_batch(&frontier->sequence, frontier->options.order, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        cw_item *item = batch->candidates[i].item;
        uint8_t result = result_of(batch, i);
        frontier->refused_seen += result == CRAWL_PUSHED_SEEN;
        frontier->refused_full += result == CRAWL_PUSHED_FULL;
        if (result != CRAWL_PUSHED_NEW)
            continue;
        item->where = batch->fresh[i] ? batch->where[i] : CW_NOWHERE;
        cw_item_set_parent(item, batch->parent);
        batch->accepted++;
    }
    frontier->accepted += batch->accepted;
}

static int compare_hosts(const void *a, const void *b, void *batch)
{
    uint32_t i = *(const uint32_t *)a;
    uint32_t j = *(const uint32_t *)b;
    const candidate *all = ((const struct batch *)batch)->candidates;
    uint32_t first = all[i].host->number;
    uint32_t second = all[j].host->number;
    return first != second ? (first < second ? -1 : 1) : i < j ? -1 : i > j;
}

/* Records that go into the database in the order of their keys find their places faster. */
static void sort_by_host(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->order[i] = (uint32_t)i;
    qsort_r(batch->order, batch->count, sizeof *batch->order, compare_hosts, batch);
}

static bool is_new(const struct batch *batch, size_t i)
{
    return result_of(batch, i) == CRAWL_PUSHED_NEW;
}

static void persist_staged(struct batch *batch)
{
    cw_store *store = batch->frontier->store;
    for (size_t i = 0; i < batch->count; i++)
        if (is_new(batch, i))
            cw_persist_host_of(batch->frontier, batch->candidates[i].host);
    char *at = cw_stage_write_head(store->scratch.data, batch->parent);
    for (size_t i = 0; i < batch->count; i++) {
        const candidate *c = &batch->candidates[i];
        if (is_new(batch, i))
            at = cw_stage_write_request(at, cw_store_name_of(c->host, key_of(batch, i), c->item), c->item);
    }
    cw_store_put_stage(store, crawl_slice_of(store->scratch.data, (size_t)(at - store->scratch.data)));
}

static void persist_sorted(struct batch *batch)
{
    sort_by_host(batch);
    for (size_t j = 0; j < batch->count; j++) {
        size_t i = batch->order[j];
        candidate *c = &batch->candidates[i];
        if (is_new(batch, i))
            cw_persist_new(batch->frontier, c->host, key_of(batch, i), c->item);
    }
    batch->frontier->store->windows.stage.batch++;
}

/* The durable frontier's: all that is new in one write, with the log of the seen-set. */
static crawl_err persist_new(struct batch *batch, int64_t now)
{
    crawl_frontier *frontier = batch->frontier;
    cw_store *store = frontier->store;
    uint64_t fresh = 0;
    cw_store_begin(store);
    if (batch->staged)
        persist_staged(batch);
    else
        persist_sorted(batch);
    for (size_t i = 0; i < batch->count; i++)
        fresh += batch->fresh[i];
    cw_persist_counters(frontier, 0);
    if (fresh) /* there is room; see reserve */
        cw_persist_log(frontier, cw_journal_added(store->scratch.data, batch->keys, batch->fresh, batch->count, now));
    crawl_err err = cw_store_commit(store);
    if (!err && fresh)
        cw_journal_wrote(&store->journal, fresh);
    return err;
}

/* What could not be written is not queued. That the filter has it does no harm: it is read from the disk again before anything
 * else is pushed. */
static void give_up(struct batch *batch, crawl_err err)
{
    batch->err = err;
    batch->frontier->accepted -= batch->accepted;
    batch->accepted = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (result_of(batch, i) == CRAWL_PUSHED_NEW) {
            (void)cw_item_leave_parent(batch->candidates[i].item);
            answer(batch, i, CRAWL_PUSHED_INVALID);
        }
}

static void take(struct batch *batch, size_t i)
{
    candidate *c = &batch->candidates[i];
    cw_item *item = c->item;
    cw_memory_adopt(&batch->frontier->memory, item);
    if (batch->staged)
        item->flags |= CW_ITEM_STAGED;
    cw_queue_put(&c->host->queues[CW_NORMAL], key_of(batch, i), item);
    c->item = NULL;
}

static void queue_new(struct batch *batch, int64_t now)
{
    crawl_frontier *frontier = batch->frontier;
    name_new(batch);
    crawl_err err = frontier->store && batch->accepted ? persist_new(batch, now) : CRAWL_OK;
    if (err)
        give_up(batch, err);
    if (batch->accepted)
        cw_memory_adopt(&frontier->memory, batch->parent);
    frontier->queued += batch->accepted;
    for (size_t i = 0; i < batch->count; i++) {
        if (result_of(batch, i) == CRAWL_PUSHED_NEW)
            take(batch, i);
        else
            cw_queue_unkeep(&batch->candidates[i].host->queues[CW_NORMAL]);
    }
}

static void settle_hosts(struct batch *batch, int64_t now)
{
    for (size_t i = 0; i < batch->count; i++) {
        cw_host *host = batch->candidates[i].host;
        if (host->touched) {
            host->touched = false;
            cw_frontier_settle(batch->frontier, host, now);
        }
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The durable frontier's: room for each record, so that none fails for want of memory once something is marked. */
static crawl_err reserve(struct batch *batch)
{
    cw_store *store = batch->frontier->store;
    crawl_err err = cw_store_failure(store);
    size_t parent = batch->parent ? batch->parent->size : 0;
    size_t room = cw_journal_room(batch->count);
    size_t together = cw_stage_head_room(parent);
    for (size_t i = 0; i < batch->count; i++) {
        const candidate *c = &batch->candidates[i];
        together += cw_stage_room(c->item);
        room = larger(room, larger(cw_request_room(c->item, parent), CW_HOST_ROOM + c->origin.size));
    }
    batch->staged = together <= CW_STAGE_BATCH_MAX;
    if (!err)
        err = cw_stage_reserve(&store->windows.stage, &batch->frontier->memory, batch->count);
    return err ? err : cw_store_reserve(store, batch->staged ? larger(room, together) : room);
}

/* Step 4. */
static void admit(struct batch *batch, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(batch->frontier, now_ms);
    crawl_err err = batch->frontier->store ? reserve(batch) : CRAWL_OK;
    if (err)
        batch->err = err;
    batch->count = err ? 0 : keep_room(batch);
    mark_seen(batch);
    queue_new(batch, now);
    if (batch->frontier->store)
        cw_settle_if_due(batch->frontier);
    settle_hosts(batch, now);
    cw_frontier_leave(batch->frontier);
}

static void push_batch(struct batch *batch, crawl_slice parent, int64_t now_ms)
{
    gather(batch);
    drop_seen(batch, now_ms);
    size_t offered = batch->count;
    copy(batch, parent);
    size_t copied = batch->count;
    if (copied < offered)
        batch->err = CRAWL_ENOMEM;
    if (copied)
        admit(batch, now_ms);
    for (size_t i = 0; i < copied; i++)
        free(batch->candidates[i].item);
    if (!batch->accepted)
        free(batch->parent);
}

crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count, crawl_slice parent,
                              uint8_t *results, size_t *accepted, int64_t now_ms)
{
    struct batch batch = {.frontier = frontier, .requests = requests, .size = count, .results = results};
    if (accepted)
        *accepted = 0;
    if (count == 0)
        return CRAWL_OK;
    batch.err = cw_frontier_failed(frontier);
    if (!batch.err)
        batch.err = allocate(&batch);
    if (batch.err) {
        if (results)
            memset(results, CRAWL_PUSHED_INVALID, count);
        return batch.err;
    }
    push_batch(&batch, parent, now_ms);
    if (frontier->store && batch.accepted && cw_sync_wait(&frontier->store->sync))
        batch.err = cw_frontier_failed(frontier);
    if (accepted)
        *accepted = batch.accepted;
    crawl_buf_free(&batch.origins);
    free(batch.room);
    if (batch.err)
        return batch.err;
    return batch.full ? CRAWL_FULL : CRAWL_OK;
}
