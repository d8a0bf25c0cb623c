/* frontier/memory/index.c: places of values. */
#include "bench/programs/keys.h"
#include "frontier/memory/index.h"

#include <criterion/criterion.h>

typedef struct thing {
    uint64_t key;
    uint32_t other;
    uint32_t place;
} thing;

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
        thing *t = &things[next_random(&random) % 64];
        if (next_random(&random) % 3 == 0) {
            cw_frontier_index_drop(&index, t);
            cr_assert_eq(t->place, 0);
        } else {
            t->key = next_random(&random);
            cw_frontier_index_put(&index, t, (cw_heap_key){.high = t->key});
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
        cw_frontier_index_put(&index, &things[i], (cw_heap_key){.high = 200 - i});
    }
    check_places(&index);
    cr_assert_eq(index.entries[0].value, &things[199]);
    cr_assert_eq(memory.bytes, cw_frontier_held(index.entries));
    cr_assert_eq(cw_frontier_index_reserve(&index, &memory, SIZE_MAX), CRAWL_ENOMEM);
    cr_assert_eq(index.count, 200);
    cw_frontier_memory_free(&memory, index.entries);
}
