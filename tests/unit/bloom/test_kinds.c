/* The contract of <crawl/bloom.h>, for every kind, from a small capacity if it grows: answers, batches, removal,
 * figures, limits, files. Each kind has its own test for the rest. */
#include <math.h>
#include <unistd.h>

#include "keys.h"

typedef struct row {
    crawl_bloom_kind kind;
    uint64_t capacity; /* at the start of the test */
    uint64_t keys;     /* capacity in keys */
    bool grows;
    bool forgets;
    bool exact;
} row;

static const row rows[] = {
    {CRAWL_BLOOM_SCALABLE, 4000, 60000, .grows = true},
    {CRAWL_BLOOM_COUNTING, 4000, 60000, .grows = true, .forgets = true},
    {CRAWL_BLOOM_EXACT, 4000, 60000, .grows = true, .forgets = true, .exact = true},
    {CRAWL_BLOOM_CLASSIC, 60000, 60000, .grows = false},
    {CRAWL_BLOOM_TABLE, 4000, 60000, .grows = true, .forgets = true},
    {CRAWL_BLOOM_ROTATING, 66000, 60000, .grows = false}, /* a window that holds all of them */
    {CRAWL_BLOOM_DIGEST, 4000, 60000, .grows = true, .forgets = true, .exact = true},
};

#define FPR 1e-2
#define PROBES 100000

static crawl_bloom_options options_for(const row *r)
{
    return options_of(r->kind, r->capacity, FPR);
}

static crawl_bloom *create_row(const row *r)
{
    crawl_bloom_options options = options_for(r);
    return create(&options);
}

static const char *name_of(const row *r)
{
    return crawl_bloom_kind_name(r->kind);
}

/* Runs a test for all kinds that can be made. */
static void over_all(void (*test_of)(const row *r))
{
    unsigned run = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_bloom_options options = options_for(&rows[i]);
        crawl_bloom *bloom;
        if (crawl_bloom_create(&options, &bloom, NULL) == CRAWL_EINVAL)
            continue;
        cr_assert_eq(crawl_bloom_kind_of(bloom), rows[i].kind);
        crawl_bloom_free(bloom);
        test_of(&rows[i]);
        run++;
    }
    cr_assert_geq(run, 6);
}

static uint64_t strangers_in(const crawl_bloom *bloom, uint64_t count)
{
    return count_range(bloom, STRANGERS, count);
}

/* --- Answers. --- */

static void check_no_false_negative(const row *r)
{
    crawl_bloom *bloom = create_row(r);
    for (uint64_t n = 0; n < r->keys;) {
        for (uint64_t end = n + 500; n < end; n++) {
            crawl_err err = add(bloom, n, NULL);
            cr_assert(err == CRAWL_OK || err == CRAWL_EXISTS, "%s", name_of(r));
            cr_assert_eq(test(bloom, n), CRAWL_EXISTS, "%s", name_of(r));
        }
        add_range(bloom, n, 9500);
        n += 9500;
        cr_assert_eq(count_range(bloom, n / 2, n / 2), n / 2, "%s", name_of(r));
    }
    cr_assert_eq(count_range(bloom, 0, r->keys), r->keys, "%s", name_of(r));
    cr_assert_eq(add_range(bloom, 0, r->keys), r->keys, "%s", name_of(r));
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, never_a_false_negative)
{
    over_all(check_no_false_negative);
}

/* Draws a key of a batch: a new one, an earlier one, or the one before it in the batch. */
static uint64_t draw(uint64_t *dice, uint64_t *next, uint64_t last)
{
    uint64_t d = mix((*dice)++);
    if (d % 8 == 0 && *next)
        return last;
    return d % 8 < 4 && *next ? (d >> 8) % *next : (*next)++;
}

