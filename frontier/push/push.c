/* Pushing: a batch goes through five steps, the costly ones outside the lock.
 *
 *   1  gather the origins and fingerprints of all requests; reject all that are not http(s) URLs    (no lock)
 *   2  look once into the seen-set: most links of most pages leave here                             (lock)
 *   3  copy the rest into items                                                                     (no lock)
 *   4  keep room for every item, add the batch to the seen-set, queue the new items                 (lock)
 *      (after the store has taken them, all in one write)
 *   5  free the items that were not taken after all                                                 (no lock)
 *
 * Another thread may push the same link between 2 and 4; only step 4 decides. Room is kept before anything is marked
 * seen, so that no request is ever marked and then not queued. */
#include "frontier/push/push.h"

#include "frontier/forget.h"
#include "frontier/push/depths.h"

#define BATCH_MAX (UINT32_MAX / 2) /* requests of one batch: indices are kept in 32 bits */
#define HOSTS_AHEAD 32u            /* candidates: how far ahead of its use a host is prefetched, */
#define QUEUES_AHEAD 8u            /* and its queue */

/* Allocates one block for all arrays, the widest elements first. */
static crawl_err allocate(cw_frontier_batch *batch)
{
    size_t keys = batch->frontier->options.by_depth ? 1 + CW_FRONTIER_MARKS : 1;
    size_t each = sizeof(cw_frontier_candidate) + keys * (sizeof(crawl_fingerprint) + sizeof(uint8_t)) +
                  2 * sizeof(uint32_t) + sizeof(uint8_t);
    if (batch->size > BATCH_MAX || batch->size > SIZE_MAX / each)
        return CRAWL_ENOMEM;
    batch->room = malloc(batch->size * each);
    if (!batch->room)
        return CRAWL_ENOMEM;
    batch->candidates = batch->room;
    batch->where = (uint32_t *)(void *)(batch->candidates + batch->size);
    batch->order = batch->where + batch->size;
    batch->keys = (crawl_fingerprint *)(void *)(batch->order + batch->size);
    batch->fresh = (uint8_t *)(batch->keys + keys * batch->size);
    if (!batch->results)
        batch->results = batch->fresh + keys * batch->size;
    return CRAWL_OK;
}

/* Sets *origin to a slice of the URL, or of batch->origins. The latter may still move, so a NULL address stands for it
 * until resolve_origins. */
static crawl_err find_origin(cw_frontier_batch *batch, crawl_slice url, crawl_slice *origin)
{
    size_t before = batch->origins.size;
    crawl_err err = crawl_href_origin(url, &batch->origins, origin);
    if (err)
        batch->origins.size = before;
    else if (batch->origins.size != before)
        *origin = crawl_slice_of(NULL, origin->size);
    return err;
}

static void resolve_origins(cw_frontier_batch *batch)
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

/* Returns the depth that counts in the seen-set. */
static uint32_t push_depth_of(const crawl_request *request)
{
    return request->any_depth ? 0 : request->depth;
}

/* Step 1. */
static void push_gather(cw_frontier_batch *batch)
{
    for (size_t i = 0; i < batch->size; i++) {
        const crawl_request *request = &batch->requests[i];
        cw_frontier_candidate found = {.index = (uint32_t)i};
        batch->results[i] = CRAWL_PUSHED_INVALID;
        crawl_err err = cw_frontier_item_fits(request) ? find_origin(batch, request->url, &found.origin) : CRAWL_EINVAL;
        if (err == CRAWL_ENOMEM)
            batch->err = err;
        if (err)
            continue;
        batch->keys[batch->count] =
            cw_frontier_depths_key(&batch->frontier->options, &request->fingerprint, push_depth_of(request));
        batch->candidates[batch->count++] = found;
    }
    resolve_origins(batch);
}

