/* The table of resting hosts, against a plain list. */
#include "frontier/hosts/resting.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { HOSTS = 3000, STEPS = 60000 };

static crawl_slice origin_of(unsigned i, char text[32])
{
    snprintf(text, 32, "http://host%u", i);
    return crawl_slice_from(text);
}

/* Returns true if the host is found under its number, once, and as it was put in. */
static bool is_found(const cw_frontier_resting *resting, unsigned i, bool was_opened)
{
    char text[32];
    cw_frontier_rester rester;
    uint64_t cursor = 0;
    unsigned found = 0;
    while (cw_frontier_resting_next(resting, origin_of(i, text), &cursor, &rester))
        found += rester.number == i && rester.was_opened == was_opened;
    cr_assert_leq(found, 1);
    return found;
}

Test(resting, a_random_walk_finds_what_rests_and_nothing_else)
{
    static bool rests[HOSTS], opened[HOSTS];
    cw_frontier_memory memory = {0};
    cw_frontier_resting resting = {.seed = 7};
    uint64_t random = 88172645463325252u, count = 0;
    char text[32];
    for (unsigned step = 0; step < STEPS; step++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        unsigned i = (unsigned)(random >> 11) % HOSTS;
        cr_assert_eq(is_found(&resting, i, opened[i]), rests[i], "step %u", step);
        if (rests[i]) {
            cw_frontier_resting_remove(&resting, origin_of(i, text), (cw_frontier_rester){i, opened[i]});
        } else {
            opened[i] = random & 1;
            cr_assert_eq(cw_frontier_resting_reserve(&resting, &memory, 1), CRAWL_OK);
            cw_frontier_resting_add(&resting, origin_of(i, text), (cw_frontier_rester){i, opened[i]});
        }
        rests[i] = !rests[i];
        count += rests[i] ? 1 : (uint64_t)-1;
        cr_assert_eq(resting.count, count);
    }
    for (unsigned i = 0; i < HOSTS; i++)
        cr_assert_eq(is_found(&resting, i, opened[i]), rests[i], "host %u", i);
    cr_assert_eq(memory.bytes, cw_frontier_held(resting.slots));
    cr_assert_leq(resting.room, (uint64_t)HOSTS * 2, "%llu", (unsigned long long)resting.room);
    free(resting.slots);
}

Test(resting, an_empty_table_has_nobody)
{
    cw_frontier_resting resting = {.seed = 7};
    cw_frontier_rester rester;
    uint64_t cursor = 0;
    cr_assert_not(cw_frontier_resting_next(&resting, crawl_slice_from("http://a"), &cursor, &rester));
}
