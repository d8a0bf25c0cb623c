/* The links that a page has had so far. Pages repeat links, and have links to places within themselves: only the first
 * link of each spelling is judged, and for the others a look at its entry is enough. */
#pragma once

#include "base/keyed_hash.h"

typedef struct cw_links_on_page_entry {
    uint64_t high; /* of the hash */
    uint32_t low;
    uint32_t list : 24;   /* the number of the list that the link is in; 0: the entry is empty */
    uint32_t verdict : 8; /* on its repetitions, which the caller sets; 0 at first */
} cw_links_on_page_entry;

/* {0} is empty. Single-thread. */
typedef struct cw_links_on_page {
    cw_links_on_page_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint32_t list; /* the number of the list at hand */
} cw_links_on_page;

void cw_links_on_page_free(cw_links_on_page *set);
/* Begins another list. Takes no longer after a long one. */
void cw_links_on_page_clear(cw_links_on_page *set);

/* Has the memory of this hash's entry fetched, which will be asked for soon. */
void cw_links_on_page_expect(const cw_links_on_page *set, cw_keyed_hash hash);
/* The entry of this hash, which is made if there is none; good until the next call. Two links that differ are taken for
 * one with a chance of 2^-96. NULL: no memory. */
cw_links_on_page_entry *cw_links_on_page_get(cw_links_on_page *set, cw_keyed_hash hash);