static void check_batches(const row *r)
{
    enum { MOST = 500 };
    static char keys[MOST * KEY];
    uint8_t fresh[MOST];
    uint32_t where[MOST];
    crawl_bloom *single = create_row(r), *many = create_row(r);
    uint64_t dice = 1, next = 0, last = 0;
    while (next < r->keys / 3) {
        size_t n = 1 + mix(dice++) % MOST;
        for (size_t i = 0; i < n; i++) {
            last = draw(&dice, &next, last);
            make_key(last, keys + i * KEY);
        }
        memset(where, 0xff, sizeof where);
        cr_assert_eq(crawl_bloom_add_many(many, keys, KEY, n, fresh, where), CRAWL_OK);
        for (size_t i = 0; i < n; i++) {
            uint32_t one = UINT32_MAX;
            cr_assert_eq(crawl_bloom_add(single, keys + i * KEY, KEY, &one) == CRAWL_OK, fresh[i], "%s", name_of(r));
            cr_assert_eq(where[i], one, "%s", name_of(r));
        }
    }
    for (uint64_t n = 0; n < 20000; n++)
        cr_assert_eq(test(single, STRANGERS + n), test(many, STRANGERS + n));
    cr_assert_eq(strangers_in(single, 20000), strangers_in(many, 20000));
    cr_assert_eq(stats_of(single).count, stats_of(many).count);
    cr_assert_eq(stats_of(single).bytes, stats_of(many).bytes);
    crawl_bloom_free(single);
    crawl_bloom_free(many);
}

Test(bloom_kinds, a_batch_is_as_single_calls)
{
    over_all(check_batches);
}

static void check_duplicates(const row *r)
{
    enum { N = 3000 };
    static char keys[N * KEY];
    static uint8_t fresh[N];
    crawl_bloom *bloom = create_row(r);
    for (size_t i = 0; i < N; i++)
        make_key(i % 3 ? i / 6 : i / 3, keys + i * KEY);
    cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, N, fresh, NULL), CRAWL_OK);
    uint64_t new_ones = 0;
    for (size_t i = 0; i < N; i++)
        new_ones += fresh[i];
    cr_assert_eq(new_ones, stats_of(bloom).count, "%s", name_of(r));
    cr_assert(new_ones <= N / 3 && new_ones >= N / 3 - 40, "%s: %d", name_of(r), (int)new_ones);
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, duplicates_in_a_batch_are_new_once)
{
    over_all(check_duplicates);
}

/* The empty key, alone and in batches of key_size 0; and a prefix is another key. */
static void check_empty_keys(const row *r)
{
    crawl_bloom *bloom = create_row(r);
    uint8_t fresh[200], present[200];
    cr_assert_eq(crawl_bloom_test(bloom, NULL, 0), CRAWL_ABSENT, "%s", name_of(r));
    cr_assert_eq(crawl_bloom_add_many(bloom, "", 0, 200, fresh, NULL), CRAWL_OK);
    for (size_t i = 0; i < 200; i++)
        cr_assert_eq(fresh[i], i == 0, "%s", name_of(r));
    cr_assert_eq(crawl_bloom_add(bloom, NULL, 0, NULL), CRAWL_EXISTS);
    crawl_bloom_test_many(bloom, NULL, 0, 200, present);
    for (size_t i = 0; i < 200; i++)
        cr_assert_eq(present[i], 1, "%s", name_of(r));
    cr_assert_eq(crawl_bloom_add(bloom, "\0", 1, NULL), CRAWL_OK, "%s", name_of(r));
    cr_assert_eq(crawl_bloom_add(bloom, "\0\0", 2, NULL), CRAWL_OK, "%s", name_of(r));
    cr_assert_eq(crawl_bloom_add_many(bloom, NULL, KEY, 0, NULL, NULL), CRAWL_OK);
    crawl_bloom_test_many(bloom, NULL, KEY, 0, NULL);
    cr_assert_eq(stats_of(bloom).count, 3);
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, keys_of_no_bytes)
{
    over_all(check_empty_keys);
}

/* --- removal --- */

static uint32_t where_of[30000];

static void check_forgetting(const row *r)
{
    enum { N = 30000 };
    crawl_bloom *bloom = create_row(r);
    static bool taken[N];
    for (uint64_t n = 0; n < N; n++)
        taken[n] = add(bloom, n, &where_of[n]) == CRAWL_OK;
    uint64_t count = stats_of(bloom).count;
    for (uint64_t n = 0; n < N; n += 3) {
        if (taken[n])
            cr_assert_eq(forget(bloom, n, where_of[n]), CRAWL_OK, "%s", name_of(r));
        count -= taken[n];
    }
    cr_assert_eq(stats_of(bloom).count, count);
    uint64_t left = 0;
    for (uint64_t n = 0; n < N; n++) {
        bool there = test(bloom, n) == CRAWL_EXISTS;
        cr_assert(there || n % 3 == 0 || !taken[n], "%s", name_of(r));
        left += there && n % 3 == 0;
    }
    cr_assert_leq(left, N / 3 / 20); /* false positives */
    for (uint64_t n = 0; n < N; n += 3)
        add(bloom, n, NULL);
    cr_assert_eq(count_range(bloom, 0, N) >= N - N / 20, true);
    crawl_bloom_free(bloom);
}

