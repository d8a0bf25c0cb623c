/* The resting hosts: known, with nothing queued or leased, and only in the store. All that stays of one in memory is
 * the way from its origin to its number, 8 bytes in a table that is at least three eighths full.
 *
 * The table has 31 bits of the hash of an origin, so the store must confirm that a number is the right one. With a
 * hundred million resting hosts, one lookup in twenty of an absent origin finds such a number. */
#pragma once

#include "frontier/memory/memory.h"

typedef struct cw_frontier_rester {
    uint32_t number;
    bool was_opened; /* it has rested since the store was opened after an unclean shutdown */
} cw_frontier_rester;

/* {.seed = ...} is empty. */
typedef struct cw_frontier_resting {
    uint64_t seed;   /* unknown to anybody who chooses origins */
    uint64_t *slots; /* by hash; 0: empty */
    uint64_t room;   /* of slots */
    uint64_t count;
} cw_frontier_resting;

/* Makes room for `more` hosts. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_resting_reserve(cw_frontier_resting *resting, cw_frontier_memory *memory, uint64_t more);
/* Adds a host, for which there must be room. */
void cw_frontier_resting_add(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host);
/* Returns the next host that may have this origin; *cursor begins at 0. false: there are no more. */
bool cw_frontier_resting_next(const cw_frontier_resting *resting, crawl_slice origin, uint64_t *cursor,
                              cw_frontier_rester *out);
/* Removes a host, which must be present. */
void cw_frontier_resting_remove(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host);
