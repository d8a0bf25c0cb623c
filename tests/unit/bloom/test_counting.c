/* Counters: removal, its refusals, saturation, and the reuse of freed room. */
#include "bloom/kinds/chain.h"
#include "bloom/kinds/scan.h"
#include "keys.h"

#include <math.h>

static crawl_bloom *create_counting(uint64_t capacity, double fpr)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_COUNTING, capacity, fpr);
    return create(&options);
}

/* Adds count keys one by one; where[i] is UINT32_MAX for one mistaken for seen. */
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

/* With the wrong filter of the chain the key is not found, and no other is affected. */
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

static cw_kind_filter *first_of(const crawl_bloom *bloom)
{
    return &((cw_kind_chain *)bloom)->filter[0];
}

/* Sets all counters of all blocks of the first filter. */
static void set_counters(crawl_bloom *bloom, unsigned value)
{
    cw_kind_filter *filter = first_of(bloom);
    for (uint64_t i = 0; i < filter->blocks * cw_kind_block_words(CW_COUNTERS); i++)
        filter->lanes[i] = 0x1111111111111111u * value;
}

static uint64_t sum_counters(const crawl_bloom *bloom)
{
    const cw_kind_filter *filter = first_of(bloom);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < filter->blocks * cw_kind_block_words(CW_COUNTERS) * 16; i++)
        sum += filter->lanes[i / 16] >> (i % 16 * 4) & 15;
    return sum;
}

/* Adds a key directly: with every counter at 14, an ordinary add would find it. Any hash works; this is the first
 * key's. */
static void put_straight(crawl_bloom *bloom, cw_bloom_hash hash)
{
    cw_kind_filter *filter = first_of(bloom);
    filter->saturated += cw_kind_key_count(filter->twice, cw_kind_filter_block(CW_COUNTERS, filter, hash), hash);
    filter->count++;
}

static cw_bloom_hash some_hash(uint64_t number)
{
    return (cw_bloom_hash){.place = mix(number), .bits = mix(~number)};
}

Test(bloom_counting, a_saturated_counter_stays)
{
    crawl_bloom *bloom = create_counting(1000, 1e-3);
    cw_kind_chain *chain = (cw_kind_chain *)bloom;
    const cw_bloom_hash hash = some_hash(1);
    const uint32_t where = 0;
    uint8_t gone;
    set_counters(bloom, 14);
    uint64_t before = sum_counters(bloom);
    put_straight(bloom, hash);
    cr_assert_eq(sum_counters(bloom), before + 8);
    cr_assert_eq(stats_of(bloom).saturated, 8);
    put_straight(bloom, hash);
    cr_assert_eq(sum_counters(bloom), before + 8);
    cr_assert_eq(stats_of(bloom).saturated, 8);
    for (int i = 0; i < 2; i++) {
        chain->scan->forget_many(chain, &hash, 1, &where, &gone);
        cr_assert_eq(gone, 1);
    }
    cr_assert_eq(sum_counters(bloom), before + 8);
    cr_assert(chain->scan->find(chain, hash));
    cr_assert_eq(stats_of(bloom).count, 0);
    chain->scan->forget_many(chain, &hash, 1, &where, &gone); /* all counters are set, but the filter holds no key */
    cr_assert_eq(gone, 0);
    cr_assert_eq(stats_of(bloom).refused, 1);
    crawl_bloom_free(bloom);
}

static unsigned sum_block(const uint64_t *block)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < cw_kind_block_words(CW_COUNTERS) * 16; i++)
        sum += block[i / 16] >> (i % 16 * 4) & 15;
    return sum;
}

/* Up to 15 and down again, even for a key that uses one cell twice; carries do not reach the neighbour of a full
 * counter. */
