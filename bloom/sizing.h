/* The arithmetic of a blocked filter: its false-positive rate at a load, and the load for a rate. */
#pragma once

#include <crawl/bloom.h>

/* Keys of one block for which rates are kept. Designs stay below 200; with 320 and more a block answers yes to nearly
 * all. */
#define CW_BLOOM_RATES 640

/* Filters of a chain at most. The sum of their rates must stay under the rate of the chain, and the search through them
 * under a microsecond; with growth 2 memory ends long before. */
#define CW_BLOOM_CHAIN_MAX 64

/* A block: lanes of cells each. A key takes `hashes` (1 or 2) uniform cells of every lane. */
typedef struct cw_bloom_shape {
    unsigned lanes;
    unsigned cells;
    unsigned hashes;
} cw_bloom_shape;

typedef struct cw_bloom_rates {
    double block[CW_BLOOM_RATES]; /* [j]: false-positive rate of a block that holds j keys */
} cw_bloom_rates;

void cw_bloom_rates_init(cw_bloom_rates *rates, cw_bloom_shape shape);

/* The rate of a filter whose blocks hold `load` keys each on average: the mean of block[] over a Poisson distribution,
 * since keys fall into blocks at random. */
double cw_bloom_rate(const cw_bloom_rates *rates, double load);

/* The largest load whose rate is not above `rate`. */
double cw_bloom_load_for(const cw_bloom_rates *rates, double rate);

/* The rate of filter `index` of a chain: the series whose sum over CW_BLOOM_CHAIN_MAX filters is at most options->fpr.
 */
double cw_bloom_series_rate(const crawl_bloom_options *options, uint32_t index);

/* How much larger than the one before a filter may be so as to be of a useful size. */
#define CW_BLOOM_SERIES_LEAP 40

/* The capacity of filter `index`, that of the one before being `last`: `growth` times that; or, where that is less than
 * `useful`, but CW_BLOOM_SERIES_LEAP times `last` would not be, `useful`. UINT64_MAX: beyond all memory.
 *
 * Filters between the two sizes cost every search as much as a large one and save nothing: they are smaller than a few
 * huge pages, and no longer in a cache that would make them fast. Smaller ones stay small until they have really
 * grown. */
uint64_t cw_bloom_series_capacity(const crawl_bloom_options *options, uint32_t index, uint64_t last, uint64_t useful);
