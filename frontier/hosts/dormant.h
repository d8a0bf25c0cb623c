/* What the schedule keeps of hosts that rest with requests: the place of each among the hosts that may be asked, and
 * the date at which time changes something. Both tell when a host is to be looked at, never later than they should: a
 * host that has become awake, or another than its place says, is found out by then.
 *
 * Most of a crawl's hosts were never asked, and stand in the order of their numbers: they are bits in pages, by
 * priority and depth. The others are entries of 24 bytes in a heap. */
#pragma once

#include "base/map.h"
#include "frontier/memory/index.h"

/* Numbers of a page. */
#define CW_FRONTIER_DORMANT_PAGE 256u

/* A heap of numbers. */
typedef struct cw_frontier_pile {
    cw_heap_entry *entries;
    size_t count;
    size_t room;
    size_t single; /* entries when there was one for each host last */
} cw_frontier_pile;

/* All zero, but for `pages`, which cw_frontier_dormant_start gives: nobody rests. */
typedef struct cw_frontier_dormant {
    cw_frontier_index pages; /* of hosts that stand where their number says; the first page first */
    cw_map *named;           /* the same by key; NULL: there were none yet */
    cw_frontier_pile turns;  /* the other hosts that may be asked */
    cw_frontier_pile dates;
    uint64_t hosts;    /* that rest with requests, */
    uint64_t requests; /* and what they have */
    uint64_t held;     /* of these hosts, those that may be asked from held_until on, and then at once */
    int64_t held_until;
    uint32_t at_once; /* hosts that the store is to make awake together */
} cw_frontier_dormant;

cw_frontier_dormant cw_frontier_dormant_start(void);
void cw_frontier_dormant_free(cw_frontier_dormant *dormant);

/* Adds the place of a host, or its date. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_dormant_add(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                  uint32_t number);
crawl_err cw_frontier_dormant_add_date(cw_frontier_dormant *dormant, cw_frontier_memory *memory, int64_t date,
                                       uint32_t number);

/* Takes out the place of a host that wakes, if it stands where its number says. */
void cw_frontier_dormant_remove(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                uint32_t number);

/* The first place. false: there is none. */
bool cw_frontier_dormant_first(const cw_frontier_dormant *dormant, cw_heap_key *key);
/* Up to `most` hosts of the first places, in their order and of one priority and depth; how many. */
size_t cw_frontier_dormant_next(const cw_frontier_dormant *dormant, uint32_t *numbers, size_t most);
/* The first date; CRAWL_FOREVER: there is none. *number: whose. */
int64_t cw_frontier_dormant_date(const cw_frontier_dormant *dormant, uint32_t *number);
/* This host was looked at: takes out the first place and the first date if they are its own. */
void cw_frontier_dormant_passed(cw_frontier_dormant *dormant, cw_frontier_memory *memory, uint32_t number);
