/* See on_page.h. A hash table with open addressing. An entry is valid for one list only, so that the table need not be
 * cleared for the next one. */
#include "crawler/engine/links/on_page.h"

#include <stdlib.h>

/* The initial capacity, and the largest one that is kept for the next list. Powers of two. */
enum { FIRST_CAPACITY = 256, KEPT_CAPACITY = 8192, LISTS = 1 << 24 };

void cw_links_on_page_free(cw_links_on_page *set)
{
    free(set->entries);
    *set = (cw_links_on_page){0};
}

void cw_links_on_page_clear(cw_links_on_page *set)
{
    set->list++;
    set->count = 0;
    if (set->capacity > KEPT_CAPACITY || set->list == LISTS) {
        cw_links_on_page_free(set);
        set->list = 1;
    }
}

/* Returns the entry of the hash, or the one where it would go. */
static cw_links_on_page_entry *on_page_find(const cw_links_on_page *set, cw_keyed_hash hash)
{
    size_t mask = set->capacity - 1;
    for (size_t i = hash.high & mask;; i = (i + 1) & mask) {
        cw_links_on_page_entry *entry = &set->entries[i];
        if (entry->list != set->list || (entry->high == hash.high && entry->low == (uint32_t)hash.low))
            return entry;
    }
}

static crawl_err on_page_grow(cw_links_on_page *set)
{
    cw_links_on_page grown = {.capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY, .list = set->list};
    grown.entries = calloc(grown.capacity, sizeof *grown.entries);
    if (!grown.entries)
        return CRAWL_ENOMEM;
    grown.count = set->count;
    for (size_t i = 0; i < set->capacity; i++) {
        const cw_links_on_page_entry *entry = &set->entries[i];
        if (entry->list == set->list)
            *on_page_find(&grown, (cw_keyed_hash){.high = entry->high, .low = entry->low}) = *entry;
    }
    free(set->entries);
    *set = grown;
    return CRAWL_OK;
}

void cw_links_on_page_expect(const cw_links_on_page *set, cw_keyed_hash hash)
{
    if (set->capacity)
        __builtin_prefetch(&set->entries[hash.high & (set->capacity - 1)], 1);
}

cw_links_on_page_entry *cw_links_on_page_get(cw_links_on_page *set, cw_keyed_hash hash)
{
    if (set->count >= set->capacity / 4 * 3 && on_page_grow(set))
        return NULL;
    cw_links_on_page_entry *entry = on_page_find(set, hash);
    if (entry->list != set->list) {
        *entry = (cw_links_on_page_entry){.high = hash.high, .low = (uint32_t)hash.low, .list = set->list};
        set->count++;
    }
    return entry;
}
