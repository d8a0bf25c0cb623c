/* The map against the simplest equivalent. */
#include "base/map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 500, STEPS = 60000, MANY = 100000 };

typedef struct item {
    char name[40];
    bool there; /* the model */
    bool met;
} item;

static crawl_slice key_of(const item *it)
{
    return crawl_slice_from(it->name);
}

static item *make_items(size_t count)
{
    item *items = calloc(count, sizeof *items);
    cr_assert(items);
    for (size_t i = 0; i < count; i++)
        snprintf(items[i].name, sizeof items[i].name, "host-%zu.example", i);
    return items;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void check_all(const cw_map *map, item *items, size_t count)
{
    size_t there = 0;
    for (size_t i = 0; i < count; i++) {
        there += items[i].there;
        items[i].met = false;
        cr_assert_eq(cw_map_get(map, key_of(&items[i])), items[i].there ? &items[i] : NULL, "%s", items[i].name);
    }
    cr_assert_eq(cw_map_count(map), there);
    size_t cursor = 0;
    size_t met = 0;
    for (item *it; (it = cw_map_next(map, &cursor)); met++) {
        cr_assert(it->there && !it->met, "%s", it->name);
        it->met = true;
    }
    cr_assert_eq(met, there);
}

static void step(cw_map *map, item *it, bool put)
{
    if (put) {
        cr_assert_eq(cw_map_put(map, key_of(it), it), it->there ? CRAWL_EXISTS : CRAWL_OK);
        it->there = true;
    } else {
        cr_assert_eq(cw_map_remove(map, key_of(it)), it->there ? it : NULL);
        it->there = false;
    }
}

/* Puts are more frequent in one half of the steps and removals in the other, so that the map fills and empties. */
Test(map, does_as_the_model)
{
    item *items = make_items(KEYS);
    for (uint64_t seed = 0; seed < 4; seed++) {
        cw_map *map = cw_map_create(seed);
        cr_assert(map);
        uint32_t random = (uint32_t)seed + 1;
        for (unsigned i = 0; i < STEPS; i++) {
            uint32_t often = i / (STEPS / 6) % 2 ? 4 : 12;
            item *it = &items[next_random(&random) % KEYS];
            step(map, it, next_random(&random) % 16 < often);
            if (i % 997 == 0)
                check_all(map, items, KEYS);
        }
        check_all(map, items, KEYS);
        for (size_t i = 0; i < KEYS; i++)
            step(map, &items[i], false);
        check_all(map, items, KEYS);
        cw_map_free(map);
    }
    free(items);
}

Test(map, holds_many)
{
    item *items = make_items(MANY);
    cw_map *map = cw_map_create(42);
    for (size_t i = 0; i < MANY; i++)
        step(map, &items[i], true);
    check_all(map, items, MANY);
    for (size_t i = 0; i < MANY; i += 2)
        step(map, &items[i], false);
    check_all(map, items, MANY);
    for (size_t i = 0; i < MANY; i++) { /* hints change nothing, for a present key or an absent one */
        cw_map_expect(map, key_of(&items[i]));
        cw_map_expect_value(map, key_of(&items[i]), sizeof items[i]);
    }
    check_all(map, items, MANY);
    cr_assert_lt(cw_map_bytes(map), MANY * 100);
    cw_map_free(map);
    free(items);
}

Test(map, a_key_that_is_there_keeps_its_value)
{
    int first = 1;
    int second = 2;
    cw_map *map = cw_map_create(0);
    cr_assert_eq(cw_map_put(map, crawl_slice_from("k"), &first), CRAWL_OK);
    cr_assert_eq(cw_map_put(map, crawl_slice_from("k"), &second), CRAWL_EXISTS);
    cr_assert_eq(cw_map_get(map, crawl_slice_from("k")), &first);
    cr_assert_eq(cw_map_count(map), 1);
    cw_map_free(map);
}

Test(map, keys_are_bytes_and_the_empty_one_is_a_key)
{
    int values[3];
    cw_map *map = cw_map_create(7);
    cr_assert_eq(cw_map_put(map, crawl_slice_of("a\0b", 3), &values[0]), CRAWL_OK);
    cr_assert_eq(cw_map_put(map, crawl_slice_of("a\0c", 3), &values[1]), CRAWL_OK);
    cr_assert_eq(cw_map_put(map, crawl_slice_from(NULL), &values[2]), CRAWL_OK);
    cr_assert_eq(cw_map_get(map, crawl_slice_of("a\0b", 3)), &values[0]);
    cr_assert_eq(cw_map_get(map, crawl_slice_of("a\0c", 3)), &values[1]);
    cr_assert_eq(cw_map_get(map, crawl_slice_from("")), &values[2]);
    cr_assert_null(cw_map_get(map, crawl_slice_from("a")));
    cw_map_free(map);
}

Test(map, nothing_in_it)
{
    size_t cursor = 0;
    cw_map *map = cw_map_create(0);
    cr_assert_null(cw_map_get(map, crawl_slice_from("k")));
    cr_assert_null(cw_map_remove(map, crawl_slice_from("k")));
    cr_assert_null(cw_map_next(map, &cursor));
    cr_assert_eq(cw_map_count(map), 0);
    cw_map_free(map);
    cw_map_free(NULL);
}

Test(map, cleared_serves_again)
{
    static char keys[10000][16];
    cw_map *map = cw_map_create(1);
    for (int round = 0; round < 3; round++) {
        int count = round == 1 ? 10 : 10000;
        for (int i = 0; i < count; i++) {
            snprintf(keys[i], sizeof keys[i], "k%d", i);
            cr_assert_eq(cw_map_put(map, crawl_slice_from(keys[i]), keys[i]), CRAWL_OK, "round %d, key %d", round, i);
        }
        cr_expect_eq(cw_map_count(map), (size_t)count);
        cw_map_clear(map);
        cr_expect_eq(cw_map_count(map), 0);
        cr_expect_null(cw_map_get(map, crawl_slice_from("k1")));
        cr_expect_lt(cw_map_bytes(map), 400000);
    }
    cw_map_free(map);
}

typedef struct named {
    int number;
    char name[];
} named;

Test(map, values_are_made_with_their_keys)
{
    cw_map *map = cw_map_create(1);
    char key[] = "a.example";
    named *one = cw_map_make(map, crawl_slice_from(key), sizeof *one, offsetof(named, name));
    cr_assert_not_null(one);
    cr_expect_eq(one->number, 0);
    cr_expect_eq(memcmp(one->name, "a.example", 9), 0);
    cr_expect_null(cw_map_make(map, crawl_slice_from(key), sizeof *one, offsetof(named, name)), "it is there already");
    key[0] = 'b'; /* the map has a copy */
    cr_expect_eq(cw_map_get(map, crawl_slice_from("a.example")), one);
    cr_expect_not_null(cw_map_make(map, (crawl_slice){0}, sizeof *one, offsetof(named, name)), "an empty key is a key");
    cr_expect_eq(cw_map_count(map), 2);
    cw_map_free_values(map);
}

Test(map, a_key_that_was_hashed_once_is_found_in_all_maps_of_the_seed)
{
    cw_map *one = cw_map_create(7), *other = cw_map_create(7);
    int value;
    crawl_slice key = crawl_slice_from("www.example.com");
    cr_assert_eq(cw_map_put(other, key, &value), CRAWL_OK);
    uint64_t hash = cw_map_hash(one, key);
    cw_map_expect_hashed(other, hash);
    cw_map_expect_value_hashed(other, hash, sizeof value);
    cr_expect_eq(cw_map_get_hashed(other, key, hash), &value);
    cr_expect_null(cw_map_get_hashed(one, key, hash));
    cw_map_free(one);
    cw_map_free(other);
}
