/* base/heap.c against sorting. */
#include "base/heap.h"
#include "bench/programs/keys.h"

#include <criterion/criterion.h>

typedef struct thing {
    uint64_t key;
    uint32_t other;
    uint32_t place;
} thing;

static void drain_in_order(const cw_heap *heap, size_t count)
{
    cw_heap_key last = {0};
    for (; count > 0; count--) {
        cw_heap_entry top = cw_heap_remove(heap, count, 0);
        cr_assert(!cw_heap_key_less(top.key, last));
        last = top.key;
    }
}

Test(heap, gives_entries_in_the_order_of_their_keys)
{
    cw_heap_entry entries[500];
    uint64_t random = 7;
    const cw_heap forward = {.root = entries, .step = 1};
    const cw_heap backward = {.root = entries + 499, .step = -1};
    for (size_t i = 0; i < 500; i++)
        cw_heap_add(&forward, i, (cw_heap_entry){.key = {next_random(&random) % 40, next_random(&random)}});
    drain_in_order(&forward, 500);
    for (size_t i = 0; i < 500; i++)
        cw_heap_add(&backward, i, (cw_heap_entry){.key = {next_random(&random) % 40, next_random(&random)}});
    drain_in_order(&backward, 500);
}

Test(heap, two_share_an_array_from_its_ends)
{
    cw_heap_entry entries[100];
    const cw_heap left = {.root = entries, .step = 1};
    const cw_heap right = {.root = entries + 99, .step = -1};
    for (size_t i = 0; i < 50; i++) {
        cw_heap_add(&left, i, (cw_heap_entry){.key = {(i * 37) % 50, 0}});
        cw_heap_add(&right, i, (cw_heap_entry){.key = {1000 + (i * 37) % 50, 0}});
    }
    for (size_t i = 0; i < 50; i++) {
        cr_assert_eq(cw_heap_remove(&left, 50 - i, 0).key.high, i);
        cr_assert_eq(cw_heap_remove(&right, 50 - i, 0).key.high, 1000 + i);
    }
}

Test(heap, low_half_of_the_key_decides_between_equal_high_halves)
{
    cr_assert(cw_heap_key_less((cw_heap_key){1, 9}, (cw_heap_key){2, 0}));
    cr_assert(cw_heap_key_less((cw_heap_key){1, 8}, (cw_heap_key){1, 9}));
    cr_assert(!cw_heap_key_less((cw_heap_key){1, 9}, (cw_heap_key){1, 9}));
}

Test(heap, times_keep_their_order_as_keys)
{
    const int64_t times[] = {INT64_MIN, -5, -1, 0, 1, 1000, INT64_MAX};
    for (size_t i = 0; i + 1 < sizeof times / sizeof *times; i++) {
        cr_assert(cw_heap_key_of_time(times[i]) < cw_heap_key_of_time(times[i + 1]));
        cr_assert_eq(cw_heap_time_of_key(cw_heap_key_of_time(times[i])), times[i]);
    }
}

static void check_places(const cw_heap *heap, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(((thing *)heap->root[i].value)->place, i + 1);
}

Test(heap, values_that_know_their_place_are_replaced_and_removed_by_it)
{
    thing things[64] = {0};
    cw_heap_entry entries[64];
    const cw_heap heap = {.root = entries, .step = 1, .place = offsetof(thing, place)};
    uint64_t random = 3;
    size_t count = 0;
    for (int step = 0; step < 5000; step++) {
        thing *t = &things[next_random(&random) % 64];
        cw_heap_entry entry = {{.high = next_random(&random) % 30}, t};
        if (t->place && next_random(&random) % 2)
            cw_heap_remove(&heap, count--, t->place - 1);
        else if (t->place)
            cw_heap_replace(&heap, count, t->place - 1, entry);
        else
            cw_heap_add(&heap, count++, entry);
        check_places(&heap, count);
    }
    drain_in_order(&heap, count);
    for (size_t i = 0; i < 64; i++)
        cr_assert_eq(things[i].place, 0);
}
