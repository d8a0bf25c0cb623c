/* Compares the table with a plain set, with few lines and with keys that are likely to be mistaken for each other: they
 * differ in few check bits, and their hashes agree in the bits an entry has when it is made and differ in those that
 * count later. */
#include "bloom/table/table_loops.h"
#include "bloom/table/table_spill.h"
#include "keys.h"

typedef struct world {
    cw_table_tags *tags;
    cw_bloom_hash (*hash)(uint64_t number);
    uint64_t numbers;
    uint64_t count;
    uint8_t *in; /* [number] */
    uint64_t seen, forgotten, collisions, full;
} world;

static world make_world(unsigned lanes, uint64_t lines, uint64_t numbers, cw_bloom_hash (*hash)(uint64_t))
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_TABLE, 1000, 1e-3);
    world w = {.hash = hash, .numbers = numbers, .in = calloc(numbers, 1)};
    cr_assert_not_null(w.in);
    cr_assert_eq(cw_table_tags_make(&options, lanes, lines, &w.tags), CRAWL_OK);
    return w;
}

static void end_world(world *w)
{
    cw_table_tags_destroy(&w->tags->bloom);
    free(w->in);
}

static void check_all(const world *w)
{
    crawl_error error = {0};
    cr_assert_eq(cw_table_tags_check(&w->tags->bloom, &error), CRAWL_OK, "%s", error.message);
    uint64_t count = 0;
    for (uint64_t number = 0; number < w->numbers; number++) {
        count += w->in[number];
        if (w->in[number] && !cw_kind_table.test(&w->tags->bloom, w->hash(number)))
            cr_assert_fail("key %llu is missing", (unsigned long long)number);
    }
    cr_assert_eq(count, w->count);
    cr_assert_eq(w->tags->entries - w->tags->copies, count);
}

static void add_one(world *w, uint64_t number)
{
    uint32_t where = 7;
    bool before = cw_kind_table.test(&w->tags->bloom, w->hash(number));
    crawl_err err = cw_kind_table.add(&w->tags->bloom, w->hash(number), &where);
    cr_assert(before ? err == CRAWL_EXISTS : err == CRAWL_OK || err == CRAWL_ENOMEM);
    w->seen += before && !w->in[number];
    w->full += err == CRAWL_ENOMEM;
    if (err == CRAWL_OK) {
        cr_assert_eq(where, 0);
        cr_assert_not(w->in[number]);
        w->in[number] = 1;
        w->count++;
    }
    cr_assert_eq(cw_kind_table.test(&w->tags->bloom, w->hash(number)), err != CRAWL_ENOMEM);
}

/* Forgets a key that is in the table, as the interface requires, or one that the table reports as absent. */
static void forget_one(world *w, uint64_t number)
{
    bool there = cw_kind_table.test(&w->tags->bloom, w->hash(number));
    cr_assert(there || !w->in[number]);
    if (there && !w->in[number])
        return;
    uint64_t refused = w->tags->refused;
    cr_assert_eq(cw_kind_table.forget(&w->tags->bloom, w->hash(number), 0), there ? CRAWL_OK : CRAWL_ABSENT);
    cr_assert_eq(w->tags->refused, refused + !there);
    w->count -= w->in[number];
    w->forgotten += w->in[number];
    w->collisions += w->in[number] && cw_kind_table.test(&w->tags->bloom, w->hash(number));
    w->in[number] = 0;
}

/* Alternates between phases of mostly adds and mostly forgets, so that doublings meet old entries of all kinds. */
static void walk(world *w, uint64_t steps, uint64_t seed)
{
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t dice = mix(seed << 32 | step), number = (dice >> 16) % w->numbers;
        if (dice % 16 < (step / (steps / 12 + 1) % 3 == 2 ? 11 : 3))
            forget_one(w, number);
        else
            add_one(w, number);
        if (step % 1024 == 0)
            check_all(w);
    }
    check_all(w);
}

static void forget_all(world *w)
{
    for (uint64_t number = 0; number < w->numbers; number++) {
        if (w->in[number])
            forget_one(w, number);
    }
    check_all(w);
    cr_assert_eq(w->tags->entries, w->tags->copies);
}

/* The hashes differ in the check bits that come last in a wider lane of the geometries below; narrower lanes do not see
 * them. Of the other bits they differ in the first 10, and in 8 that only entries of level 4 and above have. */
static cw_bloom_hash alike(uint64_t number)
{
    uint64_t dice = mix(number);
    return (cw_bloom_hash){.place = dice >> 54 << 54 | (dice >> 30 & 0xff) << 38 | (dice & ((uint64_t)1 << 22 | 13)),
                           .bits = 0};
}

