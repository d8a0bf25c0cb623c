/* The chain of bit filters: its false-positive rate as it grows, its expected losses, its limits. */
#include "bloom/kinds/chain.h"
#include "bloom/kinds/scan.h"
#include "keys.h"

#include <math.h>

#define PROBES 300000

typedef struct setting {
    crawl_bloom_kind kind;
    uint64_t capacity;
    double fpr, growth;
    uint64_t keys;
    uint64_t max_bytes;
} setting;

static crawl_bloom *create_as(const setting *s)
{
    crawl_bloom_options options = options_of(s->kind, s->capacity, s->fpr);
    options.growth = s->growth;
    options.max_bytes = s->max_bytes;
    return create(&options);
}

/* Grows a filter and tests keys that were never added: at most 1.1 times the rate, plus four sigma. */
static void check_rate(setting s, uint32_t filters)
{
    crawl_bloom *bloom = create_as(&s);
    add_range(bloom, 0, s.keys);
    crawl_bloom_stats stats = stats_of(bloom);
    double hits = (double)count_range(bloom, STRANGERS, PROBES);
    double due = s.fpr * PROBES;
    cr_assert_leq(hits, 1.1 * due + 4 * sqrt(due), "%g hits, fpr %g", hits, s.fpr);
    double predicted = stats.fpr_now * PROBES;
    cr_assert_leq(fabs(hits - predicted), 0.1 * predicted + 4 * sqrt(predicted), "%g hits, predicted %g", hits,
                  predicted);
    cr_assert_leq(fabs(stats.fpr_by_count - stats.fpr_now), 0.15 * stats.fpr_now, "%g, %g", stats.fpr_by_count,
                  stats.fpr_now);
    cr_assert_leq(stats.fpr_now, s.fpr * 1.1);
    cr_assert_eq(stats.filters, filters);
    cr_assert_eq(count_range(bloom, 0, s.keys), s.keys);
    crawl_bloom_free(bloom);
}

/* max_bytes prevents a leap: 20000, 40000, 80000, 160000 and 320000 keys. */

Test(bloom_chain, rate_1e2_of_five_filters)
{
    check_rate((setting){CRAWL_BLOOM_SCALABLE, 20000, 1e-2, 2, 600000, 1400000}, 5);
}

Test(bloom_chain, rate_1e3_of_five_filters)
{
    check_rate((setting){CRAWL_BLOOM_SCALABLE, 20000, 1e-3, 2, 600000, 2000000}, 5);
}

Test(bloom_chain, rate_1e2_from_a_thousand)
{
    check_rate((setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-2, 2, 300000, 0}, 9);
}

Test(bloom_chain, rate_1e4_growth_4)
{
    check_rate((setting){CRAWL_BLOOM_SCALABLE, 20000, 1e-4, 4, 400000, 2000000}, 3);
}

Test(bloom_chain, rate_of_counters_1e2_of_five_filters)
{
    check_rate((setting){CRAWL_BLOOM_COUNTING, 5000, 1e-2, 2, 150000, 1400000}, 5);
}

Test(bloom_chain, rate_of_counters_1e3)
{
    check_rate((setting){CRAWL_BLOOM_COUNTING, 10000, 1e-3, 2, 150000, 0}, 4);
}

/* Compares expected_false with the truth, which only the test knows. Duplicates between the new keys change neither. */
static void check_losses(crawl_bloom *bloom, uint64_t keys)
{
    uint64_t lost = 0;
    for (uint64_t n = 0; n < keys; n += 5000) {
        lost += add_range(bloom, n, 5000);
        add_range(bloom, n / 2, 2500);
        add_range(bloom, n, 2500);
    }
    double expected = stats_of(bloom).expected_false;
    cr_assert_geq(lost, 400);
    cr_assert_leq(fabs(expected - (double)lost), 0.2 * (double)lost, "expected %g, lost %llu", expected,
                  (unsigned long long)lost);
}