/* Enters, with everything forgotten that is due by now. Lets others in between. */
static void enter_judging(crawl_frontier *frontier, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    while (cw_frontier_forgets_next(&frontier->forgets) <= now && cw_frontier_forget_due(frontier)) {
        pthread_mutex_unlock(&frontier->lock);
        now = cw_frontier_enter(frontier, now_ms);
    }
}

static bool is_seen_nearer(const cw_frontier_batch *batch, size_t i)
{
    const crawl_request *request = cw_frontier_batch_request(batch, i);
    uint32_t at;
    return cw_frontier_depths_found_nearer(batch->frontier, &request->fingerprint, push_depth_of(request), &at);
}

/* Step 2. */
static void drop_seen(cw_frontier_batch *batch, int64_t now_ms)
{
    crawl_frontier *frontier = batch->frontier;
    uint8_t *present = batch->fresh;
    size_t left = 0;
    enter_judging(frontier, now_ms);
    crawl_bloom_test_many(frontier->seen, batch->keys, CRAWL_FINGERPRINT_SIZE, batch->count, present);
    for (size_t i = 0; i < batch->count; i++) {
        const crawl_request *request = cw_frontier_batch_request(batch, i);
        if (!request->revisit && (present[i] || is_seen_nearer(batch, i))) {
            cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_SEEN);
            continue;
        }
        batch->keys[left] = batch->keys[i];
        batch->candidates[left++] = batch->candidates[i];
    }
    frontier->pushed += batch->size;
    frontier->refused_seen += batch->count - left;
    batch->judged = frontier->accepted;
    pthread_mutex_unlock(&frontier->lock);
    batch->count = left;
}

/* Step 3. A request without memory stays INVALID, and so do all after it. */
static void push_copy(cw_frontier_batch *batch, crawl_slice parent)
{
    if (parent.size && batch->count) {
        batch->parent = cw_frontier_parent_create(parent);
        if (!batch->parent)
            batch->count = 0;
    }
    for (size_t i = 0; i < batch->count; i++) {
        cw_frontier_candidate *c = &batch->candidates[i];
        c->item = cw_frontier_item_create(cw_frontier_batch_request(batch, i), c->origin, 0);
        if (!c->item)
            batch->count = i;
    }
}

/* Links of a page tend to share a host. */
static bool is_of_the_last(const cw_frontier_batch *batch, size_t i)
{
    return i > 0 && crawl_slice_equal(batch->candidates[i].origin, batch->candidates[i - 1].origin);
}

/* With many hosts, each is somewhere else in memory: the next ones are prefetched while one is examined. */
static void find_hosts(cw_frontier_batch *batch)
{
    const cw_map *hosts = batch->frontier->hosts.map;
    cw_frontier_candidate *all = batch->candidates;
    for (size_t i = 0; i < batch->count + HOSTS_AHEAD; i++) {
        size_t near = i - HOSTS_AHEAD / 2;
        size_t now = i - HOSTS_AHEAD;
        if (i < batch->count)
            all[i].same = is_of_the_last(batch, i);
        if (i < batch->count && !all[i].same)
            cw_map_expect(hosts, all[i].origin);
        if (near < batch->count && !all[near].same)
            cw_map_expect_value(hosts, all[near].origin, sizeof(cw_frontier_host));
        if (now < batch->count)
            all[now].host = all[now].same ? all[now - 1].host : cw_map_get(hosts, all[now].origin);
    }
}

static void expect_queue(const cw_frontier_batch *batch, size_t i)
{
    const cw_frontier_host *host = i < batch->count ? batch->candidates[i].host : NULL;
    if (!host)
        return;
    cw_frontier_queue_expect_put(&host->queues[CW_NORMAL]);
    cw_frontier_schedule_expect(&batch->frontier->schedule, host);
}

