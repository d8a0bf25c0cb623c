/* The seen-set of a frontier with by_depth: a request is in it under a key for the depth at which it was found. It is
 * seen if it was found at this depth or a lesser one; if it is found at a lesser depth later, it is new again. */
#pragma once

#include "frontier/state.h"

/* Returns the key in the seen-set: without by_depth the fingerprint itself. */
crawl_fingerprint cw_frontier_depths_key(const crawl_frontier_options *options, const crawl_fingerprint *fingerprint,
                                         uint32_t depth);

/* The same for a queued request. */
crawl_fingerprint cw_frontier_depths_key_of(const crawl_frontier_options *options, const cw_frontier_item *item);

/* Returns true if a request was found at a lesser depth than this. Without by_depth: false. */
bool cw_frontier_depths_found_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth);

/* Finds the request at any depth. CRAWL_EXISTS, with the answer of crawl_bloom_find in *where (NULL: not wanted);
 * CRAWL_ABSENT; otherwise as crawl_bloom_test. */
crawl_err cw_frontier_depths_find(const crawl_frontier_options *options, const crawl_bloom *seen,
                                  const crawl_fingerprint *fingerprint, crawl_bloom_found *where);
