/* The sets of hashes, exact and digest: step-by-step growth, removal, limits, and invalid arrays; with a plain array as
 * model. */
#include "bloom/kinds/set.h"
#include "keys.h"

static const crawl_bloom_kind both[] = {CRAWL_BLOOM_EXACT, CRAWL_BLOOM_DIGEST};

static crawl_bloom *create_set(crawl_bloom_kind kind, uint64_t capacity, uint64_t max_bytes)
{
    crawl_bloom_options options = options_of(kind, capacity, 1e-4);
    options.max_bytes = max_bytes;
    return create(&options);
}

static void expect_valid(const crawl_bloom *bloom)
{
    crawl_error error = {0};
    cr_assert_eq(cw_kind_set_validate(bloom, &error), CRAWL_OK, "%s", error.message);
}

Test(bloom_set, every_new_key_is_new)
{
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 1000, 0);
        cr_assert_eq(add_range(bloom, 0, 200000), 0);
        cr_assert_eq(count_range(bloom, 0, 200000), 200000);
        cr_assert_eq(count_range(bloom, STRANGERS, 200000), 0);
        crawl_bloom_stats stats = stats_of(bloom);
        cr_assert_eq(stats.count, 200000);
        cr_assert_geq(stats.capacity, 200000);
        cr_assert_gt(stats.fill, 0.35);
        cr_assert_lt(stats.fill, 0.76);
        expect_valid(bloom);
        crawl_bloom_free(bloom);
    }
}

/* n keys of w words: a new key matches one of them with probability n / 2^64w; the i-th key matched an earlier one with
 * i / 2^64w. */
Test(bloom_set, figures_of_loss)
{
    const double one[] = {0x1p-128, 0x1p-64};
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 1000, 0);
        add_range(bloom, 0, 5000);
        crawl_bloom_stats stats = stats_of(bloom);
        cr_assert_eq(stats.fpr, 0);
        cr_assert_float_eq(stats.fpr_now / one[k], 5000, 1e-6);
        cr_assert_float_eq(stats.fpr_by_count / one[k], 5000, 1e-6);
        cr_assert_float_eq(stats.expected_false / one[k], 5000 * 4999 / 2, 1e-3);
        crawl_bloom_free(bloom);
    }
}

/* Makes a hash with a crowded home at the start, in the middle or, more rarely, at the very end, for long runs. */
static cw_bloom_hash crowded(uint64_t number)
{
    uint64_t base = number % 100 == 0 ? UINT64_MAX >> 52 << 52 : number % 2 ? 0 : (uint64_t)1 << 63;
    return (cw_bloom_hash){.place = base + (number << 36), .bits = number};
}

static cw_bloom_hash even(uint64_t number)
{
    return (cw_bloom_hash){.place = mix(number), .bits = number};
}

/* Makes one of five hashes per home, which differ only in their other bits. */
static cw_bloom_hash shared(uint64_t number)
{
    return (cw_bloom_hash){.place = mix(number / 5), .bits = mix(number)};
}

/* Adds, removes and tests at random; at times many of one sort, so that it grows and shrinks. */
static void compare_with_model(const cw_kind *kind, crawl_bloom *bloom, cw_bloom_hash (*hash)(uint64_t), uint64_t steps)
{
    enum { NUMBERS = 12000 };
    static bool model[NUMBERS];
    memset(model, 0, sizeof model);
    uint64_t moving = 0, count = 0;
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t dice = mix(step), number = (dice >> 16) % NUMBERS;
        uint32_t where;
        if (dice % 8 < (step / 20000 % 2 ? 5 : 2)) {
            cr_assert_eq(kind->forget(bloom, hash(number), 0), model[number] ? CRAWL_OK : CRAWL_ABSENT);
            model[number] = false;
        } else {
            cr_assert_eq(kind->add(bloom, hash(number), &where), model[number] ? CRAWL_EXISTS : CRAWL_OK);
            model[number] = true;
        }
        bool moves = ((cw_kind_set *)bloom)->old.size != 0;
        if (moves && moving++ % 16 == 0)
            expect_valid(bloom);
        number = (dice >> 40) % NUMBERS;
        cr_assert_eq(kind->test(bloom, hash(number)), model[number]);
    }
    for (uint64_t number = 0; number < NUMBERS; number++) {
        cr_assert_eq(kind->test(bloom, hash(number)), model[number]);
        count += model[number];
    }
    cr_assert_eq(stats_of(bloom).count, count);
    cr_assert_gt(moving, 100);
    expect_valid(bloom);
}

