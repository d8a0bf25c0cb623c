/* Tests the unblocked bloom filter against the theory, with the data in bloom/: the formula for large filters, sizes,
 * and exact probabilities for small filters, where the formula is too low. */
#include "tests/support/jsonl.h"

#include <crawl/bloom.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 1000

/* A measured mean may be off by this many standard errors. The samples are the same in every run. */
#define ERRORS 4.0

static double number_of(const json_t *row, const char *field)
{
    return json_number_value(json_object_get(row, field));
}

static crawl_bloom *create(double keys, double bits, double hashes, uint64_t seed)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_CLASSIC;
    options.capacity = (uint64_t)keys;
    options.bits = (uint64_t)bits;
    options.hashes = (uint32_t)hashes;
    options.seed = seed;
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_OK, "%s", error.message);
    return bloom;
}

static void add_keys(crawl_bloom *bloom, uint64_t keys)
{
    for (uint64_t key = 0; key < keys; key++)
        crawl_bloom_add(bloom, &key, sizeof key, NULL);
}

/* Counts false positives among count keys that were never added. */
static uint64_t count_false(const crawl_bloom *bloom, uint64_t count)
{
    uint64_t keys[BATCH], hits = 0;
    uint8_t present[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        uint64_t some = count - done < BATCH ? count - done : BATCH;
        for (uint64_t i = 0; i < some; i++)
            keys[i] = ((uint64_t)1 << 60) + done + i;
        crawl_bloom_test_many(bloom, keys, sizeof *keys, some, present);
        for (uint64_t i = 0; i < some; i++)
            hits += present[i];
    }
    return hits;
}

/* The rows give four digits. */
static bool same_rate(double got, double expected)
{
    return fabs(got - expected) <= 6e-4 * expected;
}

static unsigned check_formula(double r, const json_t *rates)
{
    unsigned failed = 0;
    const char *hashes;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)rates, hashes, value)
    {
        double expected = json_number_value(value);
        double got = crawl_bloom_rate(1000000, (uint64_t)(r * 1e6), (uint32_t)strtoul(hashes, NULL, 10));
        if (!same_rate(got, expected)) {
            printf("%g bits per key, k %s: got %.5g, expected %.4g\n", r, hashes, got, expected);
            failed++;
        }
    }
    return failed;
}

/* Checks the k that a filter chooses by itself, and that no other k has a lower rate. */
static unsigned check_best(double r, double best, double optimum, double rate)
{
    crawl_bloom *bloom = create(10000, r * 10000, 0, 0);
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(bloom, &stats);
    crawl_bloom_free(bloom);
    bool good = stats.hashes == best && fabs(optimum - best) <= 0.5 && stats.fpr >= rate * 0.999;
    for (uint32_t k = 1; k <= 64; k++)
        good &= crawl_bloom_rate(10000, stats.bits, k) >= stats.fpr;
    if (!good)
        printf("%g bits per key: got k %u of rate %.4g, expected %g\n", r, (unsigned)stats.hashes, stats.fpr, best);
    return !good;
}

Test(bloom, formula_and_best_number_of_hashes)
{
    jsonl *file = jsonl_open("bloom/classic.jsonl");
    unsigned rows = 0, failed = 0;
    for (const json_t *row; (row = jsonl_next(file)); rows++) {
        double r = number_of(row, "bits_per_key");
        failed += check_formula(r, json_object_get(row, "fpr"));
        failed += check_best(r, number_of(row, "best_integer_k"), number_of(row, "optimal_k"),
                             number_of(row, "fpr_at_optimal_k"));
    }
    printf("bloom/classic: %u rows, %u failed\n", rows, failed);
    cr_expect_eq(failed, 0);
    cr_expect_gt(rows, 0);
}

/* Compares a filter of 20,000 keys with the rate of a row. The fill varies from filter to filter by at most sqrt(m) / 2
 * bits. */
static unsigned measure(double r, double hashes, double expected)
{
    enum { KEYS = 20000, PROBES = 200000 };
    crawl_bloom *bloom = create(KEYS, r * KEYS, hashes, 1);
    add_keys(bloom, KEYS);
    double got = (double)count_false(bloom, PROBES) / PROBES;
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(bloom, &stats);
    crawl_bloom_free(bloom);
    double of_fill = hashes * expected / (2 * sqrt(r * KEYS) * stats.fill);
    double of_probes = sqrt(expected / PROBES);
    bool good = fabs(got - expected) <= ERRORS * hypot(of_fill, of_probes);
    good &= fabs(stats.fpr_now - expected) <= ERRORS * of_fill && stats.fpr_by_count <= expected * 1.001;
    if (!good)
        printf("%g bits per key, k %g: measured %.5g, by its fill %.5g, expected %.4g\n", r, hashes, got, stats.fpr_now,
               expected);
    return !good;
}