Test(bloom_counting, a_block_counts_to_fifteen)
{
    for (unsigned twice = 0; twice < 2; twice++) {
        _Alignas(64) uint64_t block[32] = {0};
        const cw_bloom_hash hash = {.place = 1, .bits = 0x0123456789abcdef};
        cw_kind_key_count(twice, block, hash);
        const unsigned cells = sum_block(block);
        cr_assert(twice ? cells > 8 && cells <= 16 : cells == 8);
        cr_assert(cw_kind_key_in(CW_COUNTERS, twice, block, hash));
        for (unsigned i = 2; i < 15; i++)
            cr_assert_eq(cw_kind_key_count(twice, block, hash), 0);
        cw_kind_key_take(twice, block, hash);
        cr_assert_eq(sum_block(block), 13 * cells);
        cr_assert_eq(cw_kind_key_count(twice, block, hash), 0);
        cr_assert_eq(cw_kind_key_count(twice, block, hash), cells);
        cr_assert_eq(cw_kind_key_count(twice, block, hash), 0);
        cw_kind_key_take(twice, block, hash);
        cr_assert_eq(sum_block(block), 15 * cells);
        for (unsigned lane = 0; lane < CW_KIND_LANES; lane++)
            cr_assert_eq(cw_kind_counter(block, lane, cw_kind_cell(hash.bits, lane)), 15);
    }
}

/* Runs an instruction set on counters of any content: three blocks, the same for each set, and hashes of all kinds. */
static void work_on_any_counters(cw_kind_isa isa, bool twice, cw_bloom_pages *blocks, cw_kind_filter *out,
                                 uint8_t gone[CW_KIND_BATCH])
{
    static cw_kind_chain chain;
    static cw_bloom_hash hashes[CW_KIND_BATCH];
    static uint8_t fresh[CW_KIND_BATCH];
    static uint32_t where[CW_KIND_BATCH];
    cw_kind_batch batch = {.hashes = hashes, .fresh = fresh, .where = where, .left = CW_KIND_BATCH};
    memset(&chain, 0, sizeof chain);
    cr_assert_eq(cw_bloom_pages_get(3 * cw_kind_block_bytes(CW_COUNTERS), UINT64_MAX, blocks), CRAWL_OK);
    chain.filters = 1;
    chain.quiet = UINT64_MAX;
    chain.filter[0] = (cw_kind_filter){.lanes = blocks->data, .blocks = 3, .count = 1000, .twice = twice};
    for (unsigned i = 0; i < 3 * cw_kind_block_words(CW_COUNTERS) * 16; i++) {
        static const uint64_t counters[] = {0, 3, 14, 15};
        chain.filter[0].lanes[i / 16] |= counters[mix(i) % 4] << (i % 16 * 4);
    }
    for (unsigned i = 0; i < CW_KIND_BATCH; i++) {
        hashes[i] = some_hash(i);
        batch.absent[i] = (uint8_t)i;
        where[i] = 0;
    }
    cw_kind_scan_of(isa, CW_COUNTERS)->put_absent(&chain, &batch);
    cw_kind_scan_of(isa, CW_COUNTERS)->forget_many(&chain, hashes, CW_KIND_BATCH, where, gone);
    *out = chain.filter[0];
}

Test(bloom_counting, instruction_sets_agree_on_any_counters)
{
    for (int isa = CW_ISA_PORTABLE + 1; isa < CW_ISAS; isa++) {
        for (unsigned twice = 0; twice < 2 && cw_kind_scan_of((cw_kind_isa)isa, CW_COUNTERS); twice++) {
            cw_bloom_pages blocks[2];
            cw_kind_filter filters[2];
            uint8_t gone[2][CW_KIND_BATCH];
            work_on_any_counters(CW_ISA_PORTABLE, twice, &blocks[0], &filters[0], gone[0]);
            work_on_any_counters((cw_kind_isa)isa, twice, &blocks[1], &filters[1], gone[1]);
            cr_assert_arr_eq(blocks[0].data, blocks[1].data, 3 * cw_kind_block_bytes(CW_COUNTERS));
            cr_assert_arr_eq(gone[0], gone[1], CW_KIND_BATCH);
            cr_assert_eq(filters[0].saturated, filters[1].saturated);
            cr_assert_gt(filters[0].saturated, 10);
            cr_assert_eq(filters[0].count, filters[1].count);
            cr_assert_eq(filters[0].refused, filters[1].refused);
            for (int i = 0; i < 2; i++)
                cw_bloom_pages_free(&blocks[i]);
        }
    }
}