Test(bloom_set, answers_as_a_plain_array_does)
{
    static const struct {
        crawl_bloom_kind kind;
        const cw_kind *calls;
        cw_bloom_hash (*hash)(uint64_t);
        uint64_t steps;
    } rows[] = {
        {CRAWL_BLOOM_EXACT, &cw_kind_exact, even, 100000},   {CRAWL_BLOOM_DIGEST, &cw_kind_digest, even, 100000},
        {CRAWL_BLOOM_EXACT, &cw_kind_exact, crowded, 30000}, {CRAWL_BLOOM_DIGEST, &cw_kind_digest, crowded, 30000},
        {CRAWL_BLOOM_EXACT, &cw_kind_exact, shared, 50000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_bloom *bloom = create_set(rows[i].kind, 1000, 0);
        compare_with_model(rows[i].calls, bloom, rows[i].hash, rows[i].steps);
        crawl_bloom_free(bloom);
    }
}

/* At every moment of a growth all keys are found, and each can be removed from either array. */
Test(bloom_set, nothing_is_lost_while_growing)
{
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 5000, 0);
        cw_kind_set *set = (cw_kind_set *)bloom;
        uint64_t n = 0;
        while (!set->old.size)
            add(bloom, n++, NULL);
        uint64_t gone = 0;
        for (; set->old.size; gone++) {
            cr_assert_eq(count_range(bloom, 0, n), n - gone);
            cr_assert_eq(forget(bloom, gone * 31 % 5000, 0), CRAWL_OK);
            n += add(bloom, n, NULL) == CRAWL_OK;
            cr_assert_eq(test(bloom, gone * 31 % 5000), CRAWL_ABSENT);
        }
        cr_assert_gt(gone, 100);
        cr_assert_eq(count_range(bloom, 0, n), n - gone);
        expect_valid(bloom);
        crawl_bloom_free(bloom);
    }
}

/* Arrays of many pages: moved pages are freed, and both arrays together take hardly more than the new one. */
Test(bloom_set, memory_while_growing)
{
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 1000, 0);
        cw_kind_set *set = (cw_kind_set *)bloom;
        uint64_t n = 0;
        for (; set->now.pages.bytes < 8 << 20; n += CHUNK)
            cr_assert_eq(add_range(bloom, n, CHUNK), 0);
        cr_assert_neq(set->old.size, 0);
        uint64_t dropped = 0;
        for (; set->old.size; n += CHUNK) {
            cr_assert_eq(add_range(bloom, n, CHUNK), 0);
            cr_assert_leq(stats_of(bloom).bytes, sizeof *set + set->now.pages.bytes + 2 * CW_BLOOM_PAGES_STEP);
            dropped = set->dropped > dropped ? set->dropped : dropped;
        }
        cr_assert_geq(dropped, 2 * CW_BLOOM_PAGES_STEP);
        cr_assert_eq(stats_of(bloom).bytes, sizeof *set + set->now.pages.bytes);
        cr_assert_eq(count_range(bloom, 0, n), n);
        expect_valid(bloom);
        crawl_bloom_free(bloom);
    }
}

/* A large set starts small, and never exceeds its capacity's size on the way to it. */
Test(bloom_set, comes_to_its_capacity)
{
    crawl_bloom *bloom = create_set(CRAWL_BLOOM_DIGEST, 1500000, 24 << 20);
    cr_assert_lt(stats_of(bloom).bytes, 5 << 20);
    cr_assert_geq(stats_of(bloom).capacity, 1500000);
    cr_assert_eq(add_range(bloom, 0, 1500000), 0);
    cr_assert_lt(stats_of(bloom).bytes, 17 << 20);
    crawl_bloom_free(bloom);
}

Test(bloom_set, the_hash_of_zeros_is_a_hash)
{
    const cw_kind *kinds[] = {&cw_kind_exact, &cw_kind_digest};
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 1000, 0);
        uint32_t where;
        cw_bloom_hash zero = {0};
        cr_assert_not(kinds[k]->test(bloom, zero));
        cr_assert_eq(kinds[k]->add(bloom, zero, &where), CRAWL_OK);
        cr_assert_eq(kinds[k]->add(bloom, zero, &where), CRAWL_EXISTS);
        cr_assert(kinds[k]->test(bloom, zero));
        cr_assert_eq(kinds[k]->forget(bloom, zero, 0), CRAWL_OK);
        cr_assert_not(kinds[k]->test(bloom, zero));
        crawl_bloom_free(bloom);
    }
}

