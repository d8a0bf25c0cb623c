/* The inner loops of a chain, compiled once for every worthwhile instruction set. All versions return the same results
 * and leave the same memory behind; the fastest that the machine supports is chosen at run time. */
#pragma once

#include "bloom/kinds/chain.h"

/* A batch of keys to add. */
typedef struct cw_kind_batch {
    const cw_bloom_hash *hashes;
    uint8_t *fresh;                /* initially all 0 */
    uint32_t *where;               /* written for new keys */
    uint8_t absent[CW_KIND_BATCH]; /* the indices of the keys that are in no filter, in order */
    size_t left;                   /* their number */
    size_t done;                   /* number of these that were put so far */
} cw_kind_batch;

typedef struct cw_kind_scan {
    /* Returns true if the key is in some filter of the chain. */
    bool (*find)(const cw_kind_chain *chain, cw_bloom_hash hash);

    /* Writes the indices of the keys that are in no filter, in order, and returns their number. */
    size_t (*find_absent)(const cw_kind_chain *chain, const cw_bloom_hash *hashes, size_t count, uint8_t *absent);

    /* Adds the key to the target if it is in no filter, while chain->quiet is not 0. Returns whether it was new. */
    bool (*add)(cw_kind_chain *chain, cw_bloom_hash hash);

    /* Puts the absent keys of a batch into the target until all are done or chain->quiet is 0. A key that came earlier
     * in the same batch, and went into this filter, is not added again. */
    void (*put_absent)(cw_kind_chain *chain, cw_kind_batch *batch);

    /* Removes the keys that are really in the filters that the caller names for them; sets gone to 1 for these and to 0
     * for others. Only for counters. */
    void (*forget_many)(cw_kind_chain *chain, const cw_bloom_hash *hashes, size_t count, const uint32_t *where,
                        uint8_t *gone);
} cw_kind_scan;

/* The versions. A machine may lack some. */
typedef enum cw_kind_isa { CW_ISA_PORTABLE, CW_ISA_AVX2, CW_ISA_AVX512, CW_ISAS } cw_kind_isa;

/* Returns the loops of a version; NULL: this machine cannot run them. */
const cw_kind_scan *cw_kind_scan_of(cw_kind_isa isa, cw_kind_cells cells);

/* Returns the fastest loops that this machine can run. */
const cw_kind_scan *cw_kind_scan_for(cw_kind_cells cells);
