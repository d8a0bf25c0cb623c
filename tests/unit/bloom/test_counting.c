/* Counters: forgetting, its refusals, saturation, and the use of room that forgetting leaves. */
#include "bloom/chain.h"
#include "keys.h"

#include <math.h>

static crawl_bloom *create_counting(uint64_t capacity, double fpr)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_COUNTING, capacity, fpr);
    return create(&options);
}

/* Adds count keys one by one; where[i] is UINT32_MAX for one taken for seen. */
static void add_noting(crawl_bloom *bloom, uint64_t first, size_t count, uint32_t *where)
{
    for (size_t i = 0; i < count; i++) {
        where[i] = UINT32_MAX;
        crawl_err err = add(bloom, first + i, &where[i]);
        cr_assert(err == CRAWL_OK || err == CRAWL_EXISTS);
    }
}

static void forget_noted(crawl_bloom *bloom, uint64_t first, size_t count, const uint32_t *where)
{
    for (size_t i = 0; i < count; i++) {
        if (where[i] != UINT32_MAX)
            cr_assert_eq(forget(bloom, first + i, where[i]), CRAWL_OK);
    }
}

Test(bloom_counting, forgetting_half_leaves_the_other_half)
{
    enum { KEYS = 60000 };
    static uint32_t where[KEYS];
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    add_noting(bloom, 0, KEYS, where);
    uint64_t count = stats_of(bloom).count, forgotten = 0, still = 0;
    for (size_t i = 0; i < KEYS; i++) {
        if (where[i] == UINT32_MAX || mix(i) % 2)
            continue;
        cr_assert_eq(forget(bloom, i, where[i]), CRAWL_OK);
        forgotten++;
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (where[i] == UINT32_MAX || mix(i) % 2)
            cr_assert(where[i] == UINT32_MAX || test(bloom, i) == CRAWL_EXISTS);
        else
            still += test(bloom, i) == CRAWL_EXISTS;
    }
    cr_assert_gt(forgotten, KEYS / 3);
    cr_assert_lt(still, forgotten / 500);
    cr_assert_eq(stats_of(bloom).count, count - forgotten);
    cr_assert_eq(stats_of(bloom).refused, 0);
    cr_assert_eq(stats_of(bloom).saturated, 0);
    crawl_bloom_free(bloom);
}

Test(bloom_counting, forgetting_all_leaves_zeros)
{
    enum { KEYS = 20000 };
    static uint32_t where[KEYS];
    crawl_bloom *bloom = create_counting(1000, 1e-2);
    add_noting(bloom, 0, KEYS, where);
    forget_noted(bloom, 0, KEYS, where);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.count, 0);
    cr_assert_eq(stats.fill, 0);
    cr_assert_eq(stats.fpr_now, 0);
    cr_assert_geq(stats.filters, 4);
    crawl_bloom_free(bloom);
}

Test(bloom_counting, a_key_visibly_not_in_is_refused)
{
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    uint32_t where;
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_ABSENT);
    add_range(bloom, 100, 900);
    cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
    crawl_bloom_stats before = stats_of(bloom);
    cr_assert_eq(forget(bloom, 2, where), CRAWL_ABSENT);
    cr_assert_eq(forget(bloom, 1, 1), CRAWL_EINVAL);
    crawl_bloom_stats after = stats_of(bloom);
    cr_assert_eq(after.refused, before.refused + 1);
    cr_assert_eq(after.fill, before.fill);
    cr_assert_eq(after.count, before.count);
    cr_assert_eq(forget(bloom, 1, where), CRAWL_OK);
    cr_assert_eq(forget(bloom, 1, where), CRAWL_ABSENT);
    cr_assert_eq(test(bloom, 1), CRAWL_ABSENT);
    cr_assert_eq(count_range(bloom, 100, 900), 900);
    crawl_bloom_free(bloom);
}

/* With the wrong filter of the chain the key is not found, and nobody is harmed. */
Test(bloom_counting, the_wrong_filter_is_refused)
{
    crawl_bloom *bloom = create_counting(1000, 1e-6);
    uint32_t where;
    cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
    cr_assert_eq(where, 0);
    add_range(bloom, 100, 2000);
    cr_assert_eq(stats_of(bloom).filters, 2);
    cr_assert_eq(forget(bloom, 1, 1), CRAWL_ABSENT);
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    cr_assert_eq(count_range(bloom, 100, 2000), 2000);
    crawl_bloom_free(bloom);
}