/* Keeps room in the queue of a candidate's host, which is made known if it was not. CRAWL_FULL: one host too many. */
static crawl_err keep_one(cw_frontier_batch *batch, cw_frontier_candidate *c)
{
    crawl_frontier *frontier = batch->frontier;
    crawl_err err = CRAWL_OK;
    if (!c->host)
        err = cw_frontier_hosts_get_within(&frontier->hosts, c->origin, frontier->options.max_hosts, &c->host);
    if (!err)
        err = cw_frontier_keep(frontier, c->host, &c->host->queues[CW_NORMAL]);
    if (!err)
        c->host->touched = true;
    return err;
}

/* Answers a candidate that does not stay in the batch. */
static void push_leave_out(cw_frontier_batch *batch, size_t i, crawl_pushed result)
{
    cw_frontier_batch_answer(batch, i, result);
    batch->full |= result == CRAWL_PUSHED_FULL;
    batch->frontier->refused_full += result == CRAWL_PUSHED_FULL;
    batch->frontier->refused_seen += result == CRAWL_PUSHED_SEEN;
}

/* Moves a candidate to the front of the batch, behind those kept, and the one that was there to its place. */
static void push_keep(cw_frontier_batch *batch, size_t kept, size_t i, const cw_frontier_candidate *c)
{
    batch->candidates[i] = batch->candidates[kept];
    batch->keys[kept] = batch->keys[i];
    batch->candidates[kept] = *c;
}

/* Moves the candidates with room to the front of the batch and the rest to its end, to be freed later. Cuts the batch
 * if memory runs out. */
static void keep_room(cw_frontier_batch *batch)
{
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        cw_frontier_candidate c = batch->candidates[i];
        expect_queue(batch, i + QUEUES_AHEAD);
        crawl_err err = keep_one(batch, &c);
        if (err == CRAWL_FULL) {
            push_leave_out(batch, i, CRAWL_PUSHED_FULL);
        } else if (err) {
            batch->err = err;
            break;
        } else {
            push_keep(batch, kept++, i, &c);
        }
    }
    batch->count = kept;
}

/* After an add that ran out of memory, marked requests are new, those found are seen, and the others were not
 * reached. */
static crawl_pushed push_judge(const cw_frontier_batch *batch, size_t i)
{
    if (batch->fresh[i])
        return CRAWL_PUSHED_NEW;
    if (batch->err && crawl_bloom_test(batch->frontier->seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE) != CRAWL_EXISTS)
        return CRAWL_PUSHED_INVALID;
    return cw_frontier_batch_request(batch, i)->revisit ? CRAWL_PUSHED_NEW : CRAWL_PUSHED_SEEN;
}

static void mark_all(cw_frontier_batch *batch)
{
    crawl_err err = crawl_bloom_add_many(batch->frontier->seen, batch->keys, CRAWL_FINGERPRINT_SIZE, batch->count,
                                         batch->fresh, batch->where);
    if (err)
        batch->err = err;
    for (size_t i = 0; i < batch->count; i++)
        cw_frontier_batch_answer(batch, i, push_judge(batch, i));
}

static crawl_pushed push_mark(cw_frontier_batch *batch, size_t i)
{
    crawl_bloom *seen = batch->frontier->seen;
    crawl_err err = crawl_bloom_add(seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE, &batch->where[i]);
    batch->fresh[i] = err == CRAWL_OK;
    if (err && err != CRAWL_EXISTS) {
        batch->err = err;
        return CRAWL_PUSHED_INVALID;
    }
    return !err || cw_frontier_batch_request(batch, i)->revisit ? CRAWL_PUSHED_NEW : CRAWL_PUSHED_SEEN;
}

