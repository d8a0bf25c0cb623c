/* See queue.h. Invariants:
 *
 *   Q1  ready + delayed + kept <= capacity: whatever was taken can come back, so that ending a lease never allocates.
 *   Q2  entries[0, ready) is a heap by order key; read backwards, entries[capacity - delayed, capacity) is one by date.
 *   Q3  a delayed entry's key is (date, sequence): the order key can be made again from it and the item.
 *   Q4  no array is held when ready + delayed + kept is 0 (after a trim). */
#include "frontier/queue.h"

#define QUEUE_MAX (UINT32_MAX / 2) /* requests of one host */
#define QUEUE_MIN 2u               /* entries of the smallest array: many hosts have but a page or two */

static cw_heap ready_heap(const cw_queue *queue)
{
    return (cw_heap){.root = queue->entries, .step = 1};
}

static cw_heap delayed_heap(const cw_queue *queue)
{
    return (cw_heap){.root = queue->entries + queue->capacity - 1, .step = -1};
}

static size_t used(const cw_queue *queue)
{
    return (size_t)queue->ready + queue->delayed + queue->kept;
}

static void move_delayed(cw_queue *queue, size_t from, size_t to)
{
    if (queue->delayed)
        memmove(queue->entries + to - queue->delayed, queue->entries + from - queue->delayed,
                queue->delayed * sizeof *queue->entries);
}

/* Keeps Q2: the delayed heap moves with the right end. */
static crawl_err resize(cw_queue *queue, cw_memory *memory, size_t capacity)
{
    size_t before = queue->capacity;
    if (capacity < before)
        move_delayed(queue, before, capacity);
    cw_entry *entries = cw_memory_resize(memory, queue->entries, capacity * sizeof *entries);
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
crawl_err cw_queue_keep(cw_queue *queue, cw_memory *memory)
{
    if (used(queue) == queue->capacity) {
        size_t capacity = queue->capacity + queue->capacity / 2;
        if (capacity >= QUEUE_MAX)
            return CRAWL_ENOMEM;
        crawl_err err = resize(queue, memory, capacity < QUEUE_MIN ? QUEUE_MIN : capacity);
        if (err)
            return err;
    }
    queue->kept++;
    return CRAWL_OK;
}

void cw_queue_unkeep(cw_queue *queue)
{
    queue->kept--;
}

void cw_queue_put(cw_queue *queue, cw_key key, cw_item *item)
{
    cw_heap heap = ready_heap(queue);
    queue->kept--;
    cw_heap_add(&heap, queue->ready++, (cw_entry){.key = key, .value = item});
}

/* Keeps Q3. */
void cw_queue_delay(cw_queue *queue, int64_t until, uint64_t sequence, cw_item *item)
{
    cw_heap heap = delayed_heap(queue);
    cw_key key = {.high = cw_key_of_time(until), .low = sequence};
    queue->kept--;
    cw_heap_add(&heap, queue->delayed++, (cw_entry){.key = key, .value = item});
}

void cw_queue_ripen(cw_queue *queue, crawl_order order, int64_t now)
{
    while (cw_queue_due(queue) <= now) {
        cw_heap heap = delayed_heap(queue);
        cw_entry entry = cw_heap_remove(&heap, queue->delayed--, 0);
        queue->kept++;
        cw_queue_put(queue, cw_order_key(order, entry.value, entry.key.low), entry.value);
    }
}

cw_entry cw_queue_take(cw_queue *queue)
{
    cw_heap heap = ready_heap(queue);
    queue->kept++;
    return cw_heap_remove(&heap, queue->ready--, 0);
}

/* Keeps Q4. A quarter used gives half back, so that a queue around one size does not grow and shrink by turns. */
void cw_queue_trim(cw_queue *queue, cw_memory *memory)
{
    size_t left = used(queue);
    if (left == 0) {
        cw_memory_free(memory, queue->entries);
        queue->entries = NULL;
        queue->capacity = 0;
    } else if (queue->capacity > 2 * QUEUE_MIN && left < queue->capacity / 4) {
        (void)resize(queue, memory, queue->capacity / 2); /* where there is no memory it stays as large as it is */
    }
}
