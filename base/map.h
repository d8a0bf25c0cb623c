/* A hash map from byte strings to pointers, for hosts and similar: open addressing, linear probing, hashed by XXH3 with
 * a seed, so that a stranger who chooses the keys cannot choose the collisions. Single-threaded. */
#pragma once

#include <crawl/base.h>

typedef struct cw_map cw_map;

/* seed: any number; it should differ from run to run if strangers choose the keys. NULL: out of memory. */
cw_map *cw_map_create(uint64_t seed);
/* Frees the map. The caller must free keys and values first. */
void cw_map_free(cw_map *map);
/* Frees the map and its values, each of which must be one allocation, as from cw_map_make. NULL is allowed. */
void cw_map_free_values(cw_map *map);

/* Returns the hash of a key, for the calls below ending in _hashed, so that a key looked up in several steps is hashed
 * once. The hash is the same in all maps with one seed. */
uint64_t cw_map_hash(const cw_map *map, crawl_slice key);

/* Returns the value of a key; NULL: not in the map. */
void *cw_map_get_hashed(const cw_map *map, crawl_slice key, uint64_t hash);

static inline void *cw_map_get(const cw_map *map, crawl_slice key)
{
    return cw_map_get_hashed(map, key, cw_map_hash(map, key));
}

/* A lookup in three steps, so that a caller with many keys does not wait for the memory of each: `expect` prefetches
 * the slot of the key and, several keys later, `expect_value` the first `bytes` of its value. These are hints without
 * other effects, and do nothing for a small map, which is cached anyway. */
void cw_map_expect_hashed(const cw_map *map, uint64_t hash);
void cw_map_expect_value_hashed(const cw_map *map, uint64_t hash, size_t bytes);

static inline void cw_map_expect(const cw_map *map, crawl_slice key)
{
    cw_map_expect_hashed(map, cw_map_hash(map, key));
}

static inline void cw_map_expect_value(const cw_map *map, crawl_slice key, size_t bytes)
{
    cw_map_expect_value_hashed(map, cw_map_hash(map, key), bytes);
}

/* Adds a value, which must not be NULL. The key's bytes are borrowed until it is removed: usually they are part of the
 * value. CRAWL_EXISTS: the key is already in the map, and nothing has changed. CRAWL_ENOMEM. */
crawl_err cw_map_put(cw_map *map, crawl_slice key, void *value);

/* Adds a new value of zeros with a copy of its key at its end. size is sizeof the value's type, and key_at the offset
 * of its last member, `char text[]`, which gets the key. The caller frees the value. NULL: out of memory, or the key is
 * already in the map. */
void *cw_map_make(cw_map *map, crawl_slice key, size_t size, size_t key_at);

/* Removes a key. Returns its value; NULL: it was not in the map. */
void *cw_map_remove(cw_map *map, crawl_slice key);

/* Removes all keys. Keeps the memory of a small map for reuse, and frees most of that of a large one. */
void cw_map_clear(cw_map *map);

size_t cw_map_count(const cw_map *map);

/* Returns the bytes of memory held, without keys and values. */
size_t cw_map_bytes(const cw_map *map);

/* Iterates in no order: start with *cursor 0; NULL at the end. The map must not change in between. */
void *cw_map_next(const cw_map *map, size_t *cursor);