static void check_forget_or_refuse(const row *r)
{
    if (r->forgets) {
        check_forgetting(r);
        return;
    }
    crawl_bloom *bloom = create_row(r);
    add(bloom, 1, NULL);
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_REFUSED, "%s", name_of(r));
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    cr_assert_eq(stats_of(bloom).count, 1);
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, forgets_or_refuses)
{
    over_all(check_forget_or_refuse);
}

static void check_forget_errors(const row *r)
{
    if (!r->forgets)
        return;
    crawl_bloom *bloom = create_row(r);
    uint32_t where;
    add(bloom, 1, &where);
    cr_assert_eq(forget(bloom, 2, where), CRAWL_ABSENT, "%s", name_of(r));
    cr_assert_eq(forget(bloom, 1, 1000), CRAWL_EINVAL, "%s", name_of(r));
    cr_assert_eq(stats_of(bloom).refused, 1);
    cr_assert_eq(stats_of(bloom).count, 1);
    cr_assert_eq(forget(bloom, 1, where), CRAWL_OK);
    cr_assert_eq(forget(bloom, 1, where), CRAWL_ABSENT);
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, what_is_not_there_cannot_be_forgotten)
{
    over_all(check_forget_errors);
}

/* --- Figures. --- */

/* Allowed error of a rate measured over PROBES, from the probes themselves and from the blocks that the stats sample.
 */
static double tolerance(double rate)
{
    return 4 * sqrt(rate / PROBES) + 0.1 * rate;
}

static void check_stats(const row *r, const crawl_bloom *bloom, uint64_t kept)
{
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.count, kept, "%s", name_of(r));
    cr_assert(stats.fill > 0 && stats.fill <= 1, "%s: %g", name_of(r), stats.fill);
    cr_assert(stats.fpr_now > 0 && stats.fpr_now < FPR * 1.1, "%s: %g", name_of(r), stats.fpr_now);
    cr_assert_eq(stats.fpr, r->exact ? 0 : FPR, "%s", name_of(r));
    cr_assert(stats.bytes > kept / 8 && stats.bytes < kept * 100, "%s", name_of(r));
    cr_assert_geq(stats.filters, 1);
    uint64_t parts = 0;
    for (uint32_t f = 0; f < stats.filters; f++) {
        crawl_bloom_stats one;
        cr_assert_eq(crawl_bloom_stats_of(bloom, f, &one), CRAWL_OK);
        cr_assert(one.fill >= 0 && one.fill <= 1 && one.filters == 1, "%s", name_of(r));
        parts += one.count;
    }
    cr_assert_eq(parts, kept, "%s", name_of(r));
    crawl_bloom_stats none;
    cr_assert_eq(crawl_bloom_stats_of(bloom, stats.filters, &none), CRAWL_EINVAL);
}

static void check_figures(const row *r)
{
    crawl_bloom *bloom = create_row(r);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert(stats.count == 0 && stats.fill == 0 && stats.fpr_now == 0 && stats.expected_false == 0, "%s", name_of(r));
    cr_assert_geq(stats.capacity, r->capacity);
    uint64_t lost = 0;
    for (uint64_t n = 0; n < r->keys; n += r->keys / 4) {
        lost += add_range(bloom, n, r->keys / 4);
        check_stats(r, bloom, n + r->keys / 4 - lost);
        stats = stats_of(bloom);
        double rate = (double)strangers_in(bloom, PROBES) / PROBES;
        cr_assert_leq(rate, FPR + tolerance(FPR), "%s: %g", name_of(r), rate);
        cr_assert_float_eq(rate, stats.fpr_now, tolerance(stats.fpr_now), "%s: measured %g, told %g", name_of(r), rate,
                           stats.fpr_now);
        cr_assert_float_eq((double)lost, stats.expected_false,
                           0.2 * stats.expected_false + 4 * sqrt(stats.expected_false) + 1, "%s: lost %d, expected %g",
                           name_of(r), (int)lost, stats.expected_false);
    }
    cr_assert_eq(lost == 0, r->exact, "%s", name_of(r));
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, figures)
{
    over_all(check_figures);
}

/* --- Memory. --- */

