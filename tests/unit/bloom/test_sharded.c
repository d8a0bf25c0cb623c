/* Filters with shards, in one thread: the same set as without, only divided. tests/threads has the threads. */
#include "files.h"

#include <math.h>

TestSuite(bloom_sharded, .init = make_folder, .fini = remove_folder);

static crawl_bloom *create_sharded(crawl_bloom_kind kind, uint32_t shards, uint64_t capacity, double fpr)
{
    crawl_bloom_options options = options_of(kind, capacity, fpr);
    options.shards = shards;
    return create(&options);
}

Test(bloom_sharded, an_exact_set_is_the_same_set)
{
    for (uint32_t shards = 1; shards <= 256; shards *= 4) {
        crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_EXACT, shards, 10000, 1e-3);
        cr_assert_eq(add_range(bloom, 0, 100000), 0);
        cr_assert_eq(add_range(bloom, 50000, 100000), 50000);
        cr_assert_eq(count_range(bloom, 0, 200000), 150000);
        cr_assert_eq(count_range(bloom, STRANGERS, 100000), 0);
        cr_assert_eq(stats_of(bloom).count, 150000);
        cr_assert_eq(stats_of(bloom).filters, shards);
        for (uint64_t n = 0; n < 150000; n += 3)
            cr_assert_eq(forget(bloom, n, 0), CRAWL_OK);
        cr_assert_eq(forget(bloom, 0, 0), CRAWL_ABSENT);
        cr_assert_eq(stats_of(bloom).count, 100000);
        cr_assert_eq(stats_of(bloom).refused, 1);
        cr_assert_eq(count_range(bloom, 0, 150000), 100000);
        crawl_bloom_free(bloom);
    }
}

/* The whole has the requested rate, and the figures confirm it. */
Test(bloom_sharded, the_rate_holds_and_figures_add_up)
{
    enum { KEYS = 200000, PROBES = 400000 };
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_SCALABLE, 16, 50000, 1e-2);
    uint64_t lost = add_range(bloom, 0, KEYS);
    crawl_bloom_stats all = stats_of(bloom), sum = {0};
    cr_assert_eq(all.count + lost, KEYS);
    double rate = (double)count_range(bloom, STRANGERS, PROBES) / PROBES;
    cr_assert_lt(rate, 1e-2);
    cr_assert_float_eq(rate, all.fpr_now, 0.1 * all.fpr_now);
    cr_assert_float_eq((double)lost, all.expected_false, 5 * sqrt(all.expected_false));
    cr_assert_gt(all.filters, 32);
    for (uint32_t f = 0; f < all.filters; f++) {
        crawl_bloom_stats one;
        cr_assert_eq(crawl_bloom_stats_of(bloom, f, &one), CRAWL_OK);
        sum.count += one.count;
        sum.capacity += one.capacity;
        cr_assert_gt(one.capacity, 0);
    }
    cr_assert_eq(sum.count, all.count);
    cr_assert_eq(sum.capacity, all.capacity);
    crawl_bloom_stats one;
    cr_assert_eq(crawl_bloom_stats_of(bloom, all.filters, &one), CRAWL_EINVAL);
    crawl_bloom_free(bloom);
}

/* Hashes of one shard have bits in common, which the figures take into account. */
Test(bloom_sharded, a_hash_is_met_by_chance_as_often_as_in_the_whole)
{
    crawl_bloom *single = create_sharded(CRAWL_BLOOM_DIGEST, 0, 100000, 1e-3);
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_DIGEST, 64, 100000, 1e-3);
    add_range(single, 0, 100000);
    add_range(bloom, 0, 100000);
    crawl_bloom_stats a = stats_of(single), b = stats_of(bloom), one;
    cr_assert_gt(a.fpr_now, 0);
    cr_assert_float_eq(b.fpr_now, a.fpr_now, 1e-6 * a.fpr_now);
    cr_assert_float_eq(b.expected_false, a.expected_false, 0.05 * a.expected_false);
    cr_assert_eq(crawl_bloom_stats_of(bloom, 63, &one), CRAWL_OK);
    cr_assert_float_eq(one.fpr_now, a.fpr_now, 0.2 * a.fpr_now);
    crawl_bloom_free(single);
    crawl_bloom_free(bloom);
}

/* Shards get unequal numbers of keys and have room for that, so no chain grows before the whole is full. */
Test(bloom_sharded, no_shard_is_full_long_before_the_whole)
{
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_SCALABLE, 32, 320000, 1e-3);
    uint64_t bytes = stats_of(bloom).bytes;
    add_range(bloom, 0, 320000);
    cr_assert_eq(stats_of(bloom).filters, 32);
    cr_assert_eq(stats_of(bloom).bytes, bytes);
    crawl_bloom *single = create_sharded(CRAWL_BLOOM_SCALABLE, 0, 320000, 1e-3);
    cr_assert_lt((double)bytes, 1.8 * (double)stats_of(single).bytes);
    crawl_bloom_free(single);
    crawl_bloom_free(bloom);
}

