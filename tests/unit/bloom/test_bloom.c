/* Guarantees of every kind of filter: the calls of <crawl/bloom.h>, for all kinds, without and with shards. */
#include "keys.h"

static const uint32_t shard_counts[] = {0, 4};
#define VARIANTS (CRAWL_BLOOM_KINDS * 2)

static crawl_bloom_kind kind_at(unsigned variant)
{
    return (crawl_bloom_kind)(variant / 2);
}

/* Creates a filter; those that do not grow get room for everything added here. */
static crawl_bloom *create_small(unsigned variant)
{
    crawl_bloom_kind kind = kind_at(variant);
    bool grows = kind != CRAWL_BLOOM_CLASSIC && kind != CRAWL_BLOOM_ROTATING;
    crawl_bloom_options options = options_of(kind, grows ? 1000 : 300000, 1e-2);
    options.shards = shard_counts[variant % 2];
    return create(&options);
}

static bool is_chain(unsigned variant)
{
    return kind_at(variant) == CRAWL_BLOOM_SCALABLE || kind_at(variant) == CRAWL_BLOOM_COUNTING;
}

static bool can_forget(unsigned variant)
{
    crawl_bloom_kind kind = kind_at(variant);
    return kind != CRAWL_BLOOM_SCALABLE && kind != CRAWL_BLOOM_CLASSIC && kind != CRAWL_BLOOM_ROTATING;
}

Test(bloom, no_key_added_is_ever_absent)
{
    enum { KEYS = 60000 };
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        uint64_t n = 0;
        while (n < KEYS) {
            for (uint64_t end = n + 500; n < end; n++) {
                crawl_err err = add(bloom, n, NULL);
                cr_assert(err == CRAWL_OK || err == CRAWL_EXISTS);
                cr_assert_eq(test(bloom, n), CRAWL_EXISTS);
            }
            add_range(bloom, n, 700);
            n += 700;
        }
        cr_assert_eq(count_range(bloom, 0, n), n);
        for (uint64_t i = 0; i < n; i += 7)
            cr_assert_eq(test(bloom, i), CRAWL_EXISTS);
        if (is_chain(v))
            cr_assert_geq(stats_of(bloom).filters, 5);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, the_second_time_a_key_exists)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        cr_assert_eq(crawl_bloom_kind_of(bloom), kind_at(v));
        cr_assert_eq(test(bloom, 1), CRAWL_ABSENT);
        uint32_t where = 99;
        cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
        cr_assert_eq(where, 0);
        cr_assert_eq(add(bloom, 1, NULL), CRAWL_EXISTS);
        cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
        cr_assert_eq(test(bloom, 2), CRAWL_ABSENT);
        cr_assert_eq(stats_of(bloom).count, 1);
        crawl_bloom_free(bloom);
    }
}

/* Adds the same sequence of keys, a third of them seen before, to both: one by one, and in batches of various sizes. */
static void compare_ways(crawl_bloom *single, crawl_bloom *many)
{
    enum { MOST = 400 };
    static char keys[MOST * KEY];
    uint8_t fresh[MOST];
    uint32_t where[MOST];
    uint64_t dice = 1, next = 0;
    while (next < 40000) {
        size_t n = 1 + mix(dice++) % MOST;
        for (size_t i = 0; i < n; i++) {
            uint64_t d = mix(dice++);
            make_key(d % 3 || next == 0 ? next++ : (d >> 8) % next, keys + i * KEY);
        }
        memset(where, 0xff, sizeof where);
        cr_assert_eq(crawl_bloom_add_many(many, keys, KEY, n, fresh, where), CRAWL_OK);
        for (size_t i = 0; i < n; i++) {
            uint32_t one = UINT32_MAX;
            crawl_err err = crawl_bloom_add(single, keys + i * KEY, KEY, &one);
            cr_assert_eq(fresh[i], err == CRAWL_OK);
            cr_assert_eq(where[i], one);
        }
    }
    cr_assert_eq(count_range(single, STRANGERS, 50000), count_range(many, STRANGERS, 50000));
}

Test(bloom, a_batch_answers_as_single_calls_do)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *single = create_small(v);
        crawl_bloom *many = create_small(v);
        compare_ways(single, many);
        crawl_bloom_stats a = stats_of(single), b = stats_of(many);
        cr_assert_eq(a.count, b.count);
        cr_assert_eq(a.bytes, b.bytes);
        cr_assert_eq(a.fpr_now, b.fpr_now);
        cr_assert_eq(a.expected_false, b.expected_false);
        cr_assert_eq(a.filters, b.filters);
        for (uint32_t f = 0; f < a.filters; f++) {
            crawl_bloom_stats x, y;
            cr_assert_eq(crawl_bloom_stats_of(single, f, &x), CRAWL_OK);
            cr_assert_eq(crawl_bloom_stats_of(many, f, &y), CRAWL_OK);
            cr_assert_eq(x.fill, y.fill);
            cr_assert_eq(x.count, y.count);
        }
        crawl_bloom_free(single);
        crawl_bloom_free(many);
    }
}