Test(bloom_set, forgets_and_refuses)
{
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 1000, 0);
        uint32_t where = 9;
        cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
        cr_assert_eq(where, 0);
        cr_assert_eq(forget(bloom, 1, 1), CRAWL_EINVAL);
        cr_assert_eq(forget(bloom, 2, 0), CRAWL_ABSENT);
        cr_assert_eq(stats_of(bloom).refused, 1);
        cr_assert_eq(forget(bloom, 1, 0), CRAWL_OK);
        cr_assert_eq(test(bloom, 1), CRAWL_ABSENT);
        cr_assert_eq(stats_of(bloom).count, 0);
        crawl_bloom_free(bloom);
    }
}

Test(bloom_set, memory_is_flat_over_periods)
{
    crawl_bloom *bloom = create_set(CRAWL_BLOOM_EXACT, 5000, 0);
    uint64_t bytes = stats_of(bloom).bytes;
    for (uint64_t period = 0; period < 50; period++) {
        cr_assert_eq(add_range(bloom, period * 4000, 4000), 0);
        for (uint64_t i = 0; i < 4000; i++)
            cr_assert_eq(forget(bloom, period * 4000 + i, 0), CRAWL_OK);
    }
    cr_assert_eq(stats_of(bloom).bytes, bytes);
    crawl_bloom_free(bloom);
}

/* Fills it to 15/16 of its homes, which is the limit if it may not grow. */
static void check_full(crawl_bloom *bloom)
{
    uint64_t n = 0;
    while (add(bloom, n, NULL) == CRAWL_OK)
        n++;
    uint64_t most = cw_kind_set_fullest(((cw_kind_set *)bloom)->now.size);
    cr_assert_eq(add(bloom, n, NULL), CRAWL_ENOMEM);
    cr_assert_eq(n, most);
    cr_assert_eq(stats_of(bloom).count, n);
    cr_assert_eq(count_range(bloom, 0, n), n);
    cr_assert_eq(test(bloom, n), CRAWL_ABSENT);
    char keys[3 * KEY];
    uint8_t fresh[3] = {9, 9, 9};
    make_keys(n - 1, 3, keys);
    cr_assert_eq(crawl_bloom_add_many(bloom, keys, KEY, 3, fresh, NULL), CRAWL_ENOMEM);
    cr_assert(!fresh[0] && !fresh[1] && !fresh[2]);
    cr_assert_eq(forget(bloom, 0, 0), CRAWL_OK);
    cr_assert_eq(add(bloom, n, NULL), CRAWL_OK);
    expect_valid(bloom);
}

/* The set grows as far as the limit permits, even if not to twice its size. */
Test(bloom_set, full_at_max_bytes)
{
    const uint64_t limits[] = {30000, 60000, 100000};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++) {
            crawl_bloom *bloom = create_set(both[k], 1000, limits[i]);
            check_full(bloom);
            cr_assert_leq(stats_of(bloom).bytes, limits[i]);
            crawl_bloom_free(bloom);
        }
    }
    crawl_bloom *bloom = create_set(CRAWL_BLOOM_EXACT, 1000, 60000);
    cr_assert_eq(add_range(bloom, 0, 1600), 0); /* 25 bytes a key */
    crawl_bloom_free(bloom);
}

Test(bloom_set, full_without_memory)
{
    crawl_bloom *bloom = create_set(CRAWL_BLOOM_EXACT, 1000, 0);
    ((cw_kind_set *)bloom)->most = 0;
    check_full(bloom);
    ((cw_kind_set *)bloom)->most = UINT64_MAX;
    cr_assert_eq(add(bloom, STRANGERS, NULL), CRAWL_OK);
    cr_assert_gt(stats_of(bloom).capacity, 1400);
    crawl_bloom_free(bloom);
}

/* More hashes with one home than fit in reach are refused, as is any hash that would push them further; all others stay
 * unchanged. */
