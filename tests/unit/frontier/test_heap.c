/* frontier/memory/heap.c against sorting. */
#include "frontier/memory/heap.h"

#include <criterion/criterion.h>

typedef struct thing {
    uint64_t key;
    uint32_t other;
    uint32_t place;
} thing;

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void drain_in_order(const cw_frontier_heap *heap, size_t count)
{
    cw_frontier_key last = {0};
    for (; count > 0; count--) {
        cw_frontier_entry top = cw_frontier_heap_remove(heap, count, 0);
        cr_assert(!cw_frontier_key_less(top.key, last));
        last = top.key;
    }
}

Test(heap, gives_entries_in_the_order_of_their_keys)
{
    cw_frontier_entry entries[500];
    uint64_t random = 7;
    const cw_frontier_heap forward = {.root = entries, .step = 1};
    const cw_frontier_heap backward = {.root = entries + 499, .step = -1};
    for (size_t i = 0; i < 500; i++)
        cw_frontier_heap_add(&forward, i,
                             (cw_frontier_entry){.key = {random_next(&random) % 40, random_next(&random)}});
    drain_in_order(&forward, 500);
    for (size_t i = 0; i < 500; i++)
        cw_frontier_heap_add(&backward, i,
                             (cw_frontier_entry){.key = {random_next(&random) % 40, random_next(&random)}});
    drain_in_order(&backward, 500);
}

Test(heap, two_share_an_array_from_its_ends)
{
    cw_frontier_entry entries[100];
    const cw_frontier_heap left = {.root = entries, .step = 1};
    const cw_frontier_heap right = {.root = entries + 99, .step = -1};
    for (size_t i = 0; i < 50; i++) {
        cw_frontier_heap_add(&left, i, (cw_frontier_entry){.key = {(i * 37) % 50, 0}});
        cw_frontier_heap_add(&right, i, (cw_frontier_entry){.key = {1000 + (i * 37) % 50, 0}});
    }
    for (size_t i = 0; i < 50; i++) {
        cr_assert_eq(cw_frontier_heap_remove(&left, 50 - i, 0).key.high, i);
        cr_assert_eq(cw_frontier_heap_remove(&right, 50 - i, 0).key.high, 1000 + i);
    }
}

Test(heap, low_half_of_the_key_decides_between_equal_high_halves)
{
    cr_assert(cw_frontier_key_less((cw_frontier_key){1, 9}, (cw_frontier_key){2, 0}));
    cr_assert(cw_frontier_key_less((cw_frontier_key){1, 8}, (cw_frontier_key){1, 9}));
    cr_assert(!cw_frontier_key_less((cw_frontier_key){1, 9}, (cw_frontier_key){1, 9}));
}

Test(heap, times_keep_their_order_as_keys)
{
    const int64_t times[] = {INT64_MIN, -5, -1, 0, 1, 1000, INT64_MAX};
    for (size_t i = 0; i + 1 < sizeof times / sizeof *times; i++) {
        cr_assert(cw_frontier_key_of_time(times[i]) < cw_frontier_key_of_time(times[i + 1]));
        cr_assert_eq(cw_frontier_time_of_key(cw_frontier_key_of_time(times[i])), times[i]);
    }
}

static void check_places(const cw_frontier_index *index)
{
    for (uint32_t i = 0; i < index->count; i++)
        cr_assert_eq(((thing *)index->entries[i].value)->place, i + 1);
}

static thing *least_of(thing *things, size_t count)
{
    thing *least = NULL;
    for (size_t i = 0; i < count; i++)
        if (things[i].place && (!least || things[i].key < least->key))
            least = &things[i];
    return least;
}

Test(index, values_are_put_moved_and_dropped_by_their_place)
{
    thing things[64] = {0};
    cw_frontier_memory memory = {0};
    cw_frontier_index index = {.place = offsetof(thing, place)};
    uint64_t random = 99;
    cr_assert_eq(cw_frontier_index_reserve(&index, &memory, 64), CRAWL_OK);
    for (int step = 0; step < 5000; step++) {
        thing *t = &things[random_next(&random) % 64];
        if (random_next(&random) % 3 == 0) {
            cw_frontier_index_drop(&index, t);
            cr_assert_eq(t->place, 0);
        } else {
            t->key = random_next(&random);
            cw_frontier_index_put(&index, t, (cw_frontier_key){.high = t->key});
        }
        check_places(&index);
        thing *least = least_of(things, 64);
        cr_assert_eq(index.count ? index.entries[0].value : NULL, least);
    }
    cw_frontier_memory_free(&memory, index.entries);
    cr_assert_eq(memory.bytes, 0);
}

Test(index, reserve_keeps_what_is_in_and_counts_its_memory)
{
    thing things[200] = {0};
    cw_frontier_memory memory = {0};
    cw_frontier_index index = {.place = offsetof(thing, place)};
    for (uint32_t i = 0; i < 200; i++) {
        cr_assert_eq(cw_frontier_index_reserve(&index, &memory, i + 1), CRAWL_OK);
        cr_assert_geq(index.capacity, i + 1);
        cw_frontier_index_put(&index, &things[i], (cw_frontier_key){.high = 200 - i});
    }
    check_places(&index);
    cr_assert_eq(index.entries[0].value, &things[199]);
    cr_assert_eq(memory.bytes, cw_frontier_held(index.entries));
    cr_assert_eq(cw_frontier_index_reserve(&index, &memory, SIZE_MAX), CRAWL_ENOMEM);
    cr_assert_eq(index.count, 200);
    cw_frontier_memory_free(&memory, index.entries);
}