/* A false positive of a newer filter may hide the filter that holds a key. */
static void check_found(const crawl_bloom *bloom, uint64_t keys, const uint32_t *where)
{
    unsigned elsewhere = 0;
    bool is_chain =
        crawl_bloom_kind_of(bloom) == CRAWL_BLOOM_SCALABLE || crawl_bloom_kind_of(bloom) == CRAWL_BLOOM_COUNTING;
    bool sharded = crawl_bloom_options_of(bloom)->shards;
    for (uint64_t n = 0; n < keys; n++) {
        char key[KEY];
        crawl_bloom_found found;
        crawl_bloom_stats stats;
        make_key(n, key);
        if (crawl_bloom_find(bloom, key, KEY, &found) != CRAWL_EXISTS)
            continue; /* its window has passed */
        elsewhere += is_chain && where[n] != UINT32_MAX && found.filter != where[n];
        cr_assert(found.filter < found.filters && found.fpr >= 0 && found.fpr <= 0.1);
        cr_assert(sharded || found.filters == stats_of(bloom).filters);
        if (!sharded && n % 100 == 0) {
            cr_assert_eq(crawl_bloom_stats_of(bloom, found.filter, &stats), CRAWL_OK);
            cr_assert_eq(found.fpr, stats.fpr_now);
        }
    }
    cr_assert_leq(elsewhere, keys / 50);
}

Test(bloom, find_tells_the_filter_that_holds_a_key)
{
    enum { N = 8000 };
    static uint32_t where[N];
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        for (uint64_t n = 0; n < N; n++)
            if (add(bloom, n, &where[n]) != CRAWL_OK)
                where[n] = UINT32_MAX;
        check_found(bloom, N, where);
        char stranger[KEY];
        crawl_bloom_found unchanged = {.filter = 7, .filters = 7, .fpr = 7};
        unsigned strangers = 0;
        for (uint64_t n = 0; n < 1000; n++) {
            make_key(STRANGERS + n, stranger);
            strangers += crawl_bloom_find(bloom, stranger, KEY, &unchanged) == CRAWL_ABSENT;
        }
        cr_assert_geq(strangers, 800);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, find_tells_the_generation_that_holds_a_key)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_ROTATING, 4000, 1e-6);
    crawl_bloom *bloom = create(&options);
    for (uint64_t n = 0; n < 4000; n++)
        cr_assert_eq(add(bloom, n, NULL), CRAWL_OK);
    for (uint64_t n = 0; n < 4000; n++) {
        char key[KEY];
        crawl_bloom_found found;
        make_key(n, key);
        cr_assert_eq(crawl_bloom_find(bloom, key, KEY, &found), CRAWL_EXISTS);
        cr_assert(found.filter == n / 1000 && found.filters == 4, "%u of %u, not %u", found.filter, found.filters,
                  (unsigned)n / 1000);
    }
    crawl_bloom_free(bloom);
}

Test(bloom, a_key_twice_in_one_batch_is_new_once)
{
    enum { N = 2600 };
    static char keys[N * KEY];
    static uint8_t fresh[N];
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        for (size_t i = 0; i < N; i++)
            make_key(i / 2, keys + i * KEY);
        cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, N, fresh, NULL), CRAWL_OK);
        uint64_t new_ones = 0;
        for (size_t i = 0; i < N; i++) {
            new_ones += fresh[i];
            if (i % 2)
                cr_assert_eq(fresh[i], 0);
        }
        cr_assert_eq(new_ones, stats_of(bloom).count);
        cr_assert_geq(new_ones, N / 2 - 20);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, a_duplicate_behind_the_end_of_a_filter_is_seen)
{
    char keys[128 * KEY];
    uint8_t fresh[128];
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        for (uint64_t n = 0; stats_of(bloom).count < 990; n++)
            add(bloom, n, NULL);
        make_keys(STRANGERS, 64, keys);
        make_keys(STRANGERS, 64, keys + 64 * KEY);
        cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, 128, fresh, NULL), CRAWL_OK);
        for (size_t i = 64; i < 128; i++)
            cr_assert_eq(fresh[i], 0);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, keys_may_be_empty_or_large)
{
    static char large[1000000];
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        cr_assert_eq(crawl_bloom_add(bloom, NULL, 0, NULL), CRAWL_OK);
        cr_assert_eq(crawl_bloom_add(bloom, "", 0, NULL), CRAWL_EXISTS);
        cr_assert_eq(crawl_bloom_add(bloom, large, sizeof large, NULL), CRAWL_OK);
        cr_assert_eq(crawl_bloom_test(bloom, large, sizeof large), CRAWL_EXISTS);
        cr_assert_eq(crawl_bloom_test(bloom, large, sizeof large - 1), CRAWL_ABSENT);
        uint8_t fresh[3] = {9, 9, 9};
        cr_assert_eq(crawl_bloom_add_many(bloom, NULL, 0, 3, fresh, NULL), CRAWL_OK);
        cr_assert(!fresh[0] && !fresh[1] && !fresh[2]);
        cr_assert_eq(crawl_bloom_add_many(bloom, NULL, KEY, 0, NULL, NULL), CRAWL_OK);
        cr_assert_eq(stats_of(bloom).count, 2);
        crawl_bloom_free(bloom);
    }
}