/* Expects every filter to have its share of all losses. */
static void check_shares(const crawl_bloom *bloom)
{
    crawl_bloom_stats whole = stats_of(bloom), one;
    double sum = 0, none = 1;
    for (uint32_t f = 0; f < whole.filters; f++) {
        cr_assert_eq(crawl_bloom_stats_of(bloom, f, &one), CRAWL_OK);
        cr_assert_geq(one.expected_false, 0);
        sum += one.expected_false;
        none *= 1 - one.fpr_by_count;
    }
    cr_assert_float_eq(sum, whole.expected_false, 1e-6 * whole.expected_false);
    cr_assert_float_eq(1 - none, whole.fpr_by_count, 1e-12);
}

Test(bloom_chain, expected_losses_are_the_losses)
{
    static const setting rows[] = {
        {CRAWL_BLOOM_SCALABLE, 1000, 1e-2, 2, 300000, 0},
        {CRAWL_BLOOM_SCALABLE, 20000, 1e-2, 2, 300000, 1400000},
        {CRAWL_BLOOM_SCALABLE, 1000, 0.3, 2, 20000, 0},
        {CRAWL_BLOOM_COUNTING, 5000, 1e-2, 2, 150000, 1400000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_bloom *bloom = create_as(&rows[i]);
        check_losses(bloom, rows[i].keys);
        check_shares(bloom);
        crawl_bloom_free(bloom);
    }
}

Test(bloom_chain, the_first_key_is_not_lost)
{
    crawl_bloom *bloom = create_as(&(setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-2, 2, 0, 0});
    cr_assert_eq(stats_of(bloom).expected_false, 0);
    cr_assert_eq(stats_of(bloom).fpr_now, 0);
    cr_assert_eq(stats_of(bloom).fill, 0);
    add(bloom, 1, NULL);
    cr_assert_lt(stats_of(bloom).expected_false, 1e-6);
    crawl_bloom_free(bloom);
}

Test(bloom_chain, a_filter_is_full_at_its_capacity)
{
    crawl_bloom *bloom = create_as(&(setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-3, 3, 0, 0});
    add_range(bloom, 0, 20000);
    crawl_bloom_stats whole = stats_of(bloom), one;
    cr_assert_eq(whole.filters, 4);
    uint64_t capacity = 1000, count = 0, bytes = 0;
    for (uint32_t f = 0; f < whole.filters; f++, capacity *= 3) {
        cr_assert_eq(crawl_bloom_stats_of(bloom, f, &one), CRAWL_OK);
        cr_assert_eq(one.capacity, capacity);
        cr_assert(f == 3 || one.count == capacity);
        cr_assert_leq(one.fpr_now, one.fpr * 1.3);
        count += one.count;
        bytes += one.bytes;
    }
    cr_assert_eq(whole.count, count);
    cr_assert_gt(whole.bytes, bytes);
    cr_assert_lt(whole.bytes, bytes + 25000);
    crawl_bloom_free(bloom);
}

/* One classic filter of the right size has 14.4 bits per key at this rate. */
Test(bloom_chain, bits_per_key_are_few)
{
    crawl_bloom *bloom = create_as(&(setting){CRAWL_BLOOM_SCALABLE, 20000, 1e-3, 2, 0, 0});
    add_range(bloom, 0, 900000);
    crawl_bloom_stats one;
    double bits = 0, keys = 0;
    cr_assert_eq(stats_of(bloom).filters, 5);
    for (uint32_t f = 0; f < 4; f++) {
        cr_assert_eq(crawl_bloom_stats_of(bloom, f, &one), CRAWL_OK);
        bits += 8 * (double)one.bytes;
        keys += (double)one.count;
    }
    cr_assert_lt(bits / keys, 23.5, "%g", bits / keys);
    crawl_bloom_free(bloom);
}

/* The memory of a large filter is allocated in advance, one step of a huge page at a time, and not before the previous
 * filter is full. */
static void check_steps(crawl_bloom *bloom, size_t batch, size_t most)
{
    static char keys[CW_KIND_BATCH * KEY];
    static uint8_t fresh[CW_KIND_BATCH];
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    const cw_kind_filter *first = &chain->filter[0];
    uint64_t number = first->capacity;
    add_range(bloom, 0, number - 1000);
    while (chain->filters == 1) {
        size_t taken = chain->next_taken, all = chain->next.pages.bytes;
        make_keys(number, batch, keys);
        number += batch;
        cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, batch, fresh, NULL), CRAWL_OK);
        cr_assert(first->count > first->capacity || chain->next_taken == 0);
        size_t steps = (chain->filters == 1 ? chain->next_taken : all) - taken;
        cr_assert_leq(steps, most * CW_BLOOM_PAGES_STEP);
        cr_assert(steps == 0 || chain->filters > 1 ||
                  stats_of(bloom).bytes == sizeof *chain + first->pages.bytes + chain->next_taken);
    }
    cr_assert_eq(first->count, first->capacity + first->extra);
    cr_assert_gt(chain->filter[1].pages.bytes, 4 * CW_BLOOM_PAGES_STEP);
    crawl_bloom_free(bloom);
}

