/* The object of the kinds scalable and counting: a chain of blocked filters that grows. chain.c has its rules. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/kinds/cells.h"
#include "bloom/kinds/kind.h"
#include "bloom/sizing.h"

typedef struct cw_kind_filter {
    uint64_t *lanes; /* blocks one after the other */
    uint64_t blocks;
    uint64_t count;
    uint64_t capacity;
    uint64_t extra; /* keys that it takes beyond its capacity while the memory of the next filter is being taken; see
                       chain.c */
    uint64_t saturated;
    uint64_t refused;
    bool twice;    /* a key takes two cells of every lane */
    double fpr;    /* the rate that it is sized for */
    double ghosts; /* keys that were lost here while it was the target; see chain_stats.c */
    double lost;   /* its share of what the chain has lost */
    double rate;   /* computed for rated_load keys per block */
    double rated_load;
    cw_bloom_pages pages;
} cw_kind_filter;

/* The running expectation of new keys taken for seen ones. */
typedef struct cw_kind_losses {
    double settled; /* expected so far, without the adds since */
    double odds;    /* rate / (1 - rate) of the chain when it was settled */
    uint64_t adds;  /* new keys since */
    uint64_t due;   /* the number of adds at which to settle again */
} cw_kind_losses;

struct cw_kind_scan;

typedef struct cw_kind_chain {
    crawl_bloom bloom; /* first: see kind.h */
    const struct cw_kind_scan *scan;
    uint64_t quiet; /* new keys that the target takes before chain.c has to look */
    uint32_t filters;
    uint32_t target; /* takes the new keys */
    cw_kind_losses losses;
    cw_kind_cells cells;
    uint64_t bytes;      /* of the chain and its blocks */
    uint64_t most;       /* bytes the machine has */
    cw_kind_filter next; /* the filter that comes next: sized, with memory only shortly before it is needed */
    double next_bytes;
    size_t next_taken; /* bytes of its memory that the machine has handed out */
    cw_kind_filter filter[CW_BLOOM_CHAIN_MAX];
    cw_bloom_rates rates[2]; /* by twice */
} cw_kind_chain;

CW_KIND_INLINE uint64_t cw_kind_block_bytes(cw_kind_cells cells)
{
    return cw_kind_block_words(cells) * sizeof(uint64_t);
}

/* The block of a key in a filter. */
CW_KIND_INLINE uint64_t *cw_kind_filter_block(cw_kind_cells cells, const cw_kind_filter *filter, cw_bloom_hash hash)
{
    return filter->lanes + cw_bloom_hash_index(hash, filter->blocks) * cw_kind_block_words(cells);
}

CW_KIND_INLINE bool cw_kind_filter_has_room(const cw_kind_filter *filter)
{
    return filter->count < filter->capacity;
}

/* The functions of struct cw_kind that both kinds share. */
void cw_kind_chain_destroy(crawl_bloom *bloom);
void cw_kind_chain_stats(const crawl_bloom *bloom, crawl_bloom_stats *out);
void cw_kind_chain_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

/* chain_file.c */
void cw_kind_chain_save(const crawl_bloom *bloom, cw_file_save *out);
crawl_err cw_kind_chain_load(cw_file_load *in, cw_kind_cells cells, const crawl_bloom_options *options,
                             crawl_bloom **out);
crawl_err cw_kind_chain_validate(const crawl_bloom *bloom, crawl_error *error);

/* An empty chain without a filter, which destroy takes. */
crawl_err cw_kind_chain_start(cw_kind_cells cells, const crawl_bloom_options *options, cw_kind_chain **out);

/* Sizes the filter that comes next. */
void cw_kind_chain_plan(cw_kind_chain *chain);

/* May the chain have another filter, by max_bytes and CW_BLOOM_CHAIN_MAX? If so, no filter holds more than capacity +
 * extra; if not, the newest takes all keys. */
bool cw_kind_chain_may_grow(const cw_kind_chain *chain);

/* Takes all the memory at once that would have been taken step by step if the chain had grown to its present state. */
void cw_kind_chain_catch_up(cw_kind_chain *chain);

/* chain_stats.c: brings the losses up to date, and sets when this is due again. */
void cw_kind_losses_settle(cw_kind_chain *chain);
