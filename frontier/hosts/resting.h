/* The hosts that rest: known, with nothing queued or leased, and in the store alone. All that stays of one in memory is
 * the way from its origin to its number, 8 bytes in a table that is at least three eighths full.
 *
 * The table has 31 bits of the hash of an origin, so that the store must be asked whether a number is the right one.
 * With a hundred million hosts at rest one look in twenty for an origin that is not among them finds such a number. */
#pragma once

#include "frontier/memory/memory.h"

typedef struct cw_frontier_rester {
    uint32_t number;
    bool was_opened; /* it rests since the store was opened after an end that was no clean one */
} cw_frontier_rester;

/* {.seed = ...} is an empty one. */
typedef struct cw_frontier_resting {
    uint64_t seed;   /* that nobody who chooses origins knows */
    uint64_t *slots; /* by hash; 0: empty */
    uint64_t room;   /* of slots */
    uint64_t count;
} cw_frontier_resting;

/* Makes room for so many more. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_resting_reserve(cw_frontier_resting *resting, cw_frontier_memory *memory, uint64_t more);
/* Adds a host, for which there is room. */
void cw_frontier_resting_add(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host);
/* The next host that may be of this origin; *cursor begins at 0. false: there is none any more. */
bool cw_frontier_resting_next(const cw_frontier_resting *resting, crawl_slice origin, uint64_t *cursor,
                              cw_frontier_rester *out);
/* Takes out a host that is there. */
void cw_frontier_resting_remove(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host);
