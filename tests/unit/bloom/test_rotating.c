/* The rotating filter: which keys it remembers and for how long, by keys, by time and by both; its figures. */
#include <math.h>

#include "bloom/kinds/rotating.h"
#include "keys.h"

static crawl_bloom *create_rotating(uint64_t capacity, double fpr, uint32_t generations, uint64_t window_ms)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_ROTATING, capacity, fpr);
    options.generations = generations;
    options.window_ms = window_ms;
    return create(&options);
}

/* Adds new keys. The rate of the filters here is so small that none is lost. */
static void add_new(crawl_bloom *bloom, uint64_t first, uint64_t count)
{
    cr_assert_eq(add_range(bloom, first, count), 0);
}

/* After n keys, exactly those of the full generations and of the newest are in the filter. */
static uint64_t first_remembered(uint64_t n, uint64_t each, uint64_t generations)
{
    uint64_t begun = (n + each - 1) / each;
    return begun > generations ? (begun - generations) * each : 0;
}

Test(bloom_rotating, remembers_the_window_exactly)
{
    const uint32_t generations[] = {2, 3, 4, 16};
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        uint64_t g = generations[i], each = 1200 / g;
        crawl_bloom *bloom = create_rotating(1200, 1e-9, (uint32_t)g, 0);
        for (uint64_t n = 1; n < 3000; n++) {
            add_new(bloom, n - 1, 1);
            if (n % 101 && n % each > 1)
                continue;
            uint64_t first = first_remembered(n, each, g);
            cr_assert_eq(count_range(bloom, first, n - first), n - first);
            cr_assert_eq(count_range(bloom, 0, first), 0);
            cr_assert_eq(stats_of(bloom).count, n - first);
            cr_assert_leq(n - first, 1200);
            if (n >= 1200)
                cr_assert_gt(n - first, 1200 / g * (g - 1));
        }
        crawl_bloom_free(bloom);
    }
}

/* A capacity that is not a multiple of the generations is rounded up to one. */
Test(bloom_rotating, odd_capacities)
{
    crawl_bloom *bloom = create_rotating(1001, 1e-9, 4, 0);
    add_new(bloom, 0, 4 * 251);
    cr_assert_eq(count_range(bloom, 0, 4 * 251), 4 * 251);
    add_new(bloom, 5000, 1);
    cr_assert_eq(count_range(bloom, 0, 4 * 251), 3 * 251);
    crawl_bloom_free(bloom);
}

Test(bloom_rotating, a_key_seen_again_is_not_refreshed)
{
    crawl_bloom *bloom = create_rotating(1000, 1e-9, 2, 0);
    add_new(bloom, 0, 1);
    for (uint64_t n = 1; n < 1000; n++) {
        add_new(bloom, n, 1);
        cr_assert_eq(add(bloom, 0, NULL), CRAWL_EXISTS);
    }
    cr_assert_eq(add(bloom, 1000, NULL), CRAWL_OK);
    cr_assert_eq(test(bloom, 0), CRAWL_ABSENT);
    cr_assert_eq(add(bloom, 0, NULL), CRAWL_OK);
    crawl_bloom_free(bloom);
}

/* A generation of 250 ms takes the keys of that time, and is dropped 1000 ms after its start. */
Test(bloom_rotating, forgets_by_time_exactly)
{
    enum { BEGIN = 5000 };
    crawl_bloom *bloom = create_rotating(100000, 1e-9, 4, 1000);
    crawl_bloom_advance(bloom, BEGIN);
    for (uint64_t ms = 0; ms < 3000; ms += 10) {
        crawl_bloom_advance(bloom, BEGIN + ms);
        add_new(bloom, ms / 10, 1);
        for (uint64_t then = 0; then <= ms; then += 10) {
            uint64_t begun = then / 250 * 250;
            cr_assert_eq(test(bloom, then / 10), ms - begun < 1000 ? CRAWL_EXISTS : CRAWL_ABSENT, "%d at %d", (int)then,
                         (int)ms);
        }
    }
    crawl_bloom_free(bloom);
}

/* At any times of advance: at most one window, and at least all of it except one generation's share. */
Test(bloom_rotating, at_most_a_window_and_at_least_most_of_it)
{
    enum { WINDOW = 1003, KEYS = 800 };
    static uint64_t came[KEYS];
    for (uint32_t g = 2; g <= 16; g += 7) {
        crawl_bloom *bloom = create_rotating(100000, 1e-9, g, WINDOW);
        uint64_t now = 1;
        for (uint64_t n = 0; n < KEYS; n++) {
            now += mix(n) % 3 == 0 ? mix(n + 1) % 40 : 0;
            crawl_bloom_advance(bloom, now);
            add_new(bloom, n, 1);
            came[n] = now;
            for (uint64_t old = n < 300 ? 0 : n - 300; old <= n; old += 3) {
                uint64_t age = now - came[old];
                if (age >= WINDOW)
                    cr_assert_eq(test(bloom, old), CRAWL_ABSENT);
                else if ((double)age < (double)WINDOW * (g - 1) / g)
                    cr_assert_eq(test(bloom, old), CRAWL_EXISTS);
            }
        }
        cr_assert_gt(now, 3 * WINDOW);
        crawl_bloom_free(bloom);
    }
}