static cw_bloom_hash even(uint64_t number)
{
    return (cw_bloom_hash){.place = mix(number), .bits = mix(~number)};
}

/* Puts half of all keys into 1/64 of the places, so that lines overflow and the spill has runs. */
static cw_bloom_hash crowded(uint64_t number)
{
    cw_bloom_hash hash = even(number);
    if (number % 2)
        hash.place = hash.place >> 6 | (uint64_t)5 << 60;
    return hash;
}

Test(bloom_table_model, keys_that_are_taken_for_each_other)
{
    uint64_t collisions = 0, seen = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        world w = make_world((unsigned[]){27, 31, 26, 13}[seed % 4], 1 + seed % 3, 20000, alike);
        walk(&w, 20000, seed);
        forget_all(&w);
        collisions += w.collisions;
        seen += w.seen;
        end_world(&w);
    }
    cr_assert_gt(collisions, 300); /* else the test tried nothing */
    cr_assert_gt(seen, 1000);
}

Test(bloom_table_model, even_keys)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        world w = make_world((unsigned[]){27, 29, 22, 13}[seed], 5, 30000, even);
        walk(&w, 40000, seed + 100);
        cr_assert_gt(w.tags->level, 3);
        forget_all(&w);
        end_world(&w);
    }
}

Test(bloom_table_model, crowded_lines)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        world w = make_world((unsigned[]){27, 28, 18, 13}[seed], 64, 3000, crowded);
        walk(&w, 20000, seed + 200);
        forget_all(&w);
        cr_assert_eq(w.tags->spilled, 0);
        cr_assert_gt(w.full, 10);
        end_world(&w);
    }
}

/* Fills one line and puts two keys into the spill whose entries are equal now and differ after the next doubling. One
 * gets a lane before the doubling and the other after it; forgetting either must leave the other. */
static void forget_one_of_two(unsigned forgotten)
{
    world w = make_world(27, 1, 1, even);
    const cw_kind *kind = &cw_kind_table;
    crawl_bloom *bloom = &w.tags->bloom;
    const cw_bloom_hash twins[] = {{.place = (uint64_t)0x1234 << 49 | 5},
                                   {.place = (uint64_t)0x1234 << 49 | (uint64_t)1 << 48 | 5}};
    uint32_t where;
    w.tags->begin_at = UINT64_MAX;
    for (uint64_t i = 0; i < 27; i++)
        cr_assert_eq(kind->add(bloom, (cw_bloom_hash){.place = i << 59 | 2}, &where), CRAWL_OK);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(kind->add(bloom, twins[i], &where), CRAWL_OK);
    cr_assert_eq(w.tags->spilled, 2);
    cr_assert_eq(kind->forget(bloom, (cw_bloom_hash){.place = 2}, 0), CRAWL_OK);
    cr_assert_eq(w.tags->spilled, 1);
    w.tags->begin_at = 0;
    cw_table_tags_attend(w.tags);
    cr_assert_eq(w.tags->level, 1);
    cr_assert_eq(kind->forget(bloom, twins[forgotten], 0), CRAWL_OK);
    cr_assert(kind->test(bloom, twins[1 - forgotten]));
    cr_assert_eq(kind->forget(bloom, twins[1 - forgotten], 0), CRAWL_OK);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_not(kind->test(bloom, twins[i]));
    cr_assert_eq(cw_table_tags_check(bloom, NULL), CRAWL_OK);
    end_world(&w);
}

Test(bloom_table_model, twins_in_the_spill)
{
    forget_one_of_two(0);
    forget_one_of_two(1);
}

/* One line grows to 2^18, so that there are copies and entries that have given all their bits to their lines. */
Test(bloom_table_model, more_doublings_than_an_entry_has_bits)
{
    uint64_t numbers = 1500000;
    world w = make_world(13, 1, numbers, even);
    for (uint64_t number = 0; number < numbers; number++)
        w.in[number] = cw_kind_table.add(&w.tags->bloom, even(number), &(uint32_t){0}) == CRAWL_OK;
    for (uint64_t number = 0; number < numbers; number++)
        w.count += w.in[number];
    cr_assert_gt(w.tags->level, CW_TABLE_FINGER_BITS);
    cr_assert_gt(w.tags->copies, 0);
    check_all(&w);
    for (uint64_t number = 0; number < 3000; number++)
        forget_one(&w, number);
    check_all(&w);
    for (uint64_t number = 0; number < 3000; number++)
        add_one(&w, number);
    check_all(&w);
    end_world(&w);
}