/* Keeps room and marks one at a time: a request without room must neither be marked nor make its host known. */
static void mark_up_to(cw_frontier_batch *batch, uint64_t room)
{
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        cw_frontier_candidate c = batch->candidates[i];
        bool is_seen = !cw_frontier_batch_request(batch, i)->revisit &&
                       crawl_bloom_test(batch->frontier->seen, &batch->keys[i], CRAWL_FINGERPRINT_SIZE) == CRAWL_EXISTS;
        crawl_err err = is_seen || room == 0 ? CRAWL_FULL : keep_one(batch, &c);
        if (err == CRAWL_FULL) {
            push_leave_out(batch, i, is_seen ? CRAWL_PUSHED_SEEN : CRAWL_PUSHED_FULL);
            continue;
        }
        if (err) {
            batch->err = err;
            break;
        }
        push_keep(batch, kept, i, &c);
        crawl_pushed result = push_mark(batch, kept);
        room -= result == CRAWL_PUSHED_NEW;
        cw_frontier_batch_answer(batch, kept++, result);
    }
    batch->count = kept;
}

static void mark_seen(cw_frontier_batch *batch)
{
    const crawl_frontier *frontier = batch->frontier;
    uint64_t max = frontier->options.max_queued ? frontier->options.max_queued : UINT64_MAX;
    uint64_t room = frontier->queued < max ? max - frontier->queued : 0;
    find_hosts(batch);
    if (room < batch->count) {
        mark_up_to(batch, room);
        return;
    }
    keep_room(batch);
    mark_all(batch);
}

/* Adds the marks of a depth. Without memory for them, the deeper request is fetched too. */
static void push_add_marks(cw_frontier_batch *batch, const crawl_fingerprint *fingerprint, uint32_t depth)
{
    for (unsigned i = 0; i < CW_FRONTIER_MARKS; i++) {
        crawl_fingerprint mark = cw_frontier_depths_mark(fingerprint, depth, i);
        if (crawl_bloom_add(batch->frontier->seen, mark.bytes, CRAWL_FINGERPRINT_SIZE, NULL))
            continue;
        batch->keys[batch->count + batch->marks] = mark;
        batch->fresh[batch->count + batch->marks++] = true;
    }
}

/* Marks the new requests that were found deeper before, and the depths at which others have just found the new ones
 * nearer, since the seen ones were dropped. */
static void push_mark_depths(cw_frontier_batch *batch)
{
    crawl_frontier *frontier = batch->frontier;
    bool had_others = frontier->accepted != batch->judged;
    size_t count = frontier->options.by_depth ? batch->count : 0;
    for (size_t i = 0; i < count; i++)
        cw_frontier_depths_reach(frontier, push_depth_of(cw_frontier_batch_request(batch, i)));
    for (size_t i = 0; i < count; i++) {
        const crawl_request *request = cw_frontier_batch_request(batch, i);
        uint32_t depth = push_depth_of(request), at = 0;
        if (!batch->fresh[i])
            continue;
        if (cw_frontier_depths_found_deeper(frontier, &request->fingerprint, depth))
            push_add_marks(batch, &request->fingerprint, depth);
        else if (had_others && cw_frontier_depths_found_nearer(frontier, &request->fingerprint, depth, &at))
            push_add_marks(batch, &request->fingerprint, at);
    }
}

/* Counts all results, and gives new requests their place and their parent. */
static void push_name_new(cw_frontier_batch *batch)
{
    crawl_frontier *frontier = batch->frontier;
    batch->first = cw_frontier_sequence_batch(&frontier->sequence, frontier->options.order, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        cw_frontier_item *item = batch->candidates[i].item;
        uint8_t result = cw_frontier_batch_result(batch, i);
        frontier->refused_seen += result == CRAWL_PUSHED_SEEN;
        if (result != CRAWL_PUSHED_NEW)
            continue;
        item->where = batch->fresh[i] ? batch->where[i] : CW_FRONTIER_NOWHERE;
        cw_frontier_item_set_parent(item, batch->parent);
        batch->accepted++;
    }
    frontier->accepted += batch->accepted;
}

/* Does not queue requests that could not be written. A key that stays in the filter does no harm: the filter is read
 * from disk again before anything else is pushed. */