Test(bloom_rotating, all_is_forgotten_after_a_long_silence)
{
    const uint64_t silences[] = {1000, 5000, UINT64_MAX - 1};
    for (size_t i = 0; i < 3; i++) {
        crawl_bloom *bloom = create_rotating(1000, 1e-9, 4, 1000);
        crawl_bloom_advance(bloom, 1);
        add_new(bloom, 0, 900);
        cr_assert_eq(stats_of(bloom).filters, 4);
        crawl_bloom_advance(bloom, 1 + silences[i]);
        cr_assert_eq(count_range(bloom, 0, 900), 0);
        crawl_bloom_stats stats = stats_of(bloom);
        cr_assert_eq(stats.count, 0);
        cr_assert_eq(stats.filters, 1);
        cr_assert_eq(stats.fpr_now, 0);
        cr_assert_eq(stats.fill, 0);
        add_new(bloom, 0, 900);
        cr_assert_eq(count_range(bloom, 0, 900), 900);
        crawl_bloom_free(bloom);
    }
}

/* Both limits apply: the keys of a burst end generations early, and time ends later ones. A key counts until
 * `generations` newer ones have begun, or for a window. */
Test(bloom_rotating, keys_and_time)
{
    crawl_bloom *bloom = create_rotating(1000, 1e-9, 4, 1000);
    crawl_bloom_advance(bloom, 100);
    add_new(bloom, 0, 1010); /* four complete generations, and 10 keys in the fifth */
    cr_assert_eq(count_range(bloom, 0, 1010), 760);
    crawl_bloom_advance(bloom, 349);
    cr_assert_eq(count_range(bloom, 0, 1010), 760);
    crawl_bloom_advance(bloom, 350);
    cr_assert_eq(count_range(bloom, 0, 1010), 510);
    add_new(bloom, 2000, 5);
    crawl_bloom_advance(bloom, 1099);
    cr_assert_eq(count_range(bloom, 0, 1010), 260);
    crawl_bloom_advance(bloom, 1100);
    cr_assert_eq(count_range(bloom, 0, 1010), 0);
    cr_assert_eq(count_range(bloom, 2000, 5), 5);
    crawl_bloom_advance(bloom, 1350);
    cr_assert_eq(stats_of(bloom).count, 0);
    crawl_bloom_free(bloom);
}

/* Keys that came before the first advance begin then. */
Test(bloom_rotating, clocks)
{
    crawl_bloom *bloom = create_rotating(1000, 1e-9, 4, 1000);
    add_new(bloom, 0, 600);
    crawl_bloom_advance(bloom, 1700000000000);
    cr_assert_eq(count_range(bloom, 0, 600), 600);
    crawl_bloom_advance(bloom, 5); /* backwards: ignored */
    crawl_bloom_advance(bloom, 1700000000999);
    cr_assert_eq(count_range(bloom, 0, 600), 600);
    crawl_bloom_advance(bloom, 1700000001000);
    cr_assert_eq(count_range(bloom, 0, 600), 0);
    crawl_bloom_free(bloom);
    bloom = create_rotating(1000, 1e-9, 4, 0); /* no window of time */
    crawl_bloom_advance(bloom, 1);
    add_new(bloom, 0, 600);
    crawl_bloom_advance(bloom, UINT64_MAX);
    cr_assert_eq(count_range(bloom, 0, 600), 600);
    crawl_bloom_free(bloom);
}

/* Lines left by an earlier generation do not come back, however few keys overwrite them: their tags differ. */
Test(bloom_rotating, what_is_forgotten_stays_forgotten)
{
    crawl_bloom *bloom = create_rotating(40000, 1e-9, 2, 1000);
    for (uint64_t turn = 0; turn < 300; turn++) {
        crawl_bloom_advance(bloom, 1 + turn * 500);
        add_new(bloom, turn * 100000, turn % 50 ? 3 : 15000);
    }
    for (uint64_t turn = 0; turn < 298; turn++)
        cr_assert_eq(count_range(bloom, turn * 100000, turn % 50 ? 3 : 15000), 0);
    cr_assert_eq(stats_of(bloom).count, 6);
    crawl_bloom_free(bloom);
}

/* Generation numbers have 32 bits. */
Test(bloom_rotating, after_the_last_number)
{
    crawl_bloom *bloom = create_rotating(1000, 1e-9, 4, 0);
    cw_kind_rotating_filter *r = (cw_kind_rotating_filter *)bloom;
    add_new(bloom, 0, 10);
    uint32_t slot = cw_kind_slot_of(r, r->newest), late = UINT32_MAX - 4;
    late -= (late - slot) % 4;
    r->oldest = r->newest = r->live[slot] = late;
    uint64_t n = 1000;
    for (; r->newest >= late; n += 10)
        add_new(bloom, n, 10);
    cr_assert_eq(r->newest, 1);
    cr_assert_leq(stats_of(bloom).count, 10);
    cr_assert_eq(count_range(bloom, 0, n - 10), 0);
    add_new(bloom, n, 980);
    cr_assert_eq(count_range(bloom, n, 980), 980);
    cr_assert_eq(stats_of(bloom).filters, 4);
    crawl_bloom_free(bloom);
}

