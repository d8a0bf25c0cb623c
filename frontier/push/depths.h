/* The seen-set of a frontier with by_depth: a request is in it under a key for the depth at which it was found. It is
 * seen if it was found at this depth or a lesser one; if it is found at a lesser depth later, it is new again. Then the
 * marks of the lesser depth are added too, if the deeper request may still be queued: it need not be fetched. A false
 * positive of a filter would be a page that is never fetched; one of a key and of all its marks is rare. */
#pragma once

#include "frontier/state.h"

/* Returns the key in the seen-set: without by_depth the fingerprint itself. */
crawl_fingerprint cw_frontier_depths_key(const crawl_frontier_options *options, const crawl_fingerprint *fingerprint,
                                         uint32_t depth);

/* The same for a queued request. */
crawl_fingerprint cw_frontier_depths_key_of(const crawl_frontier_options *options, const cw_frontier_item *item);

/* The marks of a depth. */
#define CW_FRONTIER_MARKS 3u

/* Returns a mark of a depth. number: below CW_FRONTIER_MARKS. */
crawl_fingerprint cw_frontier_depths_mark(const crawl_fingerprint *fingerprint, uint32_t depth, unsigned number);

/* Returns true if a request was found at a lesser depth than this, the least of which is *at. Without by_depth:
 * false. */
bool cw_frontier_depths_found_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth, uint32_t *at);

/* Notes that a request is found at this depth. Only with by_depth. */
void cw_frontier_depths_reach(crawl_frontier *frontier, uint32_t depth);

/* Returns true if a request that has just been found at this depth was found at a greater one that was reached. Only
 * with by_depth. */
bool cw_frontier_depths_found_deeper(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth);

/* Returns true if a request was found at a lesser depth than this one, and that depth has its marks. Without by_depth:
 * false. */
bool cw_frontier_depths_is_marked_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                         uint32_t depth);

/* Finds the request at any depth. CRAWL_EXISTS, with the answer of crawl_bloom_find in *where (NULL: not wanted);
 * CRAWL_ABSENT; otherwise as crawl_bloom_test. */
crawl_err cw_frontier_depths_find(const crawl_frontier_options *options, const crawl_bloom *seen,
                                  const crawl_fingerprint *fingerprint, crawl_bloom_found *where);
