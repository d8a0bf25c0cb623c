/* frontier/hosts/dormant.c: places and dates of resting hosts, against a list searched from end to end. */
#include "frontier/hosts/dormant.h"
#include "tests/unit/frontier/help.h"

enum { HOSTS = 2000, WALK = 30000, LEVELS = 3, SERVED = 100000 };

static uint64_t state = 1;

static uint64_t draw(uint64_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}

typedef struct place {
    bool rests;
    cw_heap_key key;
} place;

static bool first_of(const place *places, cw_heap_key *key, uint32_t *number)
{
    bool found = false;
    for (uint32_t i = 0; i < HOSTS; i++)
        if (places[i].rests && (!found || cw_heap_key_less(places[i].key, *key))) {
            *key = places[i].key;
            *number = i;
            found = true;
        }
    return found;
}

/* Half of the hosts are at the place of their number, under one of a few levels. */
Test(dormant, a_random_walk_finds_the_first_place)
{
    static place places[HOSTS];
    cw_frontier_memory memory = {0};
    cw_frontier_dormant dormant = cw_frontier_dormant_start();
    for (unsigned step = 0; step < WALK; step++) {
        uint32_t number = (uint32_t)draw(HOSTS);
        if (draw(3) && !places[number].rests) {
            cw_heap_key key = {.high = draw(LEVELS), .low = draw(2) ? number : SERVED + step};
            cr_assert_eq(cw_frontier_dormant_add(&dormant, &memory, key, number), CRAWL_OK);
            places[number] = (place){.rests = true, .key = key};
            continue;
        }
        cw_heap_key expected = {0};
        cw_heap_key key = {0};
        uint32_t first = HOSTS;
        uint32_t found[2] = {HOSTS, HOSTS};
        bool any = first_of(places, &expected, &number);
        cr_assert_eq(cw_frontier_dormant_first(&dormant, &key, &first), any);
        cr_assert_eq(cw_frontier_dormant_next(&dormant, found, 2) > 0, any);
        if (!any)
            continue;
        cr_assert_eq(key.high, expected.high);
        cr_assert_eq(key.low, expected.low);
        cr_assert_eq(first, number);
        cr_assert_eq(*found, number);
        if (draw(2))
            cw_frontier_dormant_remove(&dormant, &memory, key, number);
        cw_frontier_dormant_passed(&dormant, &memory, number);
        places[number].rests = false;
    }
    for (uint32_t number; cw_frontier_dormant_next(&dormant, &number, 1);)
        cw_frontier_dormant_passed(&dormant, &memory, number);
    cr_assert_eq(dormant.pages.count, 0);
    cr_assert_eq(dormant.turns.count, 0);
    cr_assert_eq(memory.bytes, cw_frontier_held(dormant.pages.entries) + cw_frontier_held(dormant.turns.entries));
    cw_frontier_dormant_free(&dormant);
}

/* Hosts of one page come together, in the order of their numbers, as long as all have one level. */
Test(dormant, hosts_never_asked_take_a_bit_each)
{
    enum { MANY = 100000 };
    static uint32_t numbers[MANY];
    cw_frontier_memory memory = {0};
    cw_frontier_dormant dormant = cw_frontier_dormant_start();
    for (uint32_t i = MANY; i-- > 0;)
        cr_assert_eq(cw_frontier_dormant_add(&dormant, &memory, (cw_heap_key){.high = 7, .low = i}, i), CRAWL_OK);
    cr_assert_leq(memory.bytes + cw_map_bytes(dormant.named), MANY, "%llu", (unsigned long long)memory.bytes);
    cr_assert_eq(cw_frontier_dormant_add(&dormant, &memory, (cw_heap_key){.high = 6, .low = 99}, 99), CRAWL_OK);
    cr_assert_eq(cw_frontier_dormant_next(&dormant, numbers, MANY), 1);
    cr_assert_eq(numbers[0], 99);
    cw_frontier_dormant_passed(&dormant, &memory, 99);
    cr_assert_eq(cw_frontier_dormant_next(&dormant, numbers, MANY), CW_FRONTIER_DORMANT_PAGE);
    for (uint32_t i = 0; i < CW_FRONTIER_DORMANT_PAGE; i++)
        cr_assert_eq(numbers[i], i);
    cw_frontier_dormant_free(&dormant);
}

/* So that they are read from the disk together. */
Test(dormant, hosts_asked_before_come_together_as_well)
{
    enum { MANY = 1000, LEVEL = 10 };
    uint32_t numbers[MANY];
    cw_frontier_memory memory = {0};
    cw_frontier_dormant dormant = cw_frontier_dormant_start();
    for (uint32_t i = MANY; i-- > 0;) {
        cw_heap_key key = {.high = i / LEVEL, .low = SERVED + i};
        cr_assert_eq(cw_frontier_dormant_add(&dormant, &memory, key, MANY - i), CRAWL_OK);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        size_t left = LEVEL - i % LEVEL;
        cr_assert_eq(cw_frontier_dormant_next(&dormant, numbers, MANY), left);
        cr_assert_eq(cw_frontier_dormant_next(&dormant, numbers, 3), left < 3 ? left : 3);
        for (size_t j = 0; j < left && j < 3; j++)
            cr_assert_eq(numbers[j], MANY - i - j);
        cw_frontier_dormant_passed(&dormant, &memory, numbers[0]);
    }
    cr_assert_eq(cw_frontier_dormant_next(&dormant, numbers, MANY), 0);
    cw_frontier_dormant_free(&dormant);
}

/* A host that has rested again and again leaves entries behind, but not many. */
Test(dormant, entries_of_before_do_not_pile_up)
{
    enum { FEW = 500, TIMES = 100000 };
    cw_frontier_memory memory = {0};
    cw_frontier_dormant dormant = cw_frontier_dormant_start();
    for (uint32_t i = 0; i < TIMES; i++) {
        uint32_t number = i % FEW;
        cw_heap_key key = {.low = SERVED + i};
        cr_assert_eq(cw_frontier_dormant_add(&dormant, &memory, key, number), CRAWL_OK);
        cr_assert_eq(cw_frontier_dormant_add_date(&dormant, &memory, (int64_t)i - 7, number), CRAWL_OK);
    }
    cr_assert_leq(dormant.turns.count, 2 * FEW + 1025, "%zu", dormant.turns.count);
    cr_assert_leq(dormant.dates.count, 2 * FEW + 1025, "%zu", dormant.dates.count);
    for (uint32_t i = 0; i < FEW; i++) { /* the first of each host is still there */
        uint32_t number = FEW;
        cr_assert_eq(cw_frontier_dormant_date(&dormant, &number), (int64_t)i - 7);
        cr_assert_eq(number, i);
        cw_frontier_dormant_passed(&dormant, &memory, number);
    }
    cw_frontier_dormant_free(&dormant);
}