/* A key of 20 zero bytes, or of letters, is as good as any: all are hashed. */
Test(bloom, keys_alike_are_told_apart)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom_options options = options_of(kind_at(v), 10000, 1e-6);
        options.shards = shard_counts[v % 2];
        crawl_bloom *bloom = create(&options);
        char key[KEY] = {0};
        for (unsigned i = 0; i < 10000; i++) {
            key[0] = (char)i;
            key[19] = (char)(i >> 8);
            cr_assert_eq(crawl_bloom_add(bloom, key, KEY, NULL), CRAWL_OK);
        }
        crawl_bloom_free(bloom);
    }
}

Test(bloom, the_seed_decides_which_keys_collide)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_SCALABLE, 1000, 0.3);
    crawl_bloom *filters[3];
    for (int i = 0; i < 3; i++) {
        options.seed = i == 2 ? 8 : 7;
        filters[i] = create(&options);
        add_range(filters[i], 0, 1000);
    }
    unsigned same = 0, other = 0;
    for (uint64_t n = STRANGERS; n < STRANGERS + 5000; n++) {
        same += test(filters[0], n) != test(filters[1], n);
        other += test(filters[0], n) != test(filters[2], n);
    }
    cr_assert_eq(same, 0);
    cr_assert_gt(other, 50);
    for (int i = 0; i < 3; i++)
        crawl_bloom_free(filters[i]);
}

Test(bloom, nothing_to_free_and_no_such_filter)
{
    crawl_bloom_free(NULL);
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        crawl_bloom_stats stats = {.count = 77};
        cr_assert_eq(crawl_bloom_stats_of(bloom, 0, &stats), CRAWL_OK);
        uint32_t filters = stats_of(bloom).filters;
        cr_assert(kind_at(v) == CRAWL_BLOOM_ROTATING || filters == (v % 2 ? 4 : 1));
        stats.count = 77;
        cr_assert_eq(crawl_bloom_stats_of(bloom, filters, &stats), CRAWL_EINVAL);
        cr_assert_eq(stats.count, 77);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, what_was_forgotten_is_new_again_where_the_kind_can)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_small(v);
        uint32_t where = 9;
        cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
        cr_assert_eq(forget(bloom, 2, where), can_forget(v) ? CRAWL_ABSENT : CRAWL_REFUSED);
        cr_assert_eq(forget(bloom, 1, where), can_forget(v) ? CRAWL_OK : CRAWL_REFUSED);
        cr_assert_eq(test(bloom, 1), can_forget(v) ? CRAWL_ABSENT : CRAWL_EXISTS);
        cr_assert_eq(stats_of(bloom).count, can_forget(v) ? 0 : 1);
        cr_assert_eq(add(bloom, 1, &where), can_forget(v) ? CRAWL_OK : CRAWL_EXISTS);
        crawl_bloom_free(bloom);
    }
}

/* Sizes with their own code path, others, slices, and single keys have one hash. */
Test(bloom, all_ways_to_hand_over_a_key_are_one)
{
    enum { N = 50, SIZE_MOST = 300 };
    static char bytes[N * SIZE_MOST];
    crawl_slice slices[N];
    uint8_t fresh[N], present[N];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)mix(i);
    for (size_t size = 4; size <= SIZE_MOST; size += size < 40 ? 1 : 37) {
        crawl_bloom *bloom = create_small(2 * CRAWL_BLOOM_EXACT);
        for (size_t i = 0; i < N; i++)
            slices[i] = crawl_slice_of(bytes + i * size, size);
        cr_assert_eq(crawl_bloom_add_many(bloom, bytes, size, N, fresh, NULL), CRAWL_OK);
        crawl_bloom_test_slices(bloom, slices, N, present);
        for (size_t i = 0; i < N; i++) {
            cr_assert(fresh[i] && present[i]);
            cr_assert_eq(crawl_bloom_add(bloom, slices[i].data, size, NULL), CRAWL_EXISTS);
        }
        cr_assert_eq(crawl_bloom_add_slices(bloom, slices, N, fresh, NULL), CRAWL_OK);
        for (size_t i = 0; i < N; i++)
            cr_assert_not(fresh[i]);
        cr_assert_eq(stats_of(bloom).count, N);
        crawl_bloom_free(bloom);
    }
}

Test(bloom, every_kind_has_a_name_and_others_have_none)
{
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++) {
        crawl_bloom_kind found;
        cr_assert_eq(crawl_bloom_kind_named(crawl_bloom_kind_name((crawl_bloom_kind)kind), &found), CRAWL_OK);
        cr_assert_eq(found, (crawl_bloom_kind)kind);
    }
    crawl_bloom_kind none = CRAWL_BLOOM_EXACT;
    cr_assert_null(crawl_bloom_kind_name(CRAWL_BLOOM_KINDS));
    cr_assert_eq(crawl_bloom_kind_named("Exact", &none), CRAWL_EINVAL);
    cr_assert_eq(crawl_bloom_kind_named("", &none), CRAWL_EINVAL);
    cr_assert_eq(none, CRAWL_BLOOM_EXACT);
}