static void push_give_up(cw_frontier_batch *batch, crawl_err err)
{
    batch->err = err;
    batch->frontier->accepted -= batch->accepted;
    batch->accepted = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (cw_frontier_batch_result(batch, i) == CRAWL_PUSHED_NEW) {
            (void)cw_frontier_item_leave_parent(batch->candidates[i].item);
            cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_INVALID);
        }
}

static void push_take(cw_frontier_batch *batch, size_t i)
{
    cw_frontier_candidate *c = &batch->candidates[i];
    cw_frontier_item *item = c->item;
    cw_frontier_memory_adopt(&batch->frontier->memory, item);
    if (batch->flags)
        item->flags |= batch->flags;
    cw_frontier_queue_put(&c->host->queues[CW_NORMAL], cw_frontier_batch_key(batch, i), item);
    c->item = NULL;
}

static void queue_new(cw_frontier_batch *batch, int64_t now)
{
    crawl_frontier *frontier = batch->frontier;
    push_name_new(batch);
    crawl_err err = frontier->store.put && batch->accepted ? frontier->store.put(frontier, batch, now) : CRAWL_OK;
    if (err)
        push_give_up(batch, err);
    if (batch->accepted)
        cw_frontier_memory_adopt(&frontier->memory, batch->parent);
    frontier->queued += batch->accepted;
    for (size_t i = 0; i < batch->count; i++) {
        if (cw_frontier_batch_result(batch, i) == CRAWL_PUSHED_NEW)
            push_take(batch, i);
        else
            cw_frontier_queue_unkeep(&batch->candidates[i].host->queues[CW_NORMAL]);
    }
}

static void settle_hosts(cw_frontier_batch *batch, int64_t now)
{
    for (size_t i = 0; i < batch->count; i++) {
        cw_frontier_host *host = batch->candidates[i].host;
        if (host->touched) {
            host->touched = false;
            cw_frontier_settle(batch->frontier, host, now);
        }
    }
}

/* Step 4. */
static void push_admit(cw_frontier_batch *batch, int64_t now_ms)
{
    crawl_frontier *frontier = batch->frontier;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    crawl_err err = frontier->store.reserve_batch ? frontier->store.reserve_batch(frontier, batch) : CRAWL_OK;
    if (err) {
        batch->err = err;
        batch->count = 0;
    }
    mark_seen(batch);
    push_mark_depths(batch);
    queue_new(batch, now);
    if (frontier->store.batch_queued)
        frontier->store.batch_queued(frontier);
    settle_hosts(batch, now);
    cw_frontier_leave(frontier);
}

static void push_batch(cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms)
{
    push_gather(batch);
    if (batch->frontier->store.offer) {
        batch->frontier->store.offer(batch->frontier, batch, parent, now_ms);
        return;
    }
    drop_seen(batch, now_ms);
    size_t offered = batch->count;
    push_copy(batch, parent);
    size_t copied = batch->count;
    if (copied < offered)
        batch->err = CRAWL_ENOMEM;
    if (copied)
        push_admit(batch, now_ms);
    for (size_t i = 0; i < copied; i++)
        free(batch->candidates[i].item);
    if (!batch->accepted)
        free(batch->parent);
}

crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count, crawl_slice parent,
                              uint8_t *results, size_t *accepted, int64_t now_ms)
{
    cw_frontier_batch batch = {.frontier = frontier, .requests = requests, .size = count, .results = results};
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
    if (frontier->store.wait && batch.accepted && frontier->store.wait(frontier))
        batch.err = cw_frontier_failed(frontier);
    if (accepted)
        *accepted = batch.accepted;
    crawl_buf_free(&batch.origins);
    free(batch.room);
    if (batch.err)
        return batch.err;
    return batch.full ? CRAWL_FULL : CRAWL_OK;
}

void crawl_frontier_push_seen(crawl_frontier *frontier, uint64_t count)
{
    pthread_mutex_lock(&frontier->lock);
    frontier->pushed += count;
    frontier->refused_seen += count;
    pthread_mutex_unlock(&frontier->lock);
}
