/* See map.h. A removal shifts the following entries back, so that no tombstones are needed. */
#include "base/map.h"

#include "base/huge_page.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The initial capacity, and the maximum kept when the map is cleared. Powers of two. */
enum { FIRST_CAPACITY = 16, KEPT_CAPACITY = 4096 };

/* A map with at most this capacity is assumed to be in the processor's cache, with its values. */
enum { NEAR_CAPACITY = 16384, CACHE_LINE = 64 };

typedef struct map_entry {
    uint64_t hash;
    crawl_slice key;
    void *value; /* NULL: empty */
} map_entry;

struct cw_map {
    map_entry *entries;
    size_t mask; /* capacity - 1, capacity a power of two */
    size_t count;
    uint64_t seed;
};

cw_map *cw_map_create(uint64_t seed)
{
    cw_map *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    map->seed = seed;
    map->mask = FIRST_CAPACITY - 1;
    map->entries = calloc(map->mask + 1, sizeof *map->entries);
    if (!map->entries) {
        free(map);
        return NULL;
    }
    return map;
}

void cw_map_free(cw_map *map)
{
    if (!map)
        return;
    free(map->entries);
    free(map);
}

void cw_map_free_values(cw_map *map)
{
    size_t cursor = 0;
    for (void *value; map && (value = cw_map_next(map, &cursor));)
        free(value);
    cw_map_free(map);
}

uint64_t cw_map_hash(const cw_map *map, crawl_slice key)
{
    return XXH3_64bits_withSeed(key.data, key.size, map->seed);
}

/* Returns the entry that holds the key, or the empty one where it belongs. */
static map_entry *map_find(const cw_map *map, crawl_slice key, uint64_t hash)
{
    for (size_t i = hash & map->mask;; i = (i + 1) & map->mask) {
        map_entry *e = &map->entries[i];
        if (!e->value || (e->hash == hash && crawl_slice_equal(e->key, key)))
            return e;
    }
}

void *cw_map_get_hashed(const cw_map *map, crawl_slice key, uint64_t hash)
{
    return map_find(map, key, hash)->value;
}

static bool map_is_near(const cw_map *map)
{
    return map->mask < NEAR_CAPACITY;
}

void cw_map_expect_hashed(const cw_map *map, uint64_t hash)
{
    if (!map_is_near(map))
        __builtin_prefetch(&map->entries[hash & map->mask]);
}

void cw_map_expect_value_hashed(const cw_map *map, uint64_t hash, size_t bytes)
{
    if (map_is_near(map))
        return;
    for (size_t i = hash & map->mask; map->entries[i].value; i = (i + 1) & map->mask) {
        if (map->entries[i].hash != hash)
            continue;
        for (size_t at = 0; at < bytes; at += CACHE_LINE)
            __builtin_prefetch((const char *)map->entries[i].value + at, 1);
        return;
    }
}

static crawl_err map_grow(cw_map *map)
{
    size_t mask = map->mask * 2 + 1;
    map_entry *entries = calloc(mask + 1, sizeof *entries);
    if (!entries)
        return CRAWL_ENOMEM;
    cw_ask_for_huge_pages(entries, (mask + 1) * sizeof *entries);
    for (size_t i = 0; i <= map->mask; i++) {
        if (!map->entries[i].value)
            continue;
        size_t at = map->entries[i].hash & mask;
        while (entries[at].value)
            at = (at + 1) & mask;
        entries[at] = map->entries[i];
    }
    free(map->entries);
    map->entries = entries;
    map->mask = mask;
    return CRAWL_OK;
}

crawl_err cw_map_put(cw_map *map, crawl_slice key, void *value)
{
    uint64_t hash = cw_map_hash(map, key);
    map_entry *e = map_find(map, key, hash);
    if (e->value)
        return CRAWL_EXISTS;
    if (map->count >= map->mask - map->mask / 4) {
        crawl_err err = map_grow(map);
        if (err)
            return err;
        e = map_find(map, key, hash);
    }
    *e = (map_entry){.hash = hash, .key = key, .value = value};
    map->count++;
    return CRAWL_OK;
}

void *cw_map_make(cw_map *map, crawl_slice key, size_t size, size_t key_at)
{
    char *value = calloc(1, size + key.size);
    if (!value)
        return NULL;
    if (key.size)
        memcpy(value + key_at, key.data, key.size);
    if (cw_map_put(map, crawl_slice_of(value + key_at, key.size), value)) {
        free(value);
        return NULL;
    }
    return value;
}

static void shift_back(cw_map *map, size_t hole)
{
    for (size_t i = (hole + 1) & map->mask; map->entries[i].value; i = (i + 1) & map->mask) {
        size_t home = map->entries[i].hash & map->mask;
        if (((i - home) & map->mask) < ((i - hole) & map->mask))
            continue;
        map->entries[hole] = map->entries[i];
        hole = i;
    }
    map->entries[hole] = (map_entry){0};
}

void *cw_map_remove(cw_map *map, crawl_slice key)
{
    map_entry *e = map_find(map, key, cw_map_hash(map, key));
    void *value = e->value;
    if (!value)
        return NULL;
    shift_back(map, (size_t)(e - map->entries));
    map->count--;
    return value;
}

void cw_map_clear(cw_map *map)
{
    if (map->mask >= KEPT_CAPACITY) {
        map_entry *smaller = realloc(map->entries, KEPT_CAPACITY * sizeof *smaller);
        if (smaller) {
            map->entries = smaller;
            map->mask = KEPT_CAPACITY - 1;
        }
    }
    memset(map->entries, 0, (map->mask + 1) * sizeof *map->entries);
    map->count = 0;
}

size_t cw_map_count(const cw_map *map)
{
    return map->count;
}

size_t cw_map_bytes(const cw_map *map)
{
    return sizeof *map + (map->mask + 1) * sizeof *map->entries;
}

void *cw_map_next(const cw_map *map, size_t *cursor)
{
    while (*cursor <= map->mask) {
        void *value = map->entries[(*cursor)++].value;
        if (value)
            return value;
    }
    return NULL;
}
