/* The object of the kind "exact"; see exact.c. */
#ifndef CW_BLOOM_EXACT_H
#define CW_BLOOM_EXACT_H

#include "bloom/kind.h"
#include "bloom/memory.h"

typedef struct cw_table {
    cw_hash *slots; /* all zero: empty; at least one is */
    uint64_t size;
    cw_pages pages;
} cw_table;

typedef struct cw_exact {
    crawl_bloom bloom; /* first: see kind.h */
    cw_table now;
    cw_table old;   /* being moved into now; slots NULL: none */
    uint64_t start; /* slot of old where moving began */
    uint64_t moved; /* slots of old passed since */
    uint64_t count; /* keys in both */
    uint64_t limit; /* keys at which it grows */
    uint64_t refused;
    uint64_t most; /* bytes the machine has */
} cw_exact;

#endif
