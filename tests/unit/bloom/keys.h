/* Keys for the tests of filters: 20 uniform bytes from a number, the same in every run. */
#pragma once

#include "bench/programs/keys.h"

#include <crawl/bloom.h>

#include <criterion/criterion.h>
#include <stdlib.h>

#define CHUNK 1000

/* Numbers from here on are never added. */
#define STRANGERS ((uint64_t)1 << 60)

static inline void make_keys(uint64_t first, size_t count, char *keys)
{
    for (size_t i = 0; i < count; i++)
        make_key(first + i, keys + i * KEY);
}

static inline crawl_bloom_options options_of(crawl_bloom_kind kind, uint64_t capacity, double fpr)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.capacity = capacity;
    options.fpr = fpr;
    return options;
}

static inline crawl_bloom *create(const crawl_bloom_options *options)
{
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_bloom_create(options, &bloom, &error), CRAWL_OK, "%s", error.message);
    return bloom;
}

static inline crawl_err add(crawl_bloom *bloom, uint64_t number, uint32_t *where)
{
    char key[KEY];
    make_key(number, key);
    return crawl_bloom_add(bloom, key, KEY, where);
}

static inline crawl_err test(const crawl_bloom *bloom, uint64_t number)
{
    char key[KEY];
    make_key(number, key);
    return crawl_bloom_test(bloom, key, KEY);
}

static inline crawl_err forget(crawl_bloom *bloom, uint64_t number, uint32_t where)
{
    char key[KEY];
    make_key(number, key);
    return crawl_bloom_forget(bloom, key, KEY, where);
}

/* Adds count new keys in batches. Returns how many were mistaken for seen ones. */
static inline uint64_t add_range(crawl_bloom *bloom, uint64_t first, uint64_t count)
{
    static char keys[CHUNK * KEY];
    static uint8_t fresh[CHUNK];
    uint64_t lost = 0;
    for (uint64_t done = 0; done < count; done += CHUNK) {
        size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
        make_keys(first + done, n, keys);
        cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, n, fresh, NULL), CRAWL_OK);
        for (size_t i = 0; i < n; i++)
            lost += !fresh[i];
    }
    return lost;
}

/* Returns how many of count keys are in the filter. */
static inline uint64_t count_range(const crawl_bloom *bloom, uint64_t first, uint64_t count)
{
    static char keys[CHUNK * KEY];
    static uint8_t present[CHUNK];
    uint64_t found = 0;
    for (uint64_t done = 0; done < count; done += CHUNK) {
        size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
        make_keys(first + done, n, keys);
        crawl_bloom_test_many(bloom, keys, KEY, n, present);
        for (size_t i = 0; i < n; i++)
            found += present[i];
    }
    return found;
}

static inline crawl_bloom_stats stats_of(const crawl_bloom *bloom)
{
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(bloom, &stats);
    return stats;
}
