/* The inner loops of a chain, compiled once for every instruction set that pays. */
#ifndef CW_BLOOM_SCAN_H
#define CW_BLOOM_SCAN_H

#include "bloom/chain.h"

typedef struct cw_scan {
    /* Is the key in some filter of the chain? */
    bool (*find)(const cw_chain *chain, cw_hash hash);
    void (*find_many)(const cw_chain *chain, const cw_hash *hashes, size_t count, uint8_t *present);
    bool (*filter_has)(const cw_chain *chain, const cw_filter *filter, cw_hash hash);
    /* CRAWL_EXISTS: the filter has it already. */
    crawl_err (*filter_put)(const cw_chain *chain, cw_filter *filter, cw_hash hash);
} cw_scan;

/* The fastest one this machine runs. All give the same answers and leave the same memory behind. */
const cw_scan *cw_scan_for(cw_cells cells);

/* The one for any machine; tests compare the two. */
const cw_scan *cw_scan_portable(cw_cells cells);

#endif
