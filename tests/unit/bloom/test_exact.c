/* The exact set: growth step by step, forgetting, its limits; against a plain array as model. */
#include "bloom/exact.h"
#include "keys.h"

static crawl_bloom *create_exact(uint64_t capacity, uint64_t max_bytes)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_EXACT, capacity, 1e-4);
    options.max_bytes = max_bytes;
    return create(&options);
}

Test(bloom_exact, every_new_key_is_new)
{
    crawl_bloom *bloom = create_exact(1000, 0);
    cr_assert_eq(add_range(bloom, 0, 200000), 0);
    cr_assert_eq(count_range(bloom, 0, 200000), 200000);
    cr_assert_eq(count_range(bloom, STRANGERS, 200000), 0);
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.count, 200000);
    cr_assert_eq(stats.expected_false, 0);
    cr_assert_geq(stats.capacity, 200000);
    cr_assert_lt(stats.fpr_now, 1e-30);
    cr_assert_gt(stats.fill, 0.45);
    cr_assert_lt(stats.fill, 0.76);
    crawl_bloom_free(bloom);
}

/* Hashes as the table sees them: homes crowded at both ends and in the middle, so that runs are long and go around. */
static cw_hash crowded(uint64_t number)
{
    uint64_t spread = mix(number) >> 12;
    uint64_t base = number % 3 == 0 ? 0 : number % 3 == 1 ? UINT64_MAX - (UINT64_MAX >> 9) : UINT64_MAX / 2;
    return (cw_hash){.place = base + spread / 8, .bits = number};
}

static cw_hash even(uint64_t number)
{
    return (cw_hash){.place = mix(number), .bits = number};
}

/* Random adds, forgets and tests; at times many of one sort, so that it grows and shrinks. */
static void compare_with_model(cw_hash (*hash)(uint64_t), uint64_t steps)
{
    enum { NUMBERS = 12000 };
    static bool model[NUMBERS];
    memset(model, 0, sizeof model);
    crawl_bloom *bloom = create_exact(1000, 0);
    bool moved = false;
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t dice = mix(step), number = (dice >> 16) % NUMBERS;
        uint32_t where;
        if (dice % 8 < (step / 20000 % 2 ? 5 : 2)) {
            cr_assert_eq(cw_kind_exact.forget(bloom, hash(number), 0), model[number] ? CRAWL_OK : CRAWL_ABSENT);
            model[number] = false;
        } else {
            cr_assert_eq(cw_kind_exact.add(bloom, hash(number), &where), model[number] ? CRAWL_EXISTS : CRAWL_OK);
            model[number] = true;
        }
        moved |= ((cw_exact *)bloom)->old.slots != NULL;
        number = (dice >> 40) % NUMBERS;
        cr_assert_eq(cw_kind_exact.test(bloom, hash(number)), model[number]);
    }
    uint64_t count = 0;
    for (uint64_t number = 0; number < NUMBERS; number++) {
        cr_assert_eq(cw_kind_exact.test(bloom, hash(number)), model[number]);
        count += model[number];
    }
    cr_assert_eq(stats_of(bloom).count, count);
    cr_assert(moved);
    crawl_bloom_free(bloom);
}

Test(bloom_exact, answers_as_a_plain_array_does)
{
    compare_with_model(even, 100000);
}

Test(bloom_exact, answers_as_a_plain_array_does_when_crowded)
{
    compare_with_model(crowded, 15000);
}

/* At every moment of a growth all keys are found, and each can be forgotten wherever it is then. */
Test(bloom_exact, nothing_is_lost_while_growing)
{
    crawl_bloom *bloom = create_exact(1000, 0);
    cw_exact *exact = (cw_exact *)bloom;
    uint64_t n = 0;
    while (!exact->old.slots)
        add(bloom, n++, NULL);
    unsigned steps = 0;
    for (; exact->old.slots; steps++) {
        cr_assert_eq(count_range(bloom, 0, n), n - steps);
        cr_assert_eq(forget(bloom, steps, 0), CRAWL_OK);
        n += add(bloom, n, NULL) == CRAWL_OK;
        cr_assert_eq(test(bloom, steps), CRAWL_ABSENT);
    }
    cr_assert_gt(steps, 10);
    cr_assert_eq(count_range(bloom, 0, n), n - steps);
    crawl_bloom_free(bloom);
}

Test(bloom_exact, the_hash_of_zeros_is_a_hash)
{
    crawl_bloom *bloom = create_exact(1000, 0);
    uint32_t where;
    cw_hash zero = {0};
    cr_assert_not(cw_kind_exact.test(bloom, zero));
    cr_assert_eq(cw_kind_exact.add(bloom, zero, &where), CRAWL_OK);
    cr_assert_eq(cw_kind_exact.add(bloom, zero, &where), CRAWL_EXISTS);
    cr_assert(cw_kind_exact.test(bloom, zero));
    cr_assert_eq(cw_kind_exact.forget(bloom, zero, 0), CRAWL_OK);
    cr_assert_not(cw_kind_exact.test(bloom, zero));
    crawl_bloom_free(bloom);
}

Test(bloom_exact, forgets_and_refuses)
{
    crawl_bloom *bloom = create_exact(1000, 0);
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

Test(bloom_exact, memory_is_flat_over_periods)
{
    crawl_bloom *bloom = create_exact(5000, 0);
    uint64_t bytes = stats_of(bloom).bytes;
    for (uint64_t period = 0; period < 50; period++) {
        cr_assert_eq(add_range(bloom, period * 4000, 4000), 0);
        for (uint64_t i = 0; i < 4000; i++)
            cr_assert_eq(forget(bloom, period * 4000 + i, 0), CRAWL_OK);
    }
    cr_assert_eq(stats_of(bloom).bytes, bytes);
    crawl_bloom_free(bloom);
}

/* 1000 keys have 1334 slots; growing would take more than max_bytes, so they are filled to 15/16 and no further. */
static void check_full(crawl_bloom *bloom)
{
    uint64_t n = 0;
    while (add(bloom, n, NULL) == CRAWL_OK)
        n++;
    cr_assert_eq(add(bloom, n, NULL), CRAWL_ENOMEM);
    cr_assert_eq(n, 1334 - 1334 / 16);
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
}

Test(bloom_exact, full_at_max_bytes)
{
    crawl_bloom *bloom = create_exact(1000, 30000);
    check_full(bloom);
    cr_assert_leq(stats_of(bloom).bytes, 30000);
    crawl_bloom_free(bloom);
}

Test(bloom_exact, full_without_memory)
{
    crawl_bloom *bloom = create_exact(1000, 0);
    ((cw_exact *)bloom)->most = 0;
    check_full(bloom);
    ((cw_exact *)bloom)->most = UINT64_MAX;
    cr_assert_eq(add(bloom, STRANGERS, NULL), CRAWL_OK);
    cr_assert_gt(stats_of(bloom).capacity, 1400);
    crawl_bloom_free(bloom);
}