Test(bloom_counting, the_same_key_counts_once)
{
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    uint32_t where;
    cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(add(bloom, 1, NULL), CRAWL_EXISTS);
    cr_assert_eq(forget(bloom, 1, where), CRAWL_OK);
    cr_assert_eq(test(bloom, 1), CRAWL_ABSENT);
    crawl_bloom_free(bloom);
}

/* Sets all counters of all blocks of the first filter. */
static void set_counters(crawl_bloom *bloom, unsigned value)
{
    cw_filter *filter = &((cw_chain *)bloom)->filter[0];
    for (uint64_t i = 0; i < filter->blocks * cw_lanes(CW_COUNTERS); i++)
        filter->lanes[i] = CW_LOWEST * value;
}

static uint64_t sum_counters(const crawl_bloom *bloom)
{
    const cw_filter *filter = &((const cw_chain *)bloom)->filter[0];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < filter->blocks * cw_lanes(CW_COUNTERS) * 16; i++)
        sum += filter->lanes[i / 16] >> (i % 16 * 4) & 15;
    return sum;
}

/* The key's own add is stepped around: every counter at 14 would answer that it exists. */
static void put_straight(crawl_bloom *bloom, uint64_t number)
{
    char key[KEY];
    crawl_bloom *other = create_counting(1000, 1e-3);
    make_key(number, key);
    crawl_bloom_add(other, key, KEY, NULL);
    cw_filter *from = &((cw_chain *)other)->filter[0], *to = &((cw_chain *)bloom)->filter[0];
    for (uint64_t block = 0; block < from->blocks; block++) {
        uint64_t *lanes = from->lanes + block * 16;
        cw_mask mask;
        memcpy(&mask, lanes, sizeof mask);
        if (lanes[0])
            to->saturated += cw_block_put(CW_COUNTERS, to->lanes + block * 16, &mask);
    }
    to->count++;
    crawl_bloom_free(other);
}

Test(bloom_counting, a_saturated_counter_stays)
{
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    set_counters(bloom, 14);
    uint64_t before = sum_counters(bloom);
    put_straight(bloom, 1);
    cr_assert_eq(sum_counters(bloom), before + 16);
    cr_assert_eq(stats_of(bloom).saturated, 16);
    put_straight(bloom, 1);
    cr_assert_eq(sum_counters(bloom), before + 16);
    cr_assert_eq(stats_of(bloom).saturated, 16);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(forget(bloom, 1, 0), CRAWL_OK);
    cr_assert_eq(sum_counters(bloom), before + 16);
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    cr_assert_eq(stats_of(bloom).count, 0);
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_ABSENT); /* all there, but the filter holds no key */
    cr_assert_eq(stats_of(bloom).refused, 1);
    crawl_bloom_free(bloom);
}

/* A neighbour of a full counter is not touched by carries. */
Test(bloom_counting, one_full_counter_harms_no_neighbour)
{
    _Alignas(64) uint64_t block[16] = {0};
    cw_mask mask;
    cw_hash hash = {.place = 1, .bits = 0x0123456789abcdef};
    cw_mask_make(CW_COUNTERS, false, hash, &mask);
    for (unsigned i = 0; i < 15; i++)
        cr_assert_eq(cw_block_put(CW_COUNTERS, block, &mask), i == 14 ? 16 : 0);
    cr_assert_eq(cw_block_put(CW_COUNTERS, block, &mask), 0);
    for (unsigned lane = 0; lane < 16; lane++) {
        unsigned cell = (unsigned)(hash.bits >> (4 * lane)) & 15;
        cr_assert_eq(block[lane], (uint64_t)15 << (4 * cell));
    }
}

