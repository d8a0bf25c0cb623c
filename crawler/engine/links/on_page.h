/* The links that stood on a page already. Pages name the same links again and again, and places within themselves: of
 * each spelling only the first is judged, and what the others come to needs nothing but its hash. */
#ifndef CW_LINKS_ON_PAGE_H
#define CW_LINKS_ON_PAGE_H

#include "base/keyed_hash.h"

typedef struct cw_links_on_page_entry {
    uint64_t high; /* of the hash */
    uint32_t low;
    uint32_t list : 24;   /* the number of the list that it stands on; 0: empty */
    uint32_t verdict : 8; /* of its repetitions, the caller's to set; 0 at first */
} cw_links_on_page_entry;

/* {0} is empty. Single-thread. */
typedef struct cw_links_on_page {
    cw_links_on_page_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint32_t list; /* the number of the list at hand */
} cw_links_on_page;

void cw_links_on_page_free(cw_links_on_page *set);
/* Another list begins. Takes no longer after a long one. */
void cw_links_on_page_clear(cw_links_on_page *set);

/* The entry of this hash will be asked for soon. */
void cw_links_on_page_expect(const cw_links_on_page *set, cw_keyed_hash hash);
/* The entry of this hash, which is made if there is none; good until the next call. Two links that differ are taken for
 * one with a chance of 2^-96. NULL: no memory. */
cw_links_on_page_entry *cw_links_on_page_get(cw_links_on_page *set, cw_keyed_hash hash);

#endif
