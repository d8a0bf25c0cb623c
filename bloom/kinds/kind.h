/* The interface of a kind of filter: a table of functions, and an object that begins with a crawl_bloom. A new kind is
 * one file with a cw_kind, a value of crawl_bloom_kind, and a row of the table in bloom.c.
 *
 * Kinds see hashes, never keys: hashing, batching and the checks of arguments are done once, in bloom.c. */
#pragma once

#include <crawl/bloom.h>

#include "bloom/files/file.h"
#include "bloom/hash.h"

/* Hashes passed at once: enough to overlap the cache misses of all of them, few enough to keep their blocks in the
 * first-level cache between finding and adding. */
#define CW_KIND_BATCH 128

/* The same for a filter with shards, which first sorts the hashes, so that each shard gets some. */
#define CW_KIND_BATCH_SHARDED 1024

/* A rate nearer to 1 makes the odds meaningless: the filter is full of ones, and reports every key as seen. */
#define CW_KIND_RATE_MAX 0.999

static inline double cw_kind_odds_of(double rate)
{
    double within = rate < CW_KIND_RATE_MAX ? rate : CW_KIND_RATE_MAX;
    return within / (1 - within);
}

typedef struct cw_kind {
    const char *name;
    size_t batch; /* maximum number of hashes passed at once; 0: CW_KIND_BATCH */

    /* options were checked. */
    crawl_err (*create)(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
    void (*destroy)(crawl_bloom *bloom);

    /* As the public calls of the same names. count is 1 to batch. where is never NULL, and is written for new keys
     * only. After CRAWL_ENOMEM fresh is valid for all keys. */
    crawl_err (*add)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where);
    crawl_err (*add_many)(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                          uint32_t *where);
    bool (*test)(const crawl_bloom *bloom, cw_bloom_hash hash);
    void (*test_many)(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present);
    crawl_err (*forget)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where); /* NULL: not supported */
    /* As the public call. count is 1 to batch. NULL: calls forget for each. */
    void (*forget_many)(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, const uint32_t *where,
                        uint8_t *gone);

    /* With shards: the public call, for a key found by test. NULL: cw_kind_find. */
    void (*find_shard)(const crawl_bloom *bloom, cw_bloom_hash hash, crawl_bloom_found *out);

    void (*advance)(crawl_bloom *bloom, uint64_t now_ms); /* NULL: the kind does not depend on time */

    /* Lock out all other callers while a file is written, and let them in again. NULL: the kind is single-threaded. */
    void (*hold)(const crawl_bloom *bloom);
    void (*release)(const crawl_bloom *bloom);

    /* Save the object without its options, and load it in the same order; see file.h. load gets checked options, and
     * must check everything that memory safety depends on: the file is not trusted. */
    void (*save)(const crawl_bloom *bloom, cw_file_save *out);
    crawl_err (*load)(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out);
    /* Checks what requires a pass over all of the data (counts, order, ...), after the checksums were verified. NULL:
     * nothing. */
    crawl_err (*validate)(const crawl_bloom *bloom, crawl_error *error);

    void (*stats)(const crawl_bloom *bloom, crawl_bloom_stats *out);
    /* index is below the number of filters in stats. Both are NULL if the kind is one filter. */
    void (*stats_of)(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);
    uint32_t (*filters)(const crawl_bloom *bloom);
    /* Returns the filter that holds a key found by test. NULL: the kind is one filter. */
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
    char label[CRAWL_BLOOM_LABEL_MAX + 1]; /* only of the whole filter; the label of a part is never read */
};

extern const cw_kind cw_kind_scalable;
extern const cw_kind cw_kind_counting;
extern const cw_kind cw_kind_exact;
extern const cw_kind cw_kind_classic;
extern const cw_kind cw_kind_table;
extern const cw_kind cw_kind_rotating;
extern const cw_kind cw_kind_digest;
extern const cw_kind cw_kind_sharded; /* parts of any of them, see sharded.c */

/* Returns the kind of one part of a filter, regardless of shards. */
const cw_kind *cw_kind_of(crawl_bloom_kind kind);

/* Returns the kind of the whole filter: that of its parts, or cw_kind_sharded. options were checked. */
const cw_kind *cw_kind_for(const crawl_bloom_options *options);
