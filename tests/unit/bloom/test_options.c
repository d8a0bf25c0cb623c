/* Options: defaults, ranges and error messages. */
#include "keys.h"

#include <math.h>

static void expect_refusal(const crawl_bloom_options *options, const char *words)
{
    crawl_bloom *bloom = (crawl_bloom *)&bloom;
    crawl_bloom *before = bloom;
    crawl_error error = {0};
    cr_assert_eq(crawl_bloom_create(options, &bloom, &error), CRAWL_EINVAL, "%s", words);
    cr_assert_eq(bloom, before);
    cr_assert_eq(error.code, CRAWL_EINVAL);
    cr_assert(strstr(error.message, words), "\"%s\" says nothing of \"%s\"", error.message, words);
    cr_assert_eq(crawl_bloom_create(options, &bloom, NULL), CRAWL_EINVAL);
}

Test(bloom_options, defaults)
{
    crawl_bloom_options options;
    memset(&options, 0xff, sizeof options);
    crawl_bloom_options_init(&options);
    cr_assert_eq(options.kind, CRAWL_BLOOM_SCALABLE);
    cr_assert_eq(options.capacity, 1000000);
    cr_assert_eq(options.fpr, 1e-4);
    cr_assert_eq(options.growth, 2);
    cr_assert_eq(options.tightening, 0.85);
    cr_assert_eq(options.max_bytes, 0);
    cr_assert_eq(options.seed, 0);
    crawl_bloom *bloom = create(&options);
    crawl_bloom_free(bloom);
}

Test(bloom_options, numbers_out_of_range)
{
    static const struct {
        size_t at;
        double value;
        const char *words;
    } rows[] = {
        {offsetof(crawl_bloom_options, fpr), 0, "fpr is 0"},
        {offsetof(crawl_bloom_options, fpr), 0.9e-9, "fpr is 9e-10, expected 1e-09 to 0.5"},
        {offsetof(crawl_bloom_options, fpr), 0.51, "fpr is 0.51"},
        {offsetof(crawl_bloom_options, fpr), -1, "fpr is -1"},
        {offsetof(crawl_bloom_options, fpr), NAN, "fpr is"},
        {offsetof(crawl_bloom_options, fpr), INFINITY, "fpr is inf"},
        {offsetof(crawl_bloom_options, growth), 0.99, "growth is 0.99, expected 1 to 16"},
        {offsetof(crawl_bloom_options, growth), 16.5, "growth is 16.5"},
        {offsetof(crawl_bloom_options, growth), NAN, "growth is"},
        {offsetof(crawl_bloom_options, tightening), 0.04, "tightening is 0.04, expected 0.05 to 0.95"},
        {offsetof(crawl_bloom_options, tightening), 0.96, "tightening is 0.96"},
        {offsetof(crawl_bloom_options, tightening), NAN, "tightening is"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_bloom_options options;
        crawl_bloom_options_init(&options);
        memcpy((char *)&options + rows[i].at, &rows[i].value, sizeof(double));
        expect_refusal(&options, rows[i].words);
    }
}

Test(bloom_options, capacity_kind_and_memory)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 999, 1e-2);
    expect_refusal(&options, "capacity is 999, expected 1000 to 1099511627776");
    options.capacity = ((uint64_t)1 << 40) + 1;
    expect_refusal(&options, "capacity is 1099511627777");
    options.capacity = 1000;
    options.kind = (crawl_bloom_kind)77;
    expect_refusal(&options, "kind is 77");
    for (int kind = CRAWL_BLOOM_SCALABLE; kind <= CRAWL_BLOOM_EXACT; kind++) {
        options = options_of((crawl_bloom_kind)kind, 1000000, 1e-3);
        options.max_bytes = 100000;
        expect_refusal(&options, "max_bytes is 100000");
    }
}

Test(bloom_options, the_ends_of_the_ranges_are_inside)
{
    const crawl_bloom_options rows[] = {
        {.capacity = 1000, .fpr = 1e-9, .growth = 1, .tightening = 0.05},
        {.capacity = 1000, .fpr = 0.5, .growth = 16, .tightening = 0.95},
        {.kind = CRAWL_BLOOM_COUNTING, .capacity = 1000, .fpr = 1e-9, .growth = 1, .tightening = 0.05},
        {.kind = CRAWL_BLOOM_COUNTING, .capacity = 1000, .fpr = 0.5, .growth = 16, .tightening = 0.05},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_bloom *bloom = create(&rows[i]);
        add_range(bloom, 0, 20000);
        cr_assert_eq(count_range(bloom, 0, 20000), 20000);
        crawl_bloom_free(bloom);
    }
}

/* 2^40 keys need terabytes, and are refused before any memory is touched. */
Test(bloom_options, absurd_sizes_are_no_memory)
{
    for (int kind = CRAWL_BLOOM_SCALABLE; kind <= CRAWL_BLOOM_EXACT; kind++) {
        crawl_bloom_options options = options_of((crawl_bloom_kind)kind, (uint64_t)1 << 40, 1e-9);
        crawl_bloom *bloom = NULL;
        crawl_error error = {0};
        cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_ENOMEM);
        cr_assert_null(bloom);
        cr_assert(strstr(error.message, "memory"));
    }
}
