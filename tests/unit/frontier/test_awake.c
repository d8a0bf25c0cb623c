/* frontier/hosts/awake.c: hosts by number, few of many. */
#include "frontier/hosts/awake.h"
#include "tests/unit/frontier/help.h"

enum { HOSTS = 3000, WALK = 100000, FAR = 1000003 };

/* Returns numbers in dense stretches that are far apart. */
static uint32_t number_of(unsigned i)
{
    return (i / 100) * FAR + i % 100;
}

Test(awake, a_random_walk_finds_hosts_by_number)
{
    static cw_frontier_host hosts[HOSTS];
    static bool is_in[HOSTS];
    cw_frontier_memory memory = {0};
    cw_frontier_awake awake = {0};
    size_t count = 0;
    uint64_t state = 1;
    cr_assert_null(cw_frontier_awake_find(&awake, 0));
    for (unsigned i = 0; i < HOSTS; i++)
        hosts[i].number = number_of(i);
    for (unsigned step = 0; step < WALK; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned i = (unsigned)(state >> 33) % HOSTS;
        cr_assert_eq(cw_frontier_awake_find(&awake, number_of(i)), is_in[i] ? &hosts[i] : NULL, "step %u", step);
        if (is_in[i]) {
            cw_frontier_awake_remove(&awake, &hosts[i]);
            count--;
        } else {
            cr_assert_eq(cw_frontier_awake_reserve(&awake, &memory), CRAWL_OK);
            cw_frontier_awake_add(&awake, &hosts[i]);
            count++;
        }
        is_in[i] = !is_in[i];
        cr_assert_eq(awake.count, count);
    }
    for (unsigned i = 0; i < HOSTS; i++)
        cr_assert_eq(cw_frontier_awake_find(&awake, number_of(i)), is_in[i] ? &hosts[i] : NULL, "host %u", i);
    cr_assert_eq(memory.bytes, cw_frontier_held(awake.slots) + cw_frontier_held(awake.numbers));
    cr_assert_leq(awake.room, 4 * HOSTS);
    free(awake.slots);
    free(awake.numbers);
}
