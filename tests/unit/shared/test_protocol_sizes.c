/* The sizes of the links of a shared seen-set's chain, checked against the promised rate by simulation. */
#include "bench/programs/keys.h"
#include "shared/protocol/sizes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Draws a key: one bit in each lane of a block. Returns true if all of them were set. */
static bool test_and_set(uint8_t (*blocks)[64], uint32_t count, uint64_t *state, bool set)
{
    uint8_t *block = blocks[next_random(state) % count];
    uint64_t bits = next_random(state);
    bool had = true;
    for (unsigned lane = 0; lane < 8; lane++, bits >>= 6) {
        unsigned place = lane * 64 + bits % 64;
        had = had && (block[place / 8] & 1u << place % 8);
        if (set)
            block[place / 8] |= (uint8_t)(1u << place % 8);
    }
    return had;
}

Test(sizes, a_full_link_has_the_rate_it_was_made_for)
{
    enum { TRIES = 1000000 };
    cw_shared_link link = cw_shared_link_of(0, 0.01, 20000);
    uint8_t(*blocks)[64] = calloc(link.blocks, sizeof *blocks);
    uint64_t state = 7;
    cr_assert_geq(link.capacity, 20000);
    for (uint32_t i = 0; i < link.capacity; i++)
        test_and_set(blocks, link.blocks, &state, true);
    unsigned taken = 0;
    for (unsigned i = 0; i < TRIES; i++)
        taken += test_and_set(blocks, link.blocks, &state, false);
    double rate = (double)taken / TRIES; /* 6/pi^2 of the whole */
    cr_assert(rate > 0.0055 && rate < 0.0066, "%g", rate);
    free(blocks);
}

Test(sizes, links_double_until_they_are_as_long_as_a_string_may_be)
{
    uint32_t last = 0;
    uint64_t room = 0;
    for (unsigned i = 0; i < CW_SHARED_LINKS; i++) {
        cw_shared_link link = cw_shared_link_of(i, 0.001, 4000);
        cr_expect(i == 0 || link.blocks == last * 2 || link.blocks == 1u << 23, "%u", i);
        cr_expect_leq((uint64_t)link.blocks * 64, 512u << 20);
        last = link.blocks;
        room += link.capacity;
    }
    cr_expect_eq(last, 1u << 23);
    cr_expect_gt(room, 400000000u); /* of one partition: 1e11 of all */
}

Test(sizes, is_written_as_scripts_read_it)
{
    unsigned char bytes[CW_SHARED_LINKS * CW_SHARED_SIZE];
    cw_shared_sizes_write(0.001, 4000, (char *)bytes);
    for (unsigned i = 0; i < CW_SHARED_LINKS; i++) {
        cw_shared_link link = cw_shared_link_of(i, 0.001, 4000);
        uint32_t numbers[2];
        for (unsigned n = 0; n < 2; n++) {
            const unsigned char *at = bytes + i * CW_SHARED_SIZE + n * 4;
            numbers[n] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        }
        cr_expect_eq(numbers[0], link.blocks);
        cr_expect_eq(numbers[1], link.capacity);
    }
}

Test(sizes, a_chain_keeps_its_promise_and_loses_less_than_it_allows)
{
    cw_shared_link links[CW_SHARED_LINKS];
    for (unsigned i = 0; i < CW_SHARED_LINKS; i++)
        links[i] = cw_shared_link_of(i, 0.01, 4000);
    cw_shared_chain none = cw_shared_chain_of(links, 0, 0);
    cr_expect_eq(none.keys, 0);
    cw_shared_chain one = cw_shared_chain_of(links, 1, links[0].capacity);
    cr_expect(one.rate > 0.0060 && one.rate < 0.0061, "%g", one.rate); /* 6/pi^2 of the whole */
    cr_expect(one.lost > 0.05 * one.rate * one.keys && one.lost < 0.5 * one.rate * one.keys, "%g", one.lost);
    cr_expect(one.bits > 0.3 * 512 * one.blocks && one.bits < 0.6 * 512 * one.blocks, "%g", one.bits);
    cw_shared_chain long_one = cw_shared_chain_of(links, 8, links[7].capacity);
    cr_expect(long_one.rate > 0.009 && long_one.rate < 0.01, "%g", long_one.rate);
    cr_expect_eq(long_one.keys, long_one.capacity);
    cr_expect_gt(long_one.lost, one.lost);
    cr_expect_lt(long_one.lost, 0.01 * long_one.keys);
}
