/* A chain of blocked filters that grows: what the kinds scalable and counting share. */
#ifndef CW_BLOOM_CHAIN_H
#define CW_BLOOM_CHAIN_H

#include "bloom/cells.h"
#include "bloom/kind.h"
#include "bloom/memory.h"
#include "bloom/sizing.h"

typedef struct cw_filter {
    uint64_t *lanes; /* blocks one after the other */
    uint64_t blocks;
    uint64_t count;
    uint64_t capacity;
    double fpr;    /* sized for */
    double ghosts; /* expected number of new keys that were taken for seen because of this filter; see chain_stats.c */
    double rate;   /* by the arithmetic, for rated_load keys per block */
    double rated_load;
    uint64_t saturated;
    uint64_t refused;
    cw_pages pages;
} cw_filter;

/* The running expectation of new keys taken for seen ones. */
typedef struct cw_losses {
    double settled; /* expected so far, but for the adds since */
    double odds;    /* rate / (1 - rate) of the chain when it was settled */
    uint64_t adds;  /* new keys since */
    uint64_t due;   /* settle again at so many */
} cw_losses;

struct cw_scan;

typedef struct cw_chain {
    crawl_bloom bloom; /* first: see kind.h */
    cw_cells cells;
    bool twice; /* a key takes two cells of every lane */
    const struct cw_scan *scan;
    uint64_t bytes;
    uint64_t most; /* bytes the machine has */
    cw_losses losses;
    uint32_t filters;
    uint32_t target; /* takes the new keys */
    cw_filter next;  /* the one that would come next, sized but without memory */
    double next_bytes;
    cw_filter filter[CW_CHAIN_MAX];
    cw_rates rates;
} cw_chain;

CW_INLINE cw_shape cw_chain_shape(cw_cells cells, bool twice)
{
    return (cw_shape){.lanes = cw_lanes(cells), .cells = cw_cells_per_lane(cells), .hashes = twice ? 2 : 1};
}

/* The block of a key in a filter. */
CW_INLINE uint64_t *cw_filter_block(cw_cells cells, const cw_filter *filter, cw_hash hash)
{
    return filter->lanes + cw_hash_index(hash, filter->blocks) * cw_lanes(cells);
}

crawl_err cw_chain_create(cw_cells cells, const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);

/* The functions of struct cw_kind that both kinds share. */
void cw_chain_destroy(crawl_bloom *bloom);
crawl_err cw_chain_add(crawl_bloom *bloom, cw_hash hash, uint32_t *where);
crawl_err cw_chain_add_many(crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *fresh, uint32_t *where);
bool cw_chain_test(const crawl_bloom *bloom, cw_hash hash);
void cw_chain_test_many(const crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *present);
void cw_chain_stats(const crawl_bloom *bloom, crawl_bloom_stats *out);
void cw_chain_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);
uint32_t cw_chain_filters(const crawl_bloom *bloom);

/* Tells the losses that a new key went in. */
void cw_losses_add(cw_chain *chain);

#endif
