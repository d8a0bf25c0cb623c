/* frontier/hosts/queue.c: one array with ready requests on its left and delayed ones on its right. */
#include "tests/unit/frontier/help.h"

static cw_frontier_item *item_of(uint32_t depth)
{
    crawl_request request = request_for("http://h/", depth, 0);
    return cw_frontier_item_create(&request, crawl_slice_from("http://h"), 0);
}

static void put(cw_frontier_queue *queue, cw_frontier_memory *memory, uint32_t depth, uint64_t sequence)
{
    cw_frontier_item *item = item_of(depth);
    cr_assert_eq(cw_frontier_queue_keep(queue, memory), CRAWL_OK);
    cw_frontier_queue_put(queue, cw_frontier_order_key(CRAWL_ORDER_BFS, item, sequence), item);
}

static void delay(cw_frontier_queue *queue, cw_frontier_memory *memory, int64_t until, uint64_t sequence)
{
    cr_assert_eq(cw_frontier_queue_keep(queue, memory), CRAWL_OK);
    cw_frontier_queue_delay(queue, until, sequence, item_of(0));
}

static uint64_t take(cw_frontier_queue *queue)
{
    cw_heap_entry entry = cw_frontier_queue_take(queue);
    cw_frontier_queue_unkeep(queue);
    free(entry.value);
    return entry.key.low;
}

Test(queue, holds_no_memory_when_empty)
{
    cw_frontier_memory memory = {0};
    cw_frontier_queue queue = {0};
    put(&queue, &memory, 0, 1);
    cr_assert_gt(memory.bytes, 0);
    cw_frontier_queue_trim(&queue, &memory);
    cr_assert_not_null(queue.entries);
    take(&queue);
    cw_frontier_queue_trim(&queue, &memory);
    cr_assert_null(queue.entries);
    cr_assert_eq(memory.bytes, 0);
}

Test(queue, gives_in_order_through_growing_and_shrinking)
{
    cw_frontier_memory memory = {0};
    cw_frontier_queue queue = {0};
    for (uint64_t i = 0; i < 1000; i++)
        put(&queue, &memory, (uint32_t)(i * 7 % 10), i);
    uint32_t largest = queue.capacity;
    uint32_t depth = 0;
    for (uint64_t left = 1000; left > 0; left--) {
        uint32_t head = ((cw_frontier_item *)cw_frontier_queue_head(&queue)->value)->depth;
        cr_assert_geq(head, depth);
        depth = head;
        take(&queue);
        cw_frontier_queue_trim(&queue, &memory);
        cr_assert_geq(queue.capacity, left - 1);
    }
    cr_assert_geq(largest, 1000);
    cr_assert_eq(queue.capacity, 0);
}

Test(queue, keeps_the_delayed_in_order_while_the_array_moves)
{
    cw_frontier_memory memory = {0};
    cw_frontier_queue queue = {0};
    for (uint64_t i = 0; i < 300; i++) {
        delay(&queue, &memory, (int64_t)(i * 89 % 300), i);
        put(&queue, &memory, 0, 1000 + i);
    }
    for (uint64_t i = 0; i < 300; i++)
        take(&queue);
    for (int64_t now = 0; now < 300; now++) {
        cw_frontier_queue_trim(&queue, &memory);
        cr_assert_eq(cw_frontier_queue_due(&queue), now);
        cr_assert_eq(cw_frontier_queue_next(&queue), now);
        cr_assert_null(cw_frontier_queue_head(&queue));
        cw_frontier_queue_ripen(&queue, CRAWL_ORDER_BFS, now);
        cr_assert_eq(cw_frontier_queue_next(&queue), CW_FRONTIER_NEVER);
        cr_assert_eq((int64_t)(take(&queue) * 89 % 300), now);
    }
    cr_assert_eq(cw_frontier_queue_next(&queue), CRAWL_FOREVER);
    cw_frontier_queue_trim(&queue, &memory);
    cr_assert_eq(memory.bytes, 0);
}

Test(queue, what_is_due_ripens_at_once_and_to_its_place)
{
    cw_frontier_memory memory = {0};
    cw_frontier_queue queue = {0};
    put(&queue, &memory, 0, 5);
    delay(&queue, &memory, 100, 9);
    delay(&queue, &memory, 90, 3);
    delay(&queue, &memory, 101, 1);
    cw_frontier_queue_ripen(&queue, CRAWL_ORDER_BFS, 100);
    cr_assert_eq(queue.ready, 3);
    cr_assert_eq(take(&queue), 3);
    cr_assert_eq(take(&queue), 5);
    cr_assert_eq(take(&queue), 9);
    cr_assert_eq(cw_frontier_queue_due(&queue), 101);
    cw_frontier_queue_ripen(&queue, CRAWL_ORDER_BFS, 101);
    take(&queue);
    cw_frontier_queue_trim(&queue, &memory);
}

Test(queue, room_of_what_was_taken_stays_kept)
{
    cw_frontier_memory memory = {0};
    cw_frontier_queue queue = {0};
    cw_heap_entry taken[50];
    for (uint64_t i = 0; i < 50; i++)
        put(&queue, &memory, 0, i);
    for (size_t i = 0; i < 50; i++)
        taken[i] = cw_frontier_queue_take(&queue);
    cw_frontier_queue_trim(&queue, &memory);
    cr_assert_eq(queue.kept, 50);
    cr_assert_geq(queue.capacity, 50);
    for (size_t i = 0; i < 50; i++)
        cw_frontier_queue_delay(&queue, (int64_t)i, taken[i].key.low, taken[i].value);
    cr_assert_eq(queue.kept, 0);
    cr_assert_eq(queue.delayed, 50);
    cw_frontier_queue_ripen(&queue, CRAWL_ORDER_BFS, 49);
    for (uint64_t i = 0; i < 50; i++)
        cr_assert_eq(take(&queue), i);
    cw_frontier_queue_trim(&queue, &memory);
    cr_assert_eq(memory.bytes, 0);
}