Test(bloom_set, a_crowd_beyond_reach)
{
    enum { BEFORE = CW_KIND_REACH - 2 };
    crawl_bloom *bloom = create_set(CRAWL_BLOOM_EXACT, 100000, 0);
    cw_kind_set *set = (cw_kind_set *)bloom;
    cw_bloom_hash hash = {.place = 1 << 20};
    uint32_t where;
    for (; hash.bits < BEFORE; hash.bits++)
        memcpy(cw_kind_slot(2, &set->now, hash.bits), &hash, sizeof hash);
    set->count = BEFORE;
    expect_valid(bloom);
    while (hash.bits < CW_KIND_REACH + 5 && cw_kind_exact.add(bloom, hash, &where) == CRAWL_OK)
        hash.bits++;
    cr_assert_eq(hash.bits, CW_KIND_REACH);
    cr_assert_not(cw_kind_exact.test(bloom, hash));
    cr_assert_eq(cw_kind_exact.add(bloom, (cw_bloom_hash){.place = 1}, &where), CRAWL_ENOMEM);
    for (uint64_t bits = 0; bits < CW_KIND_REACH; bits += 97)
        cr_assert(cw_kind_exact.test(bloom, (cw_bloom_hash){.place = 1 << 20, .bits = bits}));
    cr_assert_eq(cw_kind_exact.add(bloom, (cw_bloom_hash){.place = (uint64_t)1 << 63}, &where), CRAWL_OK);
    cr_assert_eq(cw_kind_exact.forget(bloom, (cw_bloom_hash){.place = 1 << 20, .bits = 5}, 0), CRAWL_OK);
    cr_assert_eq(cw_kind_exact.add(bloom, hash, &where), CRAWL_OK);
    expect_valid(bloom);
    crawl_bloom_free(bloom);
}

/* A mapped file may hold anything. The last slot is emptied on reading. Every call ends, and stays inside the arrays.
 */
static void check_garbage(crawl_bloom_kind kind, const cw_kind *calls, uint64_t (*word)(uint64_t))
{
    crawl_bloom *bloom = create_set(kind, 3000, 0);
    cw_kind_set *set = (cw_kind_set *)bloom;
    for (uint64_t i = 0; i < (set->now.all - 1) * set->width; i++)
        set->now.words[i] = word(i);
    set->count = set->limit; /* it grows */
    uint32_t where;
    for (uint64_t n = 0; n < 600; n++) {
        uint64_t dice = mix(n);
        calls->add(bloom, even(n), &where);
        calls->test(bloom, even(dice % 1000));
        calls->forget(bloom, even(dice % 1000), 0);
        if (n % 10 == 0)
            calls->forget(bloom, (cw_bloom_hash){.place = word(dice), .bits = word(dice + 1)}, 0);
    }
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert(stats.fill >= 0 && stats.fill <= 1);
    cr_assert_gt(set->now.size, 4001);
    crawl_bloom_free(bloom);
}

static uint64_t ones(uint64_t)
{
    return UINT64_MAX;
}

static uint64_t low(uint64_t i)
{
    return 1 + i % 2;
}

static uint64_t falling(uint64_t i)
{
    return UINT64_MAX / 5000 * (5000 - i % 5000);
}

Test(bloom_set, any_content_is_safe)
{
    uint64_t (*const words[])(uint64_t) = {mix, ones, low, falling};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_garbage(CRAWL_BLOOM_EXACT, &cw_kind_exact, words[i]);
        check_garbage(CRAWL_BLOOM_DIGEST, &cw_kind_digest, words[i]);
    }
}

static void expect_invalid(const crawl_bloom *bloom, const char *words)
{
    crawl_error error = {0};
    cr_assert_eq(cw_kind_set_validate(bloom, &error), CRAWL_ECORRUPT);
    cr_assert(strstr(error.message, words), "\"%s\" says nothing of \"%s\"", error.message, words);
}

/* Returns the index of a taken slot outside its home whose two neighbours are taken as well. */
static uint64_t inner_slot(const cw_kind_set *set)
{
    for (uint64_t i = 1;; i++) {
        const uint64_t *slot = cw_kind_slot(set->width, &set->now, i);
        if (slot[0] && cw_kind_slot(set->width, &set->now, i - 1)[0] && cw_kind_slot(set->width, &set->now, i + 1)[0] &&
            cw_kind_slots_home(&set->now, cw_kind_slot(set->width, &set->now, i + 1)[0]) <= i)
            return i;
    }
}

Test(bloom_set, what_validate_finds)
{
    for (size_t k = 0; k < 2; k++) {
        crawl_bloom *bloom = create_set(both[k], 10000, 0);
        cw_kind_set *set = (cw_kind_set *)bloom;
        add_range(bloom, 0, 9000);
        expect_valid(bloom);
        uint64_t *slot = cw_kind_slot(set->width, &set->now, inner_slot(set));
        uint64_t kept[2] = {slot[0], slot[set->width - 1]};
        slot[0] = UINT64_MAX;
        expect_invalid(bloom, "a hash out of");
        slot[0] = 1;
        expect_invalid(bloom, "a hash out of order");
        memset(slot, 0, set->width * sizeof *slot);
        expect_invalid(bloom, "a hash out of its place");
        slot[0] = kept[0];
        slot[set->width - 1] = kept[1];
        set->count++;
        expect_invalid(bloom, "count is 9001, but there are 9000 hashes");
        crawl_bloom_free(bloom);
    }
}