static void check_max_bytes(const row *r)
{
    crawl_bloom_options options = options_for(r);
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    options.max_bytes = 1000;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL, "%s", name_of(r));
    cr_assert(strstr(error.message, "max_bytes"), "%s: %s", name_of(r), error.message);
    bloom = create_row(r);
    options.max_bytes = stats_of(bloom).bytes * 3 + 4096;
    crawl_bloom_free(bloom);
    bloom = create(&options);
    crawl_err err = CRAWL_OK;
    uint64_t n = 0;
    for (; n < r->keys && err != CRAWL_ENOMEM; n++) {
        err = add(bloom, n, NULL);
        if (n % 1000 == 0)
            cr_assert_leq(stats_of(bloom).bytes, options.max_bytes, "%s", name_of(r));
    }
    cr_assert_leq(stats_of(bloom).bytes, options.max_bytes, "%s", name_of(r));
    cr_assert_geq(n, r->capacity < r->keys ? r->capacity : r->keys);
    uint64_t in = err == CRAWL_ENOMEM ? n - 1 : n;
    cr_assert_eq(count_range(bloom, 0, in), in, "%s", name_of(r));
    crawl_bloom_free(bloom);
}

Test(bloom_kinds, max_bytes)
{
    over_all(check_max_bytes);
}

/* --- Seeds, and files. --- */

static void check_seeds(const row *r)
{
    crawl_bloom_options options = options_for(r);
    crawl_bloom *filters[3];
    for (int i = 0; i < 3; i++) {
        options.seed = i == 2 ? 8 : 7;
        filters[i] = create(&options);
        add_range(filters[i], 0, r->keys);
    }
    unsigned same = 0, other = 0;
    for (uint64_t n = STRANGERS; n < STRANGERS + 20000; n++) {
        same += test(filters[0], n) != test(filters[1], n);
        other += test(filters[0], n) != test(filters[2], n);
    }
    cr_assert_eq(same, 0);
    cr_assert_eq(other > 20, !r->exact, "%s: %u", name_of(r), other);
    for (int i = 0; i < 3; i++)
        crawl_bloom_free(filters[i]);
}

Test(bloom_kinds, the_seed_decides_which_keys_collide)
{
    over_all(check_seeds);
}

/* Adds, removes and tests the same in both. */
static void go_on(const row *r, crawl_bloom *a, crawl_bloom *b, uint64_t from)
{
    for (uint64_t n = from; n < from + 20000; n++) {
        uint32_t x = 0, y = 0;
        cr_assert_eq(add(a, n, &x), add(b, n, &y), "%s", name_of(r));
        cr_assert_eq(x, y, "%s", name_of(r));
        if (n % 7 == 0)
            cr_assert_eq(forget(a, n, x), forget(b, n, y), "%s", name_of(r));
    }
    for (uint64_t n = 0; n < from + 40000; n += 3)
        cr_assert_eq(test(a, n), test(b, n), "%s", name_of(r));
    crawl_bloom_stats p = stats_of(a), q = stats_of(b);
    cr_assert(p.count == q.count && p.fill == q.fill && p.fpr_now == q.fpr_now && p.refused == q.refused, "%s",
              name_of(r));
    cr_assert(p.expected_false == q.expected_false && p.filters == q.filters, "%s", name_of(r));
}

static void check_files(const row *r)
{
    crawl_err (*const openers[])(const char *, crawl_bloom **, crawl_error *) = {crawl_bloom_load, crawl_bloom_map};
    char path[] = "/tmp/crawl-test-kinds-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    for (int how = 0; how < 2; how++) {
        crawl_bloom *bloom = create_row(r), *again = NULL;
        crawl_error error = {0};
        add_range(bloom, 0, r->keys / 2);
        cr_assert_eq(crawl_bloom_save(bloom, path, &error), CRAWL_OK, "%s: %s", name_of(r), error.message);
        cr_assert_eq(crawl_bloom_validate(path, &error), CRAWL_OK, "%s: %s", name_of(r), error.message);
        cr_assert_eq(openers[how](path, &again, &error), CRAWL_OK, "%s: %s", name_of(r), error.message);
        cr_assert_eq(count_range(again, 0, r->keys / 2), r->keys / 2, "%s", name_of(r));
        go_on(r, bloom, again, r->keys / 2);
        crawl_bloom_free(bloom);
        crawl_bloom_free(again);
    }
    unlink(path);
}

Test(bloom_kinds, a_file_goes_on_as_the_filter_it_was_made_of)
{
    over_all(check_files);
}
