/* The links of a page met so far. Pages repeat links, and link to places within themselves: only the first link of each
 * spelling is judged; for the others a look at its entry is enough. */
#pragma once

#include "base/keyed_hash.h"

typedef struct cw_links_on_page_entry {
    uint64_t high; /* of the hash */
    uint32_t low;
    uint32_t list : 24;   /* number of the list that the link is in; 0: the entry is empty */
    uint32_t verdict : 8; /* on its repetitions, set by the caller; 0 at first */
} cw_links_on_page_entry;

/* {0} is empty. Single-thread. */
typedef struct cw_links_on_page {
    cw_links_on_page_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint32_t list; /* number of the present list */
} cw_links_on_page;

void cw_links_on_page_free(cw_links_on_page *set);
/* Begins another list. Takes constant time, however long the last one was. */
void cw_links_on_page_clear(cw_links_on_page *set);

/* Prefetches the entry of this hash, which will be asked for soon. */
void cw_links_on_page_expect(const cw_links_on_page *set, cw_keyed_hash hash);
/* Returns the entry of this hash, created if there is none; valid until the next call. Two different links are taken
 * for one with a probability of 2^-96. NULL: out of memory. */
cw_links_on_page_entry *cw_links_on_page_get(cw_links_on_page *set, cw_keyed_hash hash);
