/* A hash map from byte strings to pointers, for hosts and the like: open addressing, linear probing, hashed by XXH3
 * with a seed, so that a stranger who chooses the keys cannot choose the collisions. Single-thread. */
#pragma once

#include <crawl/base.h>

typedef struct cw_map cw_map;

/* seed: any number; it should differ from run to run if strangers choose the keys. NULL: there is no memory. */
cw_map *cw_map_create(uint64_t seed);
/* Frees the map. The caller must free keys and values before. */
void cw_map_free(cw_map *map);
/* Frees the map and its values, each of which must have been allocated as one piece, as by cw_map_make. NULL is
 * allowed. */
void cw_map_free_values(cw_map *map);

/* The hash of a key, for the calls below whose names end in _hashed, so that a key that is looked up in several steps
 * is hashed once. It is the same in all maps with one seed. */
uint64_t cw_map_hash(const cw_map *map, crawl_slice key);

/* The value of a key; NULL: it is not there. */
void *cw_map_get_hashed(const cw_map *map, crawl_slice key, uint64_t hash);

static inline void *cw_map_get(const cw_map *map, crawl_slice key)
{
    return cw_map_get_hashed(map, key, cw_map_hash(map, key));
}

/* A get in three steps, so that a caller with many keys need not wait for the memory of one after another: `expect`
 * prefetches the place of the key, and `expect_value`, some keys later, the first `bytes` of its value. These are
 * hints: they change nothing, and do nothing for a small map, which is in the cache anyway. */
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

/* Puts a value, which must not be NULL. The key's bytes are borrowed until it is removed: usually they are in the
 * value. CRAWL_EXISTS: the key is there already, and nothing has changed. */
crawl_err cw_map_put(cw_map *map, crawl_slice key, void *value);

/* Puts a new value of zeros with a copy of its key at its end. size is sizeof the value's type, and key_at the offset
 * of its last member, `char text[]`, which gets the key. The caller frees the value. NULL: there is no memory, or the
 * key is there already. */
void *cw_map_make(cw_map *map, crawl_slice key, size_t size, size_t key_at);

/* Removes a key. Returns its value; NULL: there was none. */
void *cw_map_remove(cw_map *map, crawl_slice key);

/* Removes all keys. Keeps the memory of a small map, so that one can serve page after page, and gives most of that of a
 * large one back. */
void cw_map_clear(cw_map *map);

size_t cw_map_count(const cw_map *map);

/* Bytes of memory held, keys and values excluded. */
size_t cw_map_bytes(const cw_map *map);

/* Iterates in no order: start with *cursor 0; NULL at the end. No put or remove may happen in between. */
void *cw_map_next(const cw_map *map, size_t *cursor);
