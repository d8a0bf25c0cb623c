/* The schedule's data about resting hosts with requests: the place of each among the hosts that may be asked, and the
 * date at which time changes something. Both say when to look at a host, never later than they should: a host that
 * woke, or whose place is outdated, is found out then.
 *
 * Most hosts of a crawl were never asked, and stand in the order of their numbers: they are bits in pages, by priority
 * and depth. The others are entries of 24 bytes in a heap. */
#pragma once

#include "base/map.h"
#include "frontier/memory/index.h"

/* Numbers per page. */
#define CW_FRONTIER_DORMANT_PAGE 256u

/* A heap of numbers. */
typedef struct cw_frontier_pile {
    cw_heap_entry *entries;
    size_t count;
    size_t room;
    size_t single; /* entries at the last count of one per host */
} cw_frontier_pile;

/* All zero, except for `pages`, which cw_frontier_dormant_start sets: no host rests. */
typedef struct cw_frontier_dormant {
    cw_frontier_index pages; /* of hosts that stand where their number says; the first page first */
    cw_map *named;           /* the same by key; NULL: there were none yet */
    cw_frontier_pile turns;  /* the other hosts that may be asked */
    cw_frontier_pile dates;
    uint64_t hosts;    /* resting with requests, */
    uint64_t requests; /* and their requests */
    uint64_t held;     /* of these hosts, those that may be asked from held_until on, and then at once */
    int64_t held_until;
    uint32_t at_once; /* hosts that the store should wake together */
} cw_frontier_dormant;

cw_frontier_dormant cw_frontier_dormant_start(void);
void cw_frontier_dormant_free(cw_frontier_dormant *dormant);

/* Add the place of a host, or its date. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_dormant_add(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                  uint32_t number);
crawl_err cw_frontier_dormant_add_date(cw_frontier_dormant *dormant, cw_frontier_memory *memory, int64_t date,
                                       uint32_t number);

/* Removes the place of a host that wakes, if it stands where its number says. */
void cw_frontier_dormant_remove(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                uint32_t number);

/* Gets the first place and its host. false: there is none. */
bool cw_frontier_dormant_first(const cw_frontier_dormant *dormant, cw_heap_key *key, uint32_t *number);
/* Returns up to `most` hosts of the first places, in order and of one priority and depth; at most
 * CW_FRONTIER_DORMANT_PAGE. A host may come twice. */
size_t cw_frontier_dormant_next(cw_frontier_dormant *dormant, uint32_t *numbers, size_t most);
/* Returns the first date and its host's number. CRAWL_FOREVER: there is none. */
int64_t cw_frontier_dormant_date(const cw_frontier_dormant *dormant, uint32_t *number);
/* Removes the first place and the first date if they are this host's. Call after looking at it. */
void cw_frontier_dormant_passed(cw_frontier_dormant *dormant, cw_frontier_memory *memory, uint32_t number);
