/* See sizing.h.
 *
 * Blocking costs accuracy: blocks hold unequal numbers of keys, and the full ones report too many keys as seen. Instead
 * of an empirical correction factor, the rate is computed exactly: for each number of keys in a block the probability
 * that all cells of another key are taken, weighted by the Poisson probability of that number. The bits per key then
 * come from a search for the load that meets the rate. */
#include "bloom/sizing.h"

#include <math.h>

/* Share of the series held in reserve, so that CW_BLOOM_CHAIN_MAX rates of at least FLOOR fit into the whole. */
#define FLOOR (1.0 / (1 << 20))
#define HELD_BACK (CW_BLOOM_CHAIN_MAX * FLOOR)

/* From this filter on each is at least twice the previous one, whatever the growth: a chain of equal filters would
 * reach CW_BLOOM_CHAIN_MAX and stop growing. */
#define MUST_DOUBLE 32

/* Returns the probability that the cells of a key in one lane are all taken, after `throws` uniform throws into the
 * lane. */
static double lane_rate(double cells, unsigned hashes, double throws)
{
    double one_free = pow(1 - 1 / cells, throws);
    double both_free = pow(1 - 2 / cells, throws);
    if (hashes == 1)
        return 1 - one_free;
    double both_taken = 1 - 2 * one_free + both_free;
    return (1 - one_free) / cells + both_taken * (1 - 1 / cells);
}

void cw_bloom_rates_init(cw_bloom_rates *rates, cw_bloom_shape shape)
{
    for (int keys = 0; keys < CW_BLOOM_RATES; keys++) {
        double lane = lane_rate(shape.cells, shape.hashes, (double)keys * shape.hashes);
        rates->block[keys] = pow(fmax(lane, 0), shape.lanes);
    }
}

double cw_bloom_rate(const cw_bloom_rates *rates, double load)
{
    if (load > CW_BLOOM_RATES / 2.0)
        return rates->block[CW_BLOOM_RATES - 1];
    double sum = 0;
    double probability = exp(-load);
    for (int keys = 0; keys < CW_BLOOM_RATES && (keys < load || probability > 1e-30); keys++) {
        sum += probability * rates->block[keys];
        probability *= load / (keys + 1);
    }
    return sum;
}

double cw_bloom_load_for(const cw_bloom_rates *rates, double rate)
{
    double low = 0;
    double high = CW_BLOOM_RATES / 2.0;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (cw_bloom_rate(rates, middle) <= rate)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double cw_bloom_series_rate(const crawl_bloom_options *options, uint32_t index)
{
    double first = options->fpr * (1 - HELD_BACK) * (1 - options->tightening);
    return fmax(first * pow(options->tightening, index), options->fpr * FLOOR);
}

uint64_t cw_bloom_series_capacity(const crawl_bloom_options *options, uint32_t index, uint64_t last, uint64_t useful)
{
    if (index == 0)
        return options->capacity;
    double growth = index < MUST_DOUBLE ? options->growth : fmax(options->growth, 2);
    double next = ceil((double)last * growth);
    if (next < (double)useful && (double)last * CW_BLOOM_SERIES_LEAP >= (double)useful)
        next = (double)useful;
    return next < 9e18 ? (uint64_t)next : UINT64_MAX;
}
