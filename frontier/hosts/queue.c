/* See queue.h. Invariants:
 *
 *   Q1  ready + delayed + kept <= capacity: every taken request can come back, so that ending a lease never allocates.
 *   Q2  entries[0, ready) is a heap by order key; read backwards, entries[capacity - delayed, capacity) is one by date.
 *   Q3  a delayed entry's key is (date, sequence): with the item, it gives the order key again.
 *   Q4  no array is held when ready + delayed + kept is 0, and no tail either if nothing is only in the store (after a
 *       trim). */
#include "frontier/store.h"

#define QUEUE_MAX (UINT32_MAX / 2) /* requests of one host in memory */
#define QUEUE_MIN 2u               /* entries of the smallest array: many hosts have only a page or two */

static size_t used(const cw_frontier_queue *queue)
{
    return (size_t)queue->ready + queue->delayed + queue->kept;
}

static void move_delayed(cw_frontier_queue *queue, size_t from, size_t to)
{
    if (queue->delayed)
        memmove(queue->entries + to - queue->delayed, queue->entries + from - queue->delayed,
                queue->delayed * sizeof *queue->entries);
}

/* Keeps Q2: the delayed heap moves with the right end. */
static crawl_err resize(cw_frontier_queue *queue, cw_frontier_memory *memory, size_t capacity)
{
    size_t before = queue->capacity;
    if (capacity < before)
        move_delayed(queue, before, capacity);
    cw_heap_entry *entries = cw_frontier_memory_resize(memory, queue->entries, capacity * sizeof *entries);
    if (!entries) {
        if (capacity < before)
            move_delayed(queue, capacity, before);
        return CRAWL_ENOMEM;
    }
    queue->entries = entries;
    queue->capacity = (uint32_t)capacity;
    if (capacity > before)
        move_delayed(queue, before, capacity);
    return CRAWL_OK;
}

/* Keeps Q1. */
crawl_err cw_frontier_queue_reserve(cw_frontier_queue *queue, cw_frontier_memory *memory, uint32_t more)
{
    size_t wanted = used(queue) + more;
    if (wanted <= queue->capacity)
        return CRAWL_OK;
    size_t capacity = queue->capacity + queue->capacity / 2;
    if (capacity < wanted)
        capacity = wanted < QUEUE_MIN ? QUEUE_MIN : wanted;
    return capacity < QUEUE_MAX ? resize(queue, memory, capacity) : CRAWL_ENOMEM;
}

crawl_err cw_frontier_queue_keep(cw_frontier_queue *queue, cw_frontier_memory *memory)
{
    crawl_err err = cw_frontier_queue_reserve(queue, memory, 1);
    if (!err)
        queue->kept++;
    return err;
}

void cw_frontier_queue_unkeep(cw_frontier_queue *queue)
{
    queue->kept--;
}

static void add_to_heap(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item)
{
    cw_heap heap = cw_frontier_queue_heap(queue, lane);
    cw_heap_add(&heap, lane == CW_LANE_READY ? queue->ready++ : queue->delayed++,
                (cw_heap_entry){.key = key, .value = item});
}

static void add_with_tail(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item)
{
    if (queue->tail->calls->takes(queue, lane, key, item))
        return;
    add_to_heap(queue, lane, key, item);
    queue->tail->calls->grew(queue, lane, item);
}

static void queue_add(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item)
{
    queue->kept--;
    if (queue->tail)
        add_with_tail(queue, lane, key, item);
    else
        add_to_heap(queue, lane, key, item);
}

void cw_frontier_queue_expect_put(const cw_frontier_queue *queue)
{
    cw_heap heap = cw_frontier_queue_heap(queue, CW_LANE_READY);
    cw_heap_expect_add(&heap, queue->ready);
    if (!queue->tail)
        return;
    __builtin_prefetch(queue->tail, 1);
    __builtin_prefetch((const char *)queue->tail + sizeof *queue->tail, 1); /* the store's own */
}

void cw_frontier_queue_put(cw_frontier_queue *queue, cw_heap_key key, cw_frontier_item *item)
{
    queue_add(queue, CW_LANE_READY, key, item);
}

/* Keeps Q3. */
void cw_frontier_queue_delay(cw_frontier_queue *queue, int64_t until, uint64_t sequence, cw_frontier_item *item)
{
    queue_add(queue, CW_LANE_DELAYED, (cw_heap_key){.high = cw_heap_key_of_time(until), .low = sequence}, item);
}

static void ripen(cw_frontier_queue *queue, crawl_order order)
{
    cw_heap_entry entry = cw_frontier_queue_take_delayed(queue);
    cw_frontier_queue_put(queue, cw_frontier_order_key(order, entry.value, entry.key.low), entry.value);
}

crawl_err cw_frontier_queue_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now)
{
    while (cw_frontier_queue_due(queue) <= now) {
        if (queue->tail)
            return queue->tail->calls->ripen(queue, order, now);
        ripen(queue, order);
    }
    return CRAWL_OK;
}

static cw_heap_entry queue_take_first(cw_frontier_queue *queue, int lane)
{
    cw_heap heap = cw_frontier_queue_heap(queue, lane);
    cw_heap_entry entry = cw_heap_remove(&heap, lane == CW_LANE_READY ? queue->ready-- : queue->delayed--, 0);
    queue->kept++;
    if (queue->tail)
        queue->tail->calls->shrank(queue, entry.value);
    return entry;
}

cw_heap_entry cw_frontier_queue_take(cw_frontier_queue *queue)
{
    return queue_take_first(queue, CW_LANE_READY);
}

cw_heap_entry cw_frontier_queue_take_delayed(cw_frontier_queue *queue)
{
    return queue_take_first(queue, CW_LANE_DELAYED);
}

cw_frontier_lane cw_frontier_queue_whole(const cw_frontier_queue *queue, int lane)
{
    uint32_t count = cw_frontier_queue_in_memory(queue, lane);
    cw_frontier_lane beyond = queue->tail ? queue->tail->lanes[lane] : (cw_frontier_lane){0};
    if (!count)
        return beyond;
    cw_heap_key first = cw_frontier_queue_heap(queue, lane).root->key;
    return (cw_frontier_lane){.edge = cw_frontier_queue_is_before_edge(queue, lane, first) ? first : beyond.edge,
                              .count = beyond.count + count};
}

/* Keeps Q4. Gives half back when less than a quarter is used, so that a queue around one size does not keep growing and
 * shrinking. */
void cw_frontier_queue_trim(cw_frontier_queue *queue, cw_frontier_memory *memory)
{
    size_t left = used(queue);
    if (left == 0) {
        if (queue->tail && !cw_frontier_queue_count(queue))
            queue->tail->calls->free(queue, memory);
        if (!queue->entries)
            return;
        cw_frontier_memory_free(memory, queue->entries);
        queue->entries = NULL;
        queue->capacity = 0;
    } else if (queue->capacity > 2 * QUEUE_MIN && left < queue->capacity / 4) {
        (void)resize(queue, memory, queue->capacity / 2); /* without memory it keeps its size */
    }
}
