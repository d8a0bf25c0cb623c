/* The Bloom filter of a fixed size: how its size is computed, its figures, and its behaviour beyond its capacity. The
 * theory itself is in tests/conformance/test_bloom.c. */
#include <math.h>

#include "keys.h"

static crawl_bloom_options classic_options(uint64_t capacity, double fpr)
{
    return options_of(CRAWL_BLOOM_CLASSIC, capacity, fpr);
}

static void expect_size(const crawl_bloom_options *options, uint64_t bits, uint32_t hashes, double fpr)
{
    crawl_bloom *bloom = create(options);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.bits, bits, "%llu bits", (unsigned long long)stats.bits);
    cr_assert_eq(stats.hashes, hashes, "%u hashes", (unsigned)stats.hashes);
    cr_assert_float_eq(stats.fpr, fpr, 1e-9);
    cr_assert_eq(stats.capacity, options->capacity);
    cr_assert_geq(8 * stats.bytes, bits);
    cr_assert_leq(stats.bytes, bits / 8 + 512);
    crawl_bloom_free(bloom);
}

Test(bloom_classic, what_is_not_given_follows_from_the_rest)
{
    crawl_bloom_options options = classic_options(1000, 0.01);
    expect_size(&options, 9586, 7, 0.01);
    options.hashes = 3; /* more bits for the same rate */
    expect_size(&options, 12365, 3, 0.01);
    cr_assert_leq(crawl_bloom_rate(1000, 12365, 3), 0.01);
    cr_assert_gt(crawl_bloom_rate(1000, 12364, 3), 0.01);
    options.bits = 8000;
    expect_size(&options, 8000, 3, crawl_bloom_rate(1000, 8000, 3));
    options.hashes = 0;
    expect_size(&options, 8000, 6, crawl_bloom_rate(1000, 8000, 6));
    options.capacity = 1;
    expect_size(&options, 8000, 64, crawl_bloom_rate(1, 8000, 64));
    options.capacity = 1000000;
    expect_size(&options, 8000, 1, crawl_bloom_rate(1000000, 8000, 1));
    options.bits = 8;
    expect_size(&options, 8, 1, 1);
}

Test(bloom_classic, sizes_at_the_ends)
{
    uint64_t bits;
    uint32_t hashes;
    crawl_bloom_size(1, 0.5, &bits, &hashes);
    cr_assert(bits == 2 && hashes == 1);
    crawl_bloom_size((uint64_t)1 << 40, 1e-9, &bits, &hashes);
    cr_assert_float_eq((double)bits, 43.1328 * 0x1p40, 1e-4 * 0x1p40);
    cr_assert_eq(hashes, 30);
    cr_assert_eq(crawl_bloom_rate(0, 1000, 7), 0);
    cr_assert_eq(crawl_bloom_rate((uint64_t)1 << 40, 64, 1), 1);
}

static void expect_refusal(const crawl_bloom_options *options, crawl_err code, const char *words)
{
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_bloom_create(options, &bloom, &error), code);
    cr_assert_null(bloom);
    cr_assert(strstr(error.message, words), "\"%s\" says nothing of \"%s\"", error.message, words);
}

Test(bloom_classic, refusals)
{
    crawl_bloom_options options = classic_options(999, 0.01);
    expect_refusal(&options, CRAWL_EINVAL, "capacity is 999, expected 1000");
    options.bits = 7;
    expect_refusal(&options, CRAWL_EINVAL, "bits is 7, expected 8");
    options.bits = ((uint64_t)1 << 46) + 1;
    expect_refusal(&options, CRAWL_EINVAL, "bits is 70368744177665");
    options.bits = 0;
    options.capacity = 1000;
    options.hashes = 65;
    expect_refusal(&options, CRAWL_EINVAL, "hashes is 65, expected 0 to 64");
    options.hashes = 1;
    options.fpr = 1e-9; /* 10^9 bits for each key */
    options.capacity = 1000000;
    expect_refusal(&options, CRAWL_ENOMEM, "2^46 bits");
    options = classic_options(1000, 0.01);
    options.max_bytes = 1000;
    expect_refusal(&options, CRAWL_EINVAL, "max_bytes is 1000");
}

static uint64_t count_ones(const crawl_bloom *bloom)
{
    crawl_bloom_stats stats = stats_of(bloom);
    return (uint64_t)llround(stats.fill * (double)stats.bits);
}

/* One key of k hashes sets at most k bits, and a second time none. */
Test(bloom_classic, ones_are_counted_as_they_are_set)
{
    crawl_bloom_options options = classic_options(1000, 0.01);
    options.bits = 100000;
    options.hashes = 9;
    crawl_bloom *bloom = create(&options);
    cr_assert_eq(count_ones(bloom), 0);
    cr_assert_eq(add(bloom, 1, NULL), CRAWL_OK);
    uint64_t ones = count_ones(bloom);
    cr_assert(ones >= 8 && ones <= 9);
    cr_assert_eq(add(bloom, 1, NULL), CRAWL_EXISTS);
    cr_assert_eq(count_ones(bloom), ones);
    cr_assert_float_eq(stats_of(bloom).fpr_now, pow((double)ones / 100000, 9), 1e-40);
    crawl_bloom_free(bloom);
}

/* The filter keeps filling beyond its capacity, and reports its rate and its losses. */
Test(bloom_classic, beyond_its_capacity)
{
    enum { CAPACITY = 20000, PROBES = 100000 };
    crawl_bloom_options options = classic_options(CAPACITY, 0.01);
    crawl_bloom *bloom = create(&options);
    uint64_t lost = 0, bytes = stats_of(bloom).bytes;
    for (uint64_t n = 0; n < 5 * CAPACITY; n += CAPACITY) {
        lost += add_range(bloom, n, CAPACITY);
        cr_assert_eq(count_range(bloom, n, CAPACITY), CAPACITY);
        crawl_bloom_stats stats = stats_of(bloom);
        cr_assert_eq(stats.count, n + CAPACITY - lost);
        double rate = (double)count_range(bloom, STRANGERS, PROBES) / PROBES;
        cr_assert_float_eq(rate, stats.fpr_now, 4 * sqrt(stats.fpr_now / PROBES));
        cr_assert_float_eq((double)lost, stats.expected_false,
                           4 * sqrt(stats.expected_false) + 0.01 * stats.expected_false);
        if (n == 0)
            cr_assert_float_eq(stats.fpr_by_count, 0.01, 1e-4);
    }
    cr_assert_gt(lost, 10000);
    cr_assert_gt(stats_of(bloom).fpr_now, 0.5);
    cr_assert_eq(stats_of(bloom).bytes, bytes);
    crawl_bloom_free(bloom);
}

/* With all bits set, the filter reports every key as seen, and its figures stay finite. */
Test(bloom_classic, full_of_ones)
{
    crawl_bloom_options options = classic_options(1, 0.5);
    options.bits = 64;
    options.hashes = 4;
    crawl_bloom *bloom = create(&options);
    add_range(bloom, 0, 5000);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.fill, 1);
    cr_assert_eq(stats.fpr_now, 1);
    cr_assert_lt(stats.count, 65);
    cr_assert(isfinite(stats.expected_false));
    cr_assert_eq(count_range(bloom, STRANGERS, 1000), 1000);
    crawl_bloom_free(bloom);
}

Test(bloom_classic, cannot_forget)
{
    crawl_bloom_options options = classic_options(1000, 0.01);
    crawl_bloom *bloom = create(&options);
    add(bloom, 1, NULL);
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_REFUSED);
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    crawl_bloom_free(bloom);
}
