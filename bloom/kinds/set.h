/* A growing set of hashes, shared by the kinds exact (16 bytes a hash) and digest (8 bytes). See set.c. */
#pragma once

#include "bloom/kinds/kind.h"
#include "bloom/kinds/slots.h"

typedef struct cw_kind_set {
    crawl_bloom bloom; /* first: see kind.h */
    unsigned width;    /* words of a hash */
    cw_kind_slots now;
    cw_kind_slots old; /* being moved into now; size 0: none */
    uint64_t moved;    /* slots of old that are done: never examined again */
    unsigned owed;     /* new keys since the last moving step */
    uint64_t touched;  /* bytes of now that are faulted in */
    uint64_t dropped;  /* bytes of old that are released */
    uint64_t count;    /* hashes in both */
    uint64_t limit;    /* number of hashes at which it grows */
    uint64_t wanted;   /* size for the requested capacity */
    uint64_t refused;
    uint64_t most; /* bytes of memory in the machine */
    double lost;   /* sum of count over the added keys */
} cw_kind_set;

/* set_grow.c: sizes and memory. */

crawl_err cw_kind_set_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
void cw_kind_set_destroy(crawl_bloom *bloom);

/* Returns the words per hash of this kind. */
unsigned cw_kind_set_width(crawl_bloom_kind kind);
/* Return how many hashes an array with this many homes takes before it grows, and if it may not grow. */
uint64_t cw_kind_set_limit(uint64_t size);
uint64_t cw_kind_set_fullest(uint64_t size);
/* Returns the number of homes for this many hashes. */
uint64_t cw_kind_set_size(uint64_t capacity);

/* Makes a new, larger array; the present one becomes the old one. There must be no old one yet. CRAWL_ENOMEM:
 * unchanged. */
crawl_err cw_kind_set_begin_growth(cw_kind_set *set);
/* Fault in memory for the hashes of old up to a slot, and release that of old up to `moved`; at the end all of it. */
void cw_kind_set_touch_ahead(cw_kind_set *set, uint64_t slot);
void cw_kind_set_drop_behind(cw_kind_set *set);
/* Returns the memory held. */
uint64_t cw_kind_set_bytes(const cw_kind_set *set);

/* set_file.c */
void cw_kind_set_save(const crawl_bloom *bloom, cw_file_save *out);
crawl_err cw_kind_set_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out);
crawl_err cw_kind_set_validate(const crawl_bloom *bloom, crawl_error *error);
