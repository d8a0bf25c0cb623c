/* The hash of a key, and what the kinds derive from it: a place in a table of any size, and bits inside the block found
 * there. The two halves of an XXH3-128 are independent, so the place reveals nothing about the bits. */
#pragma once

#include <crawl/base.h>

typedef struct cw_bloom_hash {
    uint64_t place;
    uint64_t bits;
} cw_bloom_hash;

/* Returns the low half of the 128-bit product a * b; *high gets the high half. */
static inline uint64_t cw_bloom_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
    uint64_t cross = (a >> 32) * (b & 0xffffffff) + (low >> 32);
    uint64_t other = (a & 0xffffffff) * (b >> 32) + (cross & 0xffffffff);
    *high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
    return a * b;
#endif
}

/* Returns a uniform index below size, for any size and without a division; it increases with the place. */
static inline uint64_t cw_bloom_hash_index(cw_bloom_hash hash, uint64_t size)
{
    uint64_t high;
    cw_bloom_multiply(hash.place, size, &high);
    return high;
}

/* Returns 64 more bits, each of which depends on all 128 bits of both halves. */
static inline uint64_t cw_bloom_hash_more(cw_bloom_hash hash)
{
    uint64_t high;
    uint64_t low = cw_bloom_multiply(hash.bits ^ 0x9e3779b97f4a7c15, hash.place ^ 0xd6e8feb86659fd93, &high);
    return low ^ high;
}