/* All generations full: the rate is the requested one, and losses are as expected. */
static void check_figures(double fpr, uint32_t generations)
{
    enum { CAPACITY = 64000, PROBES = 400000 };
    crawl_bloom *bloom = create_rotating(CAPACITY, fpr, generations, 0);
    uint64_t lost = 0, n = 0;
    for (; n - lost < CAPACITY; n++)
        lost += add_range(bloom, n, 1);
    crawl_bloom_stats stats = stats_of(bloom);
    double rate = (double)count_range(bloom, STRANGERS, PROBES) / PROBES;
    cr_assert_eq(stats.count, CAPACITY);
    cr_assert_leq(rate, 1.1 * fpr + 4 * sqrt(fpr / PROBES));
    cr_assert_float_eq(rate, stats.fpr_now, 0.1 * fpr + 4 * sqrt(fpr / PROBES));
    cr_assert_leq(stats.fpr_by_count, fpr * 1.001);
    cr_assert_geq(stats.fpr_by_count, fpr * 0.95); /* blocks are not divided */
    cr_assert_eq(stats.fpr, fpr);
    cr_assert_eq(stats.filters, generations);
    for (; n < 4 * CAPACITY; n += 500)
        lost += add_range(bloom, n, 500);
    stats = stats_of(bloom);
    cr_assert_float_eq((double)lost, stats.expected_false,
                       0.02 * stats.expected_false + 4 * sqrt(stats.expected_false));
    crawl_bloom_free(bloom);
}

Test(bloom_rotating, figures)
{
    check_figures(0.1, 2);
    check_figures(1e-2, 4);
    check_figures(1e-3, 16);
}

Test(bloom_rotating, generations_one_by_one)
{
    crawl_bloom *bloom = create_rotating(4000, 1e-3, 4, 0);
    for (uint64_t n = 0, lost = 0; n - lost < 3500; n++)
        lost += add(bloom, n, NULL) != CRAWL_OK;
    cr_assert_eq(stats_of(bloom).filters, 4);
    for (uint32_t i = 0; i < 4; i++) {
        crawl_bloom_stats one;
        cr_assert_eq(crawl_bloom_stats_of(bloom, i, &one), CRAWL_OK);
        cr_assert_eq(one.count, i < 3 ? 1000 : 500);
        cr_assert_eq(one.capacity, 1000);
        cr_assert(one.fill > 0.1 && one.fill < 0.6);
        cr_assert_float_eq(one.fpr, 1e-3 / 4, 1e-6);
        cr_assert_leq(one.fpr_by_count, one.fpr);
        if (i == 3)
            cr_assert_lt(one.fpr_by_count, one.fpr / 10);
    }
    crawl_bloom_stats one;
    cr_assert_eq(crawl_bloom_stats_of(bloom, 4, &one), CRAWL_EINVAL);
    cr_assert_eq(forget(bloom, 3499, 0), CRAWL_REFUSED);
    crawl_bloom_free(bloom);
}

/* The plain loops and this machine's leave the same memory behind. */
Test(bloom_rotating, all_loops_alike)
{
    crawl_bloom *filters[2];
    for (int i = 0; i < 2; i++) {
        filters[i] = create_rotating(5000, 1e-2, 3, 0);
        cw_kind_rotating_filter *r = (cw_kind_rotating_filter *)filters[i];
        r->loops = i ? cw_kind_rotating_loops_best() : cw_kind_rotating_loops_portable();
        add_range(filters[i], 0, 20000);
        for (uint64_t n = 20000; n < 30000; n++)
            add(filters[i], n, NULL);
    }
    cw_kind_rotating_filter *a = (cw_kind_rotating_filter *)filters[0], *b = (cw_kind_rotating_filter *)filters[1];
    cr_assert_eq(memcmp(a->lines, b->lines, a->line_pages.bytes), 0);
    cr_assert_eq(memcmp(a->tags, b->tags, a->tag_pages.bytes), 0);
    for (uint64_t n = 0; n < 40000; n++)
        cr_assert_eq(test(filters[0], n), test(filters[1], n));
    cr_assert_eq(count_range(filters[0], 0, 40000), count_range(filters[1], 0, 40000));
    crawl_bloom_free(filters[0]);
    crawl_bloom_free(filters[1]);
}

Test(bloom_rotating, refusals)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_ROTATING, 1000, 1e-3);
    crawl_bloom *bloom = NULL;
    options.generations = 1;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, NULL), CRAWL_EINVAL);
    options.generations = 17;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, NULL), CRAWL_EINVAL);
    options.generations = 4;
    options.max_bytes = 1000;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, NULL), CRAWL_EINVAL);
    options.max_bytes = 0;
    options.capacity = (uint64_t)1 << 40;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, NULL), CRAWL_ENOMEM);
    cr_assert_null(bloom);
}