Test(bloom, rates_of_filters)
{
    static const char *const hashes[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    jsonl *file = jsonl_open("bloom/classic.jsonl");
    unsigned measured = 0, failed = 0;
    for (const json_t *row; (row = jsonl_next(file));) {
        double r = number_of(row, "bits_per_key");
        for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
            double expected = number_of(json_object_get(row, "fpr"), hashes[i]);
            if (fmod(r, 4) != 0 || expected < 1e-3)
                continue;
            failed += measure(r, strtod(hashes[i], NULL), expected);
            measured++;
        }
    }
    printf("bloom/classic: %u rates measured, %u failed\n", measured, failed);
    cr_expect_eq(failed, 0);
    cr_expect_gt(measured, 10);
}

Test(bloom, sizes)
{
    jsonl *file = jsonl_open("bloom/sizing.jsonl");
    unsigned rows = 0, failed = 0;
    for (const json_t *row; (row = jsonl_next(file)); rows++) {
        double keys = number_of(row, "n");
        uint64_t bits;
        uint32_t hashes;
        crawl_bloom_size((uint64_t)keys, number_of(row, "fpr"), &bits, &hashes);
        bool good = (double)bits == number_of(row, "bits") && hashes == number_of(row, "k") &&
                    fabs((double)bits / keys - number_of(row, "bits_per_key")) < 1e-3;
        if (!good)
            printf("%g keys: got %llu bits, k %u\n", keys, (unsigned long long)bits, (unsigned)hashes);
        failed += !good;
    }
    printf("bloom/sizing: %u rows, %u failed\n", rows, failed);
    cr_expect_eq(failed, 0);
    cr_expect_gt(rows, 0);
}

/* The mean of a figure over many filters. */
typedef struct mean {
    double sum, squares, count;
} mean;

static void note(mean *m, double value)
{
    m->sum += value;
    m->squares += value * value;
    m->count++;
}

static bool agrees(const mean *m, double expected, const char *what, const json_t *row)
{
    double got = m->sum / m->count;
    double error = sqrt((m->squares / m->count - got * got) / m->count);
    bool good = fabs(got - expected) <= ERRORS * error;
    if (!good)
        printf("m %g, n %g, k %g: %s is %.6g, expected %.6g, standard error %.1g\n", number_of(row, "m"),
               number_of(row, "n"), number_of(row, "k"), what, got, expected, error);
    return good;
}

/* Compares the bits set and the false positives of many filters, each with its own seed, with a row. */
static unsigned check_small(const json_t *row)
{
    enum { FILTERS = 12000, PROBES = 100 };
    double bits = number_of(row, "m"), keys = number_of(row, "n"), rate = number_of(row, "exact_fpr");
    mean ones = {0}, hits = {0};
    for (uint64_t seed = 0; seed < FILTERS; seed++) {
        crawl_bloom *bloom = create(keys, bits, number_of(row, "k"), seed);
        add_keys(bloom, (uint64_t)keys);
        crawl_bloom_stats stats;
        crawl_bloom_stats_get(bloom, &stats);
        note(&ones, stats.fill * bits);
        note(&hits, (double)count_false(bloom, PROBES) / PROBES);
        crawl_bloom_free(bloom);
    }
    bool sharp = fabs(number_of(row, "approx_fpr") - rate) > ERRORS * sqrt(rate / (FILTERS * PROBES));
    bool good = agrees(&ones, number_of(row, "expected_set_bits"), "bits set", row);
    good &= agrees(&hits, rate, "rate", row);
    return !good || !sharp;
}

Test(bloom, exact_probabilities_of_small_filters)
{
    jsonl *file = jsonl_open("bloom/exact-small.jsonl");
    unsigned rows = 0, failed = 0;
    for (const json_t *row; (row = jsonl_next(file)); rows++)
        failed += check_small(row);
    printf("bloom/exact-small: %u of %u rows\n", rows - failed, rows);
    cr_expect_eq(failed, 0);
    cr_expect_gt(rows, 0);
}