Test(bloom_chain, no_call_waits_for_much_memory)
{
    const setting s = {CRAWL_BLOOM_SCALABLE, 100000, 1e-3, 2, 0, 0};
    check_steps(create_as(&s), 1, 1);
    check_steps(create_as(&s), CW_KIND_BATCH, 2);
    check_steps(create_as(&(setting){CRAWL_BLOOM_COUNTING, 60000, 1e-3, 16, 0, 0}), CW_KIND_BATCH, 2);
}

Test(bloom_chain, at_max_bytes_the_last_filter_goes_on_filling)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-2);
    options.max_bytes = 40000;
    crawl_bloom *bloom = create(&options);
    uint64_t lost = add_range(bloom, 0, 40000);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_leq(stats.bytes, 40000);
    cr_assert_gt(stats.count, stats.capacity);
    cr_assert_gt(stats.fpr_now, 0.1);
    cr_assert_eq(count_range(bloom, 0, 40000), 40000);
    double hits = (double)count_range(bloom, STRANGERS, 100000) / 100000;
    cr_assert_float_eq(hits, stats.fpr_now, 0.02);
    cr_assert_leq(fabs(stats.expected_false - (double)lost), 0.2 * (double)lost, "%g, %llu", stats.expected_false,
                  (unsigned long long)lost);
    crawl_bloom_free(bloom);
}

Test(bloom_chain, without_memory_a_new_key_is_not_added)
{
    crawl_bloom *bloom = create_as(&(setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-2, 2, 0, 0});
    ((cw_kind_chain *)bloom)->most = 100;
    uint64_t n = 0;
    while (add(bloom, n, NULL) != CRAWL_ENOMEM)
        n++;
    cr_assert_eq(stats_of(bloom).count, 1000);
    cr_assert_eq(test(bloom, n), CRAWL_ABSENT);
    cr_assert_eq(add(bloom, 0, NULL), CRAWL_EXISTS);
    static char keys[400 * KEY];
    static uint8_t fresh[400];
    make_keys(0, 100, keys);
    make_keys(STRANGERS, 300, keys + 100 * KEY);
    memset(fresh, 9, sizeof fresh);
    cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, 400, fresh, NULL), CRAWL_ENOMEM);
    for (size_t i = 0; i < 400; i++)
        cr_assert_eq(fresh[i], 0);
    ((cw_kind_chain *)bloom)->most = UINT64_MAX;
    cr_assert_eq(add(bloom, n, NULL), CRAWL_OK);
    cr_assert_eq(stats_of(bloom).filters, 2);
    crawl_bloom_free(bloom);
}

