/* The arithmetic of a blocked filter: its false-positive rate at a load, and the load for a rate. */
#pragma once

#include <crawl/bloom.h>

/* Maximum keys in one block for which rates are stored. Designs stay below 200; with 320 and more a block reports
 * nearly every key as seen. */
#define CW_BLOOM_RATES 640

/* Maximum number of filters in a chain. The sum of their rates must stay below the rate of the chain, and the search
 * through them below a microsecond; with growth 2 memory is exhausted long before. */
#define CW_BLOOM_CHAIN_MAX 64

/* A block: lanes of cells. A key takes `hashes` (1 or 2) uniform cells of every lane. */
typedef struct cw_bloom_shape {
    unsigned lanes;
    unsigned cells;
    unsigned hashes;
} cw_bloom_shape;

typedef struct cw_bloom_rates {
    double block[CW_BLOOM_RATES]; /* [j]: false-positive rate of a block that holds j keys */
} cw_bloom_rates;

void cw_bloom_rates_init(cw_bloom_rates *rates, cw_bloom_shape shape);

/* Returns the rate of a filter whose blocks hold `load` keys each on average: the mean of block[] over a Poisson
 * distribution, since keys are distributed over blocks at random. */
double cw_bloom_rate(const cw_bloom_rates *rates, double load);

/* Returns the largest load whose rate is at most `rate`. */
double cw_bloom_load_for(const cw_bloom_rates *rates, double rate);

/* Returns the rate of filter `index` of a chain: a series whose sum over CW_BLOOM_CHAIN_MAX filters is at most
 * options->fpr. */
double cw_bloom_series_rate(const crawl_bloom_options *options, uint32_t index);

/* Maximum factor by which a filter may exceed the previous one to reach a useful size. */
#define CW_BLOOM_SERIES_LEAP 40

/* Returns the capacity of filter `index`, after one of capacity `last`: `growth` times that; but `useful` if that is
 * larger and at most CW_BLOOM_SERIES_LEAP times `last`. UINT64_MAX: beyond all memory.
 *
 * Filters between the two sizes cost every search as much as a large one and save nothing: they are smaller than a few
 * huge pages, and no longer in a cache that would make them fast. Smaller ones stay small until they have really
 * grown. */
uint64_t cw_bloom_series_capacity(const crawl_bloom_options *options, uint32_t index, uint64_t last, uint64_t useful);