/* Every period adds keys and forgets those of the period before: what is held at once stays the same, so memory does. */
Test(bloom_counting, memory_is_flat_over_a_hundred_periods)
{
    enum { PER_PERIOD = 3000 };
    static uint32_t where[2][PER_PERIOD];
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    uint64_t bytes = 0;
    for (unsigned period = 0; period < 100; period++) {
        uint64_t first = (uint64_t)period * PER_PERIOD;
        add_noting(bloom, first, PER_PERIOD, where[period % 2]);
        if (period > 0)
            forget_noted(bloom, first - PER_PERIOD, PER_PERIOD, where[(period - 1) % 2]);
        crawl_bloom_stats stats = stats_of(bloom);
        if (period == 1)
            bytes = stats.bytes;
        cr_assert(period < 1 || stats.bytes == bytes, "period %u: %llu bytes", period, (unsigned long long)stats.bytes);
        cr_assert_leq(stats.count, PER_PERIOD);
        cr_assert_leq(stats.fpr_now, 1.1e-3);
    }
    cr_assert_eq(stats_of(bloom).saturated, 0);
    double hits = (double)count_range(bloom, STRANGERS, 300000);
    cr_assert_leq(hits, 330 + 4 * sqrt(300));
    crawl_bloom_free(bloom);
}

Test(bloom_counting, an_older_filter_with_room_is_filled_again)
{
    enum { KEYS = 3000 };
    static uint32_t where[KEYS];
    crawl_bloom *bloom = create_counting(1000, 1e-6);
    add_noting(bloom, 0, KEYS, where); /* 1000 and 2000: both full */
    cr_assert_eq(stats_of(bloom).filters, 2);
    for (size_t i = 0; i < 10; i++)
        cr_assert_eq(forget(bloom, i, where[i]), CRAWL_OK);
    uint32_t at;
    for (uint64_t n = 0; n < 10; n++) {
        cr_assert_eq(add(bloom, STRANGERS + n, &at), CRAWL_OK);
        cr_assert_eq(at, 0);
    }
    cr_assert_eq(add(bloom, STRANGERS + 10, &at), CRAWL_OK);
    cr_assert_eq(at, 2);
    crawl_bloom_free(bloom);
}

/* Batches that begin in one filter with room and go on in others answer as single calls do. */
Test(bloom_counting, batches_over_scattered_room)
{
    enum { KEYS = 15000, MORE = 4000 };
    static uint32_t where[KEYS], one[MORE], other[MORE];
    static char keys[MORE * KEY];
    static uint8_t fresh[MORE];
    crawl_bloom *single = create_counting(1000, 1e-2), *many = create_counting(1000, 1e-2);
    add_noting(single, 0, KEYS, where);
    add_noting(many, 0, KEYS, where);
    for (size_t i = 0; i < KEYS; i++) {
        if (where[i] == UINT32_MAX || mix(i) % 5)
            continue;
        forget(single, i, where[i]);
        forget(many, i, where[i]);
    }
    for (size_t i = 0; i < MORE; i++)
        make_key(STRANGERS + mix(i) % 3000, keys + i * KEY);
    memset(other, 0xff, sizeof other);
    cr_assert_eq(crawl_bloom_add_many(many, keys, KEY, MORE, fresh, other), CRAWL_OK);
    for (size_t i = 0; i < MORE; i++) {
        one[i] = UINT32_MAX;
        cr_assert_eq(crawl_bloom_add(single, keys + i * KEY, KEY, &one[i]) == CRAWL_OK, fresh[i]);
        cr_assert_eq(one[i], other[i]);
    }
    crawl_bloom_free(single);
    crawl_bloom_free(many);
}

Test(bloom_counting, expected_losses_hold_while_forgetting)
{
    enum { PER_PERIOD = 10000 };
    static uint32_t where[2][PER_PERIOD];
    crawl_bloom *bloom = create_counting(5000, 0.1);
    uint64_t lost = 0;
    for (unsigned period = 0; period < 20; period++) {
        uint64_t first = (uint64_t)period * PER_PERIOD;
        add_noting(bloom, first, PER_PERIOD, where[period % 2]);
        for (size_t i = 0; i < PER_PERIOD; i++)
            lost += where[period % 2][i] == UINT32_MAX;
        if (period > 0)
            forget_noted(bloom, first - PER_PERIOD, PER_PERIOD, where[(period - 1) % 2]);
    }
    double expected = stats_of(bloom).expected_false;
    cr_assert_geq(lost, 300);
    cr_assert_leq(fabs(expected - (double)lost), 0.2 * (double)lost, "expected %g, lost %llu", expected,
                  (unsigned long long)lost);
    crawl_bloom_free(bloom);
}
