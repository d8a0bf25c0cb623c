/* The object of the kinds scalable and counting: a growing chain of blocked filters. chain.c has its rules. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/kinds/cells.h"
#include "bloom/kinds/kind.h"
#include "bloom/sizing.h"

typedef struct cw_kind_filter {
    uint64_t *lanes; /* consecutive blocks */
    uint64_t blocks;
    uint64_t count;
    uint64_t capacity;
    uint64_t extra; /* keys beyond its capacity that it takes while the memory of the next filter is faulted in; see
                       chain.c */
    uint64_t saturated;
    uint64_t refused;
    bool twice;    /* a key takes two cells of every lane */
    double fpr;    /* the rate that it is sized for */
    double ghosts; /* expected keys lost here while it was the target; see chain_stats.c */
    double lost;   /* its share of the chain's losses */
    double rate;   /* computed for rated_load keys per block */
    double rated_load;
    cw_bloom_pages pages;
} cw_kind_filter;

/* The running expectation of new keys taken for seen ones. */
typedef struct cw_kind_losses {
    double settled; /* expected so far, without the adds since */
    double odds;    /* rate / (1 - rate) of the chain at that time */
    uint64_t adds;  /* new keys since then */
    uint64_t due;   /* number of adds at which to settle again */
} cw_kind_losses;

struct cw_kind_scan;

typedef struct cw_kind_chain {
    crawl_bloom bloom; /* first: see kind.h */
    const struct cw_kind_scan *scan;
    uint64_t quiet; /* new keys that the target takes before chain_turn must be called */
    uint32_t filters;
    uint32_t target; /* takes the new keys */
    cw_kind_losses losses;
    cw_kind_cells cells;
    uint64_t bytes;      /* of the chain and its blocks */
    uint64_t most;       /* bytes of memory in the machine */
    cw_kind_filter next; /* the next filter: sized, but with memory only shortly before it is needed */
    double next_bytes;
    size_t next_taken; /* bytes of its memory that are faulted in */
    cw_kind_filter filter[CW_BLOOM_CHAIN_MAX];
    cw_bloom_rates rates[2]; /* by twice */
} cw_kind_chain;

CW_KIND_INLINE uint64_t cw_kind_block_bytes(cw_kind_cells cells)
{
    return cw_kind_block_words(cells) * sizeof(uint64_t);
}

/* Returns the block of a key in a filter. */
CW_KIND_INLINE uint64_t *cw_kind_filter_block(cw_kind_cells cells, const cw_kind_filter *filter, cw_bloom_hash hash)
{
    return filter->lanes + cw_bloom_hash_index(hash, filter->blocks) * cw_kind_block_words(cells);
}

CW_KIND_INLINE bool cw_kind_filter_has_room(const cw_kind_filter *filter)
{
    return filter->count < filter->capacity;
}

/* Functions of struct cw_kind shared by both kinds. */
void cw_kind_chain_destroy(crawl_bloom *bloom);
void cw_kind_chain_stats(const crawl_bloom *bloom, crawl_bloom_stats *out);
void cw_kind_chain_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

/* chain_file.c */
void cw_kind_chain_save(const crawl_bloom *bloom, cw_file_save *out);
crawl_err cw_kind_chain_load(cw_file_load *in, cw_kind_cells cells, const crawl_bloom_options *options,
                             crawl_bloom **out);
crawl_err cw_kind_chain_validate(const crawl_bloom *bloom, crawl_error *error);

/* Creates a chain without a filter, which may be passed to destroy. */
crawl_err cw_kind_chain_start(cw_kind_cells cells, const crawl_bloom_options *options, cw_kind_chain **out);

/* Sizes the next filter. */
void cw_kind_chain_plan(cw_kind_chain *chain);

/* Returns true if max_bytes and CW_BLOOM_CHAIN_MAX allow another filter. If so, no filter holds more than capacity +
 * extra; if not, the newest takes all keys. */
bool cw_kind_chain_may_grow(const cw_kind_chain *chain);

/* Faults in at once all the memory that a chain grown to its present state would have faulted in step by step. */
void cw_kind_chain_catch_up(cw_kind_chain *chain);

/* chain_stats.c: updates the losses, and schedules the next update. */
void cw_kind_losses_settle(cw_kind_chain *chain);
