/* The arithmetic: rates of blocks against simulation, loads against rates, the series of a chain. */
#include "bloom/sizing.h"
#include "keys.h"

#include <math.h>

static const cw_bloom_shape shapes[] = {
    {.lanes = 8, .cells = 64, .hashes = 1},
    {.lanes = 8, .cells = 64, .hashes = 2},
    {.lanes = 16, .cells = 16, .hashes = 1}, /* not one of our blocks */
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* Returns the share of trials in which `keys` others had set all cells of a key. */
static double simulate(cw_bloom_shape shape, int keys, int trials)
{
    uint64_t dice = (uint64_t)keys << 32;
    int hits = 0;
    for (int trial = 0; trial < trials; trial++) {
        bool all = true;
        for (unsigned lane = 0; lane < shape.lanes; lane++) {
            bool taken[64] = {0};
            for (unsigned i = 0; i < (unsigned)keys * shape.hashes; i++)
                taken[mix(dice++) % shape.cells] = true;
            for (unsigned i = 0; i < shape.hashes; i++)
                all &= taken[mix(dice++) % shape.cells];
        }
        hits += all;
    }
    return (double)hits / trials;
}

Test(bloom_sizing, the_rate_of_a_block_is_what_a_simulation_gives)
{
    static const int keys[SHAPES] = {40, 40, 20};
    enum { TRIALS = 5000 };
    for (size_t s = 0; s < SHAPES; s++) {
        static cw_bloom_rates rates;
        cw_bloom_rates_init(&rates, shapes[s]);
        double expected = rates.block[keys[s]];
        double sigma = sqrt(expected * (1 - expected) / TRIALS);
        double got = simulate(shapes[s], keys[s], TRIALS);
        cr_assert_lt(fabs(got - expected), 4 * sigma, "shape %zu: %g, expected %g", s, got, expected);
        cr_assert_gt(got, 0);
    }
}

Test(bloom_sizing, rates_rise_with_the_keys)
{
    for (size_t s = 0; s < SHAPES; s++) {
        static cw_bloom_rates rates;
        cw_bloom_rates_init(&rates, shapes[s]);
        cr_assert_eq(rates.block[0], 0);
        for (int keys = 1; keys < CW_BLOOM_RATES; keys++)
            cr_assert_geq(rates.block[keys], rates.block[keys - 1]);
        cr_assert_leq(rates.block[CW_BLOOM_RATES - 1], 1);
        for (double load = 1; load < 2000; load *= 1.3)
            cr_assert_geq(cw_bloom_rate(&rates, load * 1.3), cw_bloom_rate(&rates, load));
    }
}

/* Unequal blocks are worse than equal ones, which is why the arithmetic exists. One key in a block of bits is mistaken
 * for another only if all its eight bits are the same: 64^-8. */
Test(bloom_sizing, the_mean_is_over_unequal_blocks)
{
    static cw_bloom_rates rates;
    cw_bloom_rates_init(&rates, shapes[0]);
    cr_assert_float_eq(rates.block[1], pow(64, -8), 1e-20);
    cr_assert_gt(cw_bloom_rate(&rates, 20), rates.block[20] * 1.5);
    double sum = 0, probability = exp(-3);
    for (int keys = 0; keys < 60; keys++) {
        sum += probability * rates.block[keys];
        probability *= 3.0 / (keys + 1);
    }
    cr_assert_float_eq(cw_bloom_rate(&rates, 3), sum, sum * 1e-12);
}

Test(bloom_sizing, the_load_for_a_rate_meets_it_closely)
{
    for (size_t s = 0; s < SHAPES; s++) {
        static cw_bloom_rates rates;
        cw_bloom_rates_init(&rates, shapes[s]);
        for (double rate = 0.4; rate > 1e-13; rate /= 3) {
            double load = cw_bloom_load_for(&rates, rate);
            cr_assert_gt(load, 0);
            cr_assert_leq(cw_bloom_rate(&rates, load), rate);
            cr_assert_gt(cw_bloom_rate(&rates, load * 1.001), rate);
        }
    }
}

Test(bloom_sizing, the_series_stays_under_the_rate_of_the_chain)
{
    static const double tightenings[] = {0.05, 0.5, 0.85, 0.95};
    for (size_t t = 0; t < 4; t++) {
        crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-3);
        options.tightening = tightenings[t];
        double sum = 0;
        for (uint32_t i = 0; i < CW_BLOOM_CHAIN_MAX; i++) {
            double rate = cw_bloom_series_rate(&options, i);
            cr_assert_gt(rate, 0);
            if (i && rate > 2e-9)
                cr_assert_float_eq(rate / cw_bloom_series_rate(&options, i - 1), tightenings[t], 1e-9);
            sum += rate;
        }
        cr_assert_leq(sum, 1e-3 * (1 + 1e-12));
        cr_assert_gt(sum, 0.96e-3);
    }
}

Test(bloom_sizing, capacities_grow_and_never_overflow)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-3);
    options.growth = 1.5;
    cr_assert_eq(cw_bloom_series_capacity(&options, 0, 0, 0), 1000);
    cr_assert_eq(cw_bloom_series_capacity(&options, 1, 1000, 0), 1500);
    options.growth = 1;
    cr_assert_eq(cw_bloom_series_capacity(&options, 31, 1000, 0), 1000);
    cr_assert_eq(cw_bloom_series_capacity(&options, 32, 1000, 0), 2000);
    options.growth = 16;
    cr_assert_eq(cw_bloom_series_capacity(&options, 20, (uint64_t)1 << 62, 0), UINT64_MAX);
}

/* From a fortieth of it on, the next filter has a useful size; growth may be larger. */
Test(bloom_sizing, the_middle_sizes_are_left_out)
{
    enum { USEFUL = 1000000 };
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 1e-3);
    options.growth = 3;
    cr_assert_eq(cw_bloom_series_capacity(&options, 0, 0, USEFUL), 1000);
    cr_assert_eq(cw_bloom_series_capacity(&options, 1, 1000, USEFUL), 3000);
    cr_assert_eq(cw_bloom_series_capacity(&options, 1, 24999, USEFUL), 74997);
    cr_assert_eq(cw_bloom_series_capacity(&options, 1, 25000, USEFUL), USEFUL);
    cr_assert_eq(cw_bloom_series_capacity(&options, 1, 400000, USEFUL), 1200000);
    cr_assert_eq(cw_bloom_series_capacity(&options, 2, USEFUL, USEFUL), 3 * USEFUL);
}
