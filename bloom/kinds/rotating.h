/* The object of the kind "rotating", and what the three files of this kind share. rotating.c explains how it works. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/kinds/cells.h"
#include "bloom/kinds/kind.h"
#include "bloom/sizing.h"

#define CW_KIND_GENERATIONS_MAX 16

/* Blocks that are wiped together. Few enough for a batch of 128 keys that finds all of its chunks stale (128 * 32
 * lines, about 50 us), and enough that the tags of 1e8 keys fit a second-level cache: half a byte per block and
 * generation. */
#define CW_KIND_CHUNK 32

#define CW_KIND_LINE 8 /* words */

/* Not a generation's number: marks slots whose content does not count. Tags begin at 0, generations at 1. */
#define CW_KIND_NO_GENERATION UINT32_MAX

typedef struct cw_kind_generation {
    uint64_t count;
    uint64_t begun; /* ms */
    double ghosts;  /* expected number of new keys reported as seen because of this one; see rotating.c */
    double rate;    /* when it was last computed */
} cw_kind_generation;

struct cw_kind_rotating_loops;

typedef struct cw_kind_rotating_filter {
    crawl_bloom bloom; /* first: see kind.h */
    const struct cw_kind_rotating_loops *loops;
    uint64_t *lines; /* consecutive blocks, each with the lines of all slots */
    uint32_t *tags;  /* consecutive chunks, each with the tags of all slots */
    uint64_t blocks;
    uint32_t slots;                         /* options.generations */
    uint32_t oldest, newest;                /* numbers: those from oldest to newest count; newest takes the keys */
    uint32_t live[CW_KIND_GENERATIONS_MAX]; /* number of the generation in each slot; CW_KIND_NO_GENERATION: none */
    cw_kind_generation generation[CW_KIND_GENERATIONS_MAX];
    bool twice;        /* a key takes two bits of every lane */
    bool told;         /* the filter was told the time at least once */
    uint64_t now;      /* ms */
    uint64_t slice;    /* maximum ms that a generation lasts; 0: no limit */
    uint64_t each;     /* keys per generation */
    double each_fpr;   /* rate of a full generation */
    double lost, odds; /* see rotating.c */
    uint64_t adds, due;
    cw_bloom_pages line_pages, tag_pages;
    cw_bloom_rates rates;
} cw_kind_rotating_filter;

CW_KIND_INLINE uint32_t cw_kind_slot_of(const cw_kind_rotating_filter *r, uint32_t number)
{
    return number % r->slots;
}

CW_KIND_INLINE uint64_t cw_kind_chunks(uint64_t blocks)
{
    return (blocks + CW_KIND_CHUNK - 1) / CW_KIND_CHUNK;
}

/* rotating_loops.c: as the functions of struct cw_kind. */

typedef struct cw_kind_rotating_loops {
    crawl_err (*add)(cw_kind_rotating_filter *r, cw_bloom_hash hash);
    void (*add_many)(cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh);
    bool (*test)(const cw_kind_rotating_filter *r, cw_bloom_hash hash);
    void (*test_many)(const cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count, uint8_t *present);
} cw_kind_rotating_loops;

/* Returns the generation that holds a key, counted from the oldest; one must hold it. */
uint32_t cw_kind_rotating_find(const crawl_bloom *bloom, cw_bloom_hash hash);

const cw_kind_rotating_loops *cw_kind_rotating_loops_portable(void);
/* Returns the loops for this machine. */
const cw_kind_rotating_loops *cw_kind_rotating_loops_best(void);

/* rotating.c */

/* Begins a new generation, with the next number, in the slot of the oldest one or in a free slot. */
void cw_kind_rotating_turn(cw_kind_rotating_filter *r);

/* rotating_make.c */

crawl_err cw_kind_rotating_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
void cw_kind_rotating_destroy(crawl_bloom *bloom);
void cw_kind_rotating_save(const crawl_bloom *bloom, cw_file_save *out);
crawl_err cw_kind_rotating_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out);
crawl_err cw_kind_rotating_validate(const crawl_bloom *bloom, crawl_error *error);

/* Counts a new key. */
void cw_kind_rotating_count(cw_kind_rotating_filter *r);
