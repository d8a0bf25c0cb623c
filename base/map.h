/* A hash map from byte strings to pointers, for hosts and the like: open addressing, linear probing, hashed by XXH3
 * with a seed, so that a stranger who chooses the keys cannot choose the collisions. Single-thread. */
#ifndef CW_MAP_H
#define CW_MAP_H

#include <crawl/base.h>

typedef struct cw_map cw_map;

/* seed: any; different from run to run where strangers choose keys. NULL: no memory. */
cw_map *cw_map_create(uint64_t seed);
/* Keys and values are the caller's to free first. */
void cw_map_free(cw_map *map);
/* The same, with values that were each allocated as one piece, as cw_map_make does. NULL: nothing. */
void cw_map_free_values(cw_map *map);

/* What the map hashes a key to, for the calls below whose names end in _hashed: a key that is looked for in several
 * steps is hashed once. The same in all maps of one seed. */
uint64_t cw_map_hash(const cw_map *map, crawl_slice key);

/* NULL: not there. */
void *cw_map_get_hashed(const cw_map *map, crawl_slice key, uint64_t hash);

static inline void *cw_map_get(const cw_map *map, crawl_slice key)
{
    return cw_map_get_hashed(map, key, cw_map_hash(map, key));
}

/* A get in three steps, so that a caller with many keys need not wait for the memory of one after another: `expect`
 * asks for the place of the key, `expect_value` some keys later for the first `bytes` of what stands there. Hints: they
 * change nothing, and of a small map, which is near anyway, they do nothing. */
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

/* The key's bytes are borrowed until it is removed: usually they live in the value. value is not NULL.
 * CRAWL_EXISTS: the key is there already, nothing changed. */
crawl_err cw_map_put(cw_map *map, crawl_slice key, void *value);

/* Puts a new value of zeros, whose key is a copy at the value's end: `size` bytes and those of the key, which begin at
 * `key_at`: sizeof the value's type, and the offset of its last member, `char text[]`. The caller's to free. NULL: no
 * memory, or the key is there already. */
void *cw_map_make(cw_map *map, crawl_slice key, size_t size, size_t key_at);

/* The value that was there; NULL: none. */
void *cw_map_remove(cw_map *map, crawl_slice key);

/* Forgets all keys. Keeps the memory of a small map, so that one can serve page after page, and gives back most of that
 * of a large one. */
void cw_map_clear(cw_map *map);

size_t cw_map_count(const cw_map *map);

/* Bytes of memory held, keys and values excluded. */
size_t cw_map_bytes(const cw_map *map);

/* Iterates in no order: start with *cursor 0; NULL at the end. No put or remove in between. */
void *cw_map_next(const cw_map *map, size_t *cursor);

#endif