static void add_batch(crawl_bloom *bloom, uint64_t first, size_t count, uint32_t *where)
{
    static char keys[CHUNK * KEY];
    static uint8_t fresh[CHUNK];
    cr_assert_leq(count, CHUNK);
    memset(where, 0xff, count * sizeof *where);
    make_keys(first, count, keys);
    cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, count, fresh, where), CRAWL_OK);
}

/* Removes n of 2 n keys in batches, and none of the others. */
Test(bloom_counting, forgetting_many)
{
    enum { CHUNKS = 60 };
    static uint32_t where[2 * CHUNKS][CHUNK];
    static char keys[CHUNK * KEY];
    static uint8_t gone[CHUNK];
    crawl_bloom *bloom = create_counting(2000, 1e-3);
    for (unsigned c = 0; c < 2 * CHUNKS; c++)
        add_batch(bloom, c * CHUNK, CHUNK, where[c]);
    uint64_t count = stats_of(bloom).count, forgotten = 0;
    for (unsigned c = 0; c < CHUNKS; c++) {
        make_keys(2 * c * CHUNK, CHUNK, keys);
        cr_assert_eq(crawl_bloom_forget_many(bloom, keys, KEY, CHUNK, where[2 * c], gone), CRAWL_OK);
        for (size_t i = 0; i < CHUNK; i++) {
            cr_assert_eq(gone[i], where[2 * c][i] != UINT32_MAX); /* a lost one has no filter */
            forgotten += gone[i];
        }
    }
    uint64_t still = 0;
    for (unsigned c = 0; c < CHUNKS; c++) {
        for (size_t i = 0; i < CHUNK; i++)
            cr_assert(where[2 * c + 1][i] == UINT32_MAX || test(bloom, (2 * c + 1) * CHUNK + i) == CRAWL_EXISTS);
        still += count_range(bloom, 2 * c * CHUNK, CHUNK);
    }
    cr_assert_lt(still, forgotten / 500);
    cr_assert_eq(stats_of(bloom).count, count - forgotten);
    cr_assert_eq(stats_of(bloom).refused, 0);
    crawl_bloom_free(bloom);
}

Test(bloom_counting, forgetting_many_answers_as_one_by_one)
{
    enum { KEYS = 500 };
    static uint32_t where[KEYS];
    static char keys[KEYS * KEY];
    static uint8_t gone[KEYS];
    crawl_bloom *single = create_counting(1000, 1e-3), *many = create_counting(1000, 1e-3);
    add_noting(single, 0, KEYS, where);
    add_noting(many, 0, KEYS, where);
    for (size_t i = 0; i < KEYS; i++) {
        make_key(mix(i) % (2 * KEYS), keys + i * KEY); /* some twice, some never added */
        where[i] = mix(i) % 3 == 0 ? 7 : 0;
    }
    memset(gone, 9, sizeof gone);
    cr_assert_eq(crawl_bloom_forget_many(many, keys, KEY, KEYS, where, gone), CRAWL_OK);
    for (size_t i = 0; i < KEYS; i++)
        cr_assert_eq(crawl_bloom_forget(single, keys + i * KEY, KEY, where[i]) == CRAWL_OK, gone[i]);
    cr_assert_eq(stats_of(single).count, stats_of(many).count);
    cr_assert_eq(stats_of(single).refused, stats_of(many).refused);
    cr_assert_eq(stats_of(single).fill, stats_of(many).fill);
    crawl_bloom_free(single);
    crawl_bloom_free(many);
}

Test(bloom_counting, bits_forget_nothing)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-3);
    crawl_bloom *bloom = create(&options);
    uint32_t where = 0;
    uint8_t gone = 9;
    char key[KEY];
    make_key(1, key);
    cr_assert_eq(crawl_bloom_add(bloom, key, KEY, NULL), CRAWL_OK);
    cr_assert_eq(crawl_bloom_forget_many(bloom, key, KEY, 1, &where, &gone), CRAWL_REFUSED);
    cr_assert_eq(gone, 9);
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    crawl_bloom_free(bloom);
}

/* Every period adds keys and removes those of the period before: the number held stays the same, and so does memory. */
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

/* Batches that begin in one filter with room and continue in others answer as single calls do. */
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