/* Growth 1 would make filters without limit: from the 33rd on they double, and 64 is the last. */
Test(bloom_chain, a_chain_of_equal_filters_grows_all_the_same)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-2);
    options.growth = 1;
    options.tightening = 0.95;
    crawl_bloom *bloom = create(&options);
    add_range(bloom, 0, 150000);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_gt(stats.filters, 33);
    cr_assert_lt(stats.filters, 42);
    cr_assert_leq(stats.fpr_now, 1.1e-2);
    crawl_bloom_free(bloom);
}

Test(bloom_chain, the_last_filter_a_chain_may_have_goes_on_filling)
{
    crawl_bloom *bloom = create_as(&(setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-2, 2, 0, 0});
    cw_kind_chain *chain = (cw_kind_chain *)bloom;
    add_range(bloom, 0, 500);
    for (uint32_t f = 1; f < CW_BLOOM_CHAIN_MAX; f++) { /* empty filters that claim to be full */
        chain->filter[f] = chain->filter[0];
        cr_assert_eq(cw_bloom_pages_get(chain->filter[0].pages.bytes, UINT64_MAX, &chain->filter[f].pages), CRAWL_OK);
        chain->filter[f].lanes = chain->filter[f].pages.data;
        chain->filter[f].count = 1000;
    }
    chain->filter[0].count = 1000;
    chain->filters = CW_BLOOM_CHAIN_MAX;
    chain->quiet = 0;
    add_range(bloom, 1000, 500);
    cr_assert_eq(stats_of(bloom).filters, CW_BLOOM_CHAIN_MAX);
    cr_assert_gt(chain->filter[CW_BLOOM_CHAIN_MAX - 1].count, 1400);
    cr_assert_eq(count_range(bloom, 1000, 500), 500);
    crawl_bloom_free(bloom);
}

/* Two filters that differ only in the instruction set end with identical memory. */
static void compare_scans(setting s, bool twice, cw_kind_isa isa)
{
    crawl_bloom *one = create_as(&s), *portable = create_as(&s);
    cw_kind_chain *a = (cw_kind_chain *)one, *b = (cw_kind_chain *)portable;
    a->scan = cw_kind_scan_of(isa, a->cells);
    b->scan = cw_kind_scan_of(CW_ISA_PORTABLE, b->cells);
    cr_assert_eq(a->filter[0].twice, twice);
    for (uint64_t n = 0; n < 12000; n += 1000) {
        cr_assert_eq(add_range(one, n, 900), add_range(portable, n, 900));
        for (uint64_t i = n + 900; i < n + 1000; i++)
            cr_assert_eq(add(one, i, NULL), add(portable, i, NULL));
    }
    cr_assert_eq(a->filters, 4);
    for (uint32_t f = 0; f < a->filters; f++)
        cr_assert_arr_eq(a->filter[f].lanes, b->filter[f].lanes, a->filter[f].pages.bytes);
    cr_assert_eq(count_range(one, STRANGERS, 20000), count_range(portable, STRANGERS, 20000));
    for (uint64_t n = 0; n < 1000; n++)
        cr_assert_eq(test(one, STRANGERS + n), test(portable, STRANGERS + n));
    crawl_bloom_free(one);
    crawl_bloom_free(portable);
}

Test(bloom_chain, instruction_sets_agree)
{
    for (int isa = CW_ISA_PORTABLE + 1; isa < CW_ISAS; isa++) {
        if (!cw_kind_scan_of((cw_kind_isa)isa, CW_BITS))
            continue;
        compare_scans((setting){CRAWL_BLOOM_SCALABLE, 1000, 0.1, 2, 0, 0}, false, (cw_kind_isa)isa);
        compare_scans((setting){CRAWL_BLOOM_SCALABLE, 1000, 1e-5, 2, 0, 0}, true, (cw_kind_isa)isa);
        compare_scans((setting){CRAWL_BLOOM_COUNTING, 1000, 1e-2, 2, 0, 0}, false, (cw_kind_isa)isa);
        compare_scans((setting){CRAWL_BLOOM_COUNTING, 1000, 1e-5, 2, 0, 0}, true, (cw_kind_isa)isa);
    }
}
