/* Filters: sets of keys in a few bytes each that answer "seen before?". All kinds share one interface.
 *
 * Keys are any bytes, hashed once with XXH3-128 and a seed of the filter's own. A fingerprint (20 uniform bytes) is a key
 * like any other: hashing it again with the seed costs 3 ns and keeps outsiders from choosing URLs that share a cache line.
 *
 * Single-thread: one caller at a time. Reading calls (test, and the figures) may run beside each other, not beside add or
 * forget. */
#ifndef CRAWL_BLOOM_H
#define CRAWL_BLOOM_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum crawl_bloom_kind {
    CRAWL_BLOOM_SCALABLE, /* a chain of bloom filters, each larger than the one before (Almeida et al., 2007), each
                             blocked in cache lines; grows for ever; false positives below fpr, never a false negative */
    CRAWL_BLOOM_COUNTING, /* the same chain with 4-bit counters in place of bits: keys can be forgotten */
    CRAWL_BLOOM_EXACT     /* the 16-byte hashes in an open-addressing table: 171 to 341 bits per key, no false positive to be
                             met: that any two of n keys share a hash has a probability below n^2 / 2^129, 2e-19 for
                             1e10 keys. Keys can be forgotten. */
} crawl_bloom_kind;

typedef struct crawl_bloom crawl_bloom;

typedef struct crawl_bloom_options {
    crawl_bloom_kind kind;
    uint64_t capacity;  /* keys of the first filter of the chain, 1000 to 2^40; exact: room to start with */
    double fpr;         /* false-positive rate of the whole chain, for ever; 1e-9 to 0.5 */
    double growth;      /* capacity of each filter over the one before; 1 to 16. From the 33rd filter on at least 2: a chain has
                            at most 64 filters, the last of which goes on filling */
    double tightening;  /* rate of each filter over the one before; 0.05 to 0.95 */
    uint64_t max_bytes; /* memory the whole may take; 0: no limit; otherwise room for the first filter at least. When the next
                            filter would exceed it, the last goes on filling and the rate rises: see fpr_now and
                            expected_false. The exact kind is filled to 15/16; then add answers CRAWL_ENOMEM */
    uint64_t seed;      /* of the hash. Same seed, same keys in the same order: same filter. */
} crawl_bloom_options;

/* scalable, 1,000,000, 1e-4, 2, 0.85, no limit, seed 0. */
CRAWL_API void crawl_bloom_options_init(crawl_bloom_options *options);

/* CRAWL_EINVAL: an option out of its range; error (may be NULL) names it, its value and the range. CRAWL_ENOMEM: also for
 * a first filter larger than the memory of the machine. */
CRAWL_API crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
CRAWL_API void crawl_bloom_free(crawl_bloom *bloom);

/* Test-and-add. CRAWL_OK: the key is new and now in; *where (NULL: not wanted) says which filter of the chain took it,
 * to be handed back to crawl_bloom_forget. CRAWL_EXISTS: seen before (or a false positive); nothing changed.
 * CRAWL_ENOMEM: not added. */
CRAWL_API crawl_err crawl_bloom_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where);

/* The same for count keys of key_size bytes each, one after the other at keys, with the cache misses of all of them
 * overlapped: the larger the filter, the faster than one at a time. The answers are those that single calls in the same
 * order would give: fresh[i] is 1 for a new key and 0 for a seen one (a key twice in one batch is new once). where may be
 * NULL; where[i] is written for new keys only. CRAWL_ENOMEM: the keys before the failure are in, fresh of the others is 0. */
CRAWL_API crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count, uint8_t *fresh,
                                         uint32_t *where);

/* CRAWL_EXISTS: the key is in (or a false positive). CRAWL_ABSENT: it is not, for sure. */
CRAWL_API crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size);
CRAWL_API void crawl_bloom_test_many(const crawl_bloom *bloom, const void *keys, size_t key_size, size_t count, uint8_t *present);

/* Takes a key back. where is what add gave for it: with it, a forget never harms another key. Only for keys that
 * add called new: of one that was a false positive nothing is in, and its cells belong to others.
 * A saturated counter stays; a counter never goes below zero. The room it leaves is used again before a chain grows.
 * CRAWL_ABSENT: the key is visibly not in that filter; refused and counted, nothing changed.
 * CRAWL_REFUSED: the kind cannot forget. CRAWL_EINVAL: no such filter in the chain. */
CRAWL_API crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where);

/* Figures of the whole, or of one filter of the chain. */
typedef struct crawl_bloom_stats {
    uint64_t count;        /* keys in: added less forgotten */
    uint64_t capacity;     /* keys it was sized for */
    uint64_t bytes;        /* memory held */
    double fill;           /* share of bits set, counters not zero, or slots taken; 0 to 1 */
    double fpr;            /* rate it was sized for; exact: 0 */
    double fpr_now;        /* rate now, from the actual fill of each block and not from count */
    double expected_false; /* expected number of new keys that add answered CRAWL_EXISTS for so far, each counted the first
                               time it came (whole only) */
    uint64_t saturated;    /* counters that stay at their maximum (counting) */
    uint64_t refused;      /* forgets refused */
    uint32_t filters;      /* in the chain; 1 for one filter */
} crawl_bloom_stats;

/* Looks at no more than 4096 blocks of each filter, some milliseconds for a long chain, whatever its size. */
CRAWL_API void crawl_bloom_stats_get(const crawl_bloom *bloom, crawl_bloom_stats *out);
/* CRAWL_EINVAL: index is not below filters. */
CRAWL_API crawl_err crawl_bloom_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

CRAWL_API crawl_bloom_kind crawl_bloom_kind_of(const crawl_bloom *bloom);

#ifdef __cplusplus
}
#endif
#endif
