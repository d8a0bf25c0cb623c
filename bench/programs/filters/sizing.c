/* Prints the bits per key of the chains, for bench_filters --sizing. */
#include "bench/programs/filters/filters.h"

#include "bench/programs/measure.h"

#include <math.h>
#include <stdio.h>

/* Returns the bits per key of a filter of this rate: the first of a chain, which has (1 - tightening) of the rate of
 * the whole. */
static double bits_for(crawl_bloom_kind kind, double rate)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.fpr = rate / (1 - options.tightening);
    crawl_bloom *bloom;
    crawl_bloom_stats stats;
    if (crawl_bloom_create(&options, &bloom, NULL) || crawl_bloom_stats_of(bloom, 0, &stats))
        fail("cannot create");
    crawl_bloom_free(bloom);
    return 8 * (double)stats.bytes / (double)stats.capacity;
}

/* Returns the bits per key of a chain full with this number of filters. */
static double bits_of_chain(crawl_bloom_kind kind, double fpr, uint32_t filters)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    double bits = 0, keys = 0;
    for (uint32_t f = 0; f < filters; f++) {
        double rate = fpr * (1 - options.tightening) * pow(options.tightening, f);
        double capacity = pow(options.growth, f);
        bits += capacity * bits_for(kind, rate);
        keys += capacity;
    }
    return bits / keys;
}

void bench_sizing(void)
{
    printf("bits per key of one filter by its own rate\n%10s %10s %10s\n", "rate", "scalable", "counting");
    for (int i = 2; i <= 7; i++)
        printf("%10s%d %10.1f %10.1f\n", "1e-", i, bits_for(CRAWL_BLOOM_SCALABLE, pow(10, -i)),
               bits_for(CRAWL_BLOOM_COUNTING, pow(10, -i)));
    printf("\nbits per key of a full chain by the rate of the whole, growth 2, tightening 0.85\n%10s %8s %10s %10s\n",
           "fpr", "filters", "scalable", "counting");
    for (int i = 2; i <= 5; i++) {
        for (uint32_t filters = 1; filters <= 7; filters += 3)
            printf("%9s%d %8u %10.1f %10.1f\n", "1e-", i, filters,
                   bits_of_chain(CRAWL_BLOOM_SCALABLE, pow(10, -i), filters),
                   bits_of_chain(CRAWL_BLOOM_COUNTING, pow(10, -i), filters));
    }
}