/* Batches of many times the internal batch size, with every key twice. */
Test(bloom_sharded, a_large_batch_answers_in_the_order_of_the_caller)
{
    enum { N = 5000 };
    static char keys[N * KEY];
    static uint8_t fresh[N], present[N];
    static uint32_t where[N];
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_EXACT, 64, 1000, 1e-3);
    for (size_t i = 0; i < N; i++)
        make_key(mix(i / 2) % 3 == 0 ? STRANGERS + i / 2 : i / 2, keys + i * KEY);
    memset(where, 0xff, sizeof where);
    cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, N, fresh, where), CRAWL_OK);
    crawl_bloom_test_many(bloom, keys, KEY, N, present);
    for (size_t i = 0; i < N; i++) {
        cr_assert_eq(fresh[i], i % 2 == 0);
        cr_assert_eq(where[i], i % 2 == 0 ? 0 : UINT32_MAX);
        cr_assert_eq(present[i], 1);
    }
    for (uint64_t n = 0; n < N / 2; n++)
        cr_assert_eq(test(bloom, n), mix(n) % 3 == 0 ? CRAWL_ABSENT : CRAWL_EXISTS);
    crawl_bloom_free(bloom);
}

/* Low bits of a hash choose the shard and high ones the place in it, so shards fill like the whole. */
Test(bloom_sharded, keys_spread_within_a_shard_as_in_the_whole)
{
    crawl_bloom *single = create_sharded(CRAWL_BLOOM_SCALABLE, 0, 256000, 1e-3);
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_SCALABLE, 256, 256000, 1e-3);
    add_range(single, 0, 200000);
    add_range(bloom, 0, 200000);
    crawl_bloom_stats a = stats_of(single), b = stats_of(bloom);
    double room = (double)b.capacity / (double)a.capacity;
    cr_assert_float_eq(b.fill * room, a.fill, 0.05 * a.fill);
    cr_assert_leq(b.fpr_now, a.fpr_now * 1.1);
    crawl_bloom_free(single);
    crawl_bloom_free(bloom);
}

/* Each shard holds at least 1000 keys: more than its part of a smaller window. */
Test(bloom_sharded, a_window_is_not_made_longer)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_ROTATING, 15999, 1e-3);
    crawl_bloom *bloom;
    crawl_error error = {0};
    options.shards = 16;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL);
    cr_assert(strstr(error.message, "capacity: below 1000 for each of 16 shards"), "%s", error.message);
    options.capacity = 16000;
    crawl_bloom_free(create(&options));
}

Test(bloom_sharded, memory_is_shared_out)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_EXACT, 100000, 1e-3);
    crawl_bloom *bloom;
    crawl_error error = {0};
    options.shards = 16;
    options.max_bytes = 1000000;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL);
    cr_assert(strstr(error.message, "max_bytes") && strstr(error.message, "each of 16 shards"), "%s", error.message);
    options.max_bytes = 1;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL);
    options.max_bytes = 3000000;
    bloom = create(&options);
    crawl_err err = CRAWL_OK;
    uint64_t keys = 0;
    for (; err == CRAWL_OK; keys++)
        err = add(bloom, keys, NULL);
    cr_assert_eq(err, CRAWL_ENOMEM);
    cr_assert_leq(stats_of(bloom).bytes, 3000000);
    cr_assert_gt(keys, 100000);

    /* In a batch, keys for shards with room are still added, and each answer is correct. */
    enum { N = 1000 };
    char bytes[N * KEY];
    uint8_t fresh[N];
    make_keys(STRANGERS, N, bytes);
    uint64_t before = stats_of(bloom).count, news = 0;
    cr_assert_eq(crawl_bloom_add_many(bloom, bytes, KEY, N, fresh, NULL), CRAWL_ENOMEM);
    for (size_t i = 0; i < N; i++) {
        news += fresh[i];
        cr_assert_eq(test(bloom, STRANGERS + i), fresh[i] ? CRAWL_EXISTS : CRAWL_ABSENT);
    }
    cr_assert_eq(stats_of(bloom).count, before + news);
    cr_assert_gt(news, 0);
    crawl_bloom_free(bloom);
}

Test(bloom_sharded, small_filters_stay_small)
{
    crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_EXACT, 256, 1000, 1e-3);
    cr_assert_lt(stats_of(bloom).bytes, 256 * (1400 * 16 + 1000));
    cr_assert_eq(crawl_bloom_options_of(bloom)->capacity, 1000);
    cr_assert_eq(crawl_bloom_options_of(bloom)->shards, 256);
    crawl_bloom_free(bloom);
}

/* A filter of a given size uses that memory, and its hashes suit the whole. */
Test(bloom_sharded, a_bloom_filter_is_parted_exactly)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_CLASSIC, 10000, 1e-3);
    options.bits = 1 << 17;
    crawl_bloom *single = create(&options);
    options.shards = 64;
    crawl_bloom *bloom = create(&options);
    cr_assert_eq(stats_of(bloom).bits, options.bits);
    cr_assert_eq(stats_of(bloom).hashes, stats_of(single).hashes);
    crawl_bloom_free(bloom);
    options.bits = 64;
    bloom = create(&options);
    cr_assert_eq(stats_of(bloom).bits, 64 * 64);
    crawl_bloom_free(bloom);
    crawl_bloom_free(single);
}

Test(bloom_sharded, every_number_of_shards_is_saved_and_read)
{
    for (uint32_t shards = 1; shards <= 256; shards *= 2) {
        crawl_bloom *bloom = create_sharded(CRAWL_BLOOM_EXACT, shards, 100000, 1e-3);
        add_range(bloom, 0, 150000);
        save(bloom, in_folder("filter"));
        crawl_bloom *again = open_with(shards % 2 ? crawl_bloom_load : crawl_bloom_map, in_folder("filter"));
        cr_assert_eq(stats_of(again).count, 150000);
        cr_assert_eq(count_range(again, 0, 150000), 150000);
        assert_alike(bloom, again);
        crawl_bloom_free(again);
        crawl_bloom_free(bloom);
    }
}
