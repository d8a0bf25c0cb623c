/* The interface of a kind of filter: a table of functions, and an object that begins with a crawl_bloom. A new kind is
 * one file with a cw_kind, a value of crawl_bloom_kind, and a row of the table in bloom.c.
 *
 * Kinds see hashes, never keys: hashing, batching and the checks of arguments are done once, in bloom.c. */
#pragma once

#include <crawl/bloom.h>

#include "bloom/files/file.h"
#include "bloom/hash.h"

/* Hashes handed over at once: enough to overlap the cache misses of all of them, few enough to keep their blocks in the
 * first-level cache between finding and adding. */
#define CW_KIND_BATCH 128

/* The same for a filter with shards, which sorts the hashes first, so that each shard gets some. */
#define CW_KIND_BATCH_SHARDED 1024

/* A rate nearer to 1 makes the odds meaningless: the filter is full of ones, and answers yes to all keys. */
#define CW_KIND_RATE_MAX 0.999

static inline double cw_kind_odds_of(double rate)
{
    double within = rate < CW_KIND_RATE_MAX ? rate : CW_KIND_RATE_MAX;
    return within / (1 - within);
}

typedef struct cw_kind {
    const char *name;
    size_t batch; /* the most hashes handed over at once; 0: CW_KIND_BATCH */

    /* options are checked. */
    crawl_err (*create)(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
    void (*destroy)(crawl_bloom *bloom);

    /* As the public calls of the same names. count is 1 to batch; where is never NULL, and written for new keys only;
     * after CRAWL_ENOMEM fresh is right for all. */
    crawl_err (*add)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where);
    crawl_err (*add_many)(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                          uint32_t *where);
    bool (*test)(const crawl_bloom *bloom, cw_bloom_hash hash);
    void (*test_many)(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present);
    crawl_err (*forget)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where); /* NULL: the kind cannot */
    /* As the public call. count is 1 to batch. NULL: forget, one after the other. */
    void (*forget_many)(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, const uint32_t *where,
                        uint8_t *gone);

    /* With shards: the public call, of a key that test has found. NULL: cw_kind_find. */
    void (*find_shard)(const crawl_bloom *bloom, cw_bloom_hash hash, crawl_bloom_found *out);

    void (*advance)(crawl_bloom *bloom, uint64_t now_ms); /* NULL: the kind knows no time */

    /* Locks all other callers out while a file is written, and lets them in again. NULL: the kind is for one thread. */
    void (*hold)(const crawl_bloom *bloom);
    void (*release)(const crawl_bloom *bloom);

    /* Writes the object without its options, and reads it back in the same order; see file.h. load gets checked
     * options, and must check everything that the object needs to be safe: nothing in a file is trusted. */
    void (*save)(const crawl_bloom *bloom, cw_file_save *out);
    crawl_err (*load)(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out);
    /* Checks what only a look at all of the data can tell (counts, order, ...), after the checksums were right. NULL:
     * nothing. */
    crawl_err (*validate)(const crawl_bloom *bloom, crawl_error *error);

    void (*stats)(const crawl_bloom *bloom, crawl_bloom_stats *out);
    /* index is below the number of filters in stats. Both are NULL if the kind is one filter. */
    void (*stats_of)(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);
    uint32_t (*filters)(const crawl_bloom *bloom);
    /* The filter that holds a key that test has found. NULL: the kind is one filter. */
    uint32_t (*find)(const crawl_bloom *bloom, cw_bloom_hash hash);
} cw_kind;

static inline uint32_t cw_kind_filters(const cw_kind *kind, const crawl_bloom *bloom)
{
    return kind->filters ? kind->filters(bloom) : 1;
}

static inline void cw_kind_stats_of(const cw_kind *kind, const crawl_bloom *bloom, uint32_t index,
                                    crawl_bloom_stats *out)
{
    if (kind->stats_of)
        kind->stats_of(bloom, index, out);
    else
        kind->stats(bloom, out);
}

/* Without shards. */
static inline void cw_kind_find(const cw_kind *kind, const crawl_bloom *bloom, cw_bloom_hash hash,
                                crawl_bloom_found *out)
{
    crawl_bloom_stats stats;
    uint32_t filter = kind->find ? kind->find(bloom, hash) : 0;
    cw_kind_stats_of(kind, bloom, filter, &stats);
    *out = (crawl_bloom_found){.filter = filter, .filters = cw_kind_filters(kind, bloom), .fpr = stats.fpr_now};
}

struct crawl_bloom {
    const cw_kind *kind;
    crawl_bloom_options options;
    char label[CRAWL_BLOOM_LABEL_MAX + 1]; /* only in the whole; the label of a part is never read */
};

extern const cw_kind cw_kind_scalable;
extern const cw_kind cw_kind_counting;
extern const cw_kind cw_kind_exact;
extern const cw_kind cw_kind_classic;
extern const cw_kind cw_kind_table;
extern const cw_kind cw_kind_rotating;
extern const cw_kind cw_kind_digest;
extern const cw_kind cw_kind_sharded; /* parts of any of them, see sharded.c */

/* The kind of one part of a filter, without regard to shards. */
const cw_kind *cw_kind_of(crawl_bloom_kind kind);

/* The kind of the whole: that of its parts, or cw_kind_sharded. options are checked. */
const cw_kind *cw_kind_for(const crawl_bloom_options *options);
