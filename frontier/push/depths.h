/* The seen-set of a frontier with by_depth: a request is in it under a key for the depth at which it was found. It is
 * seen if it was found at this depth or at a lesser one; found at a lesser one only now, it is new again. */
#pragma once

#include "frontier/state.h"

/* The key in the seen-set: without by_depth the fingerprint itself. */
crawl_fingerprint cw_frontier_depths_key(const crawl_frontier_options *options, const crawl_fingerprint *fingerprint,
                                         uint32_t depth);

/* The same of a queued request. */
crawl_fingerprint cw_frontier_depths_key_of(const crawl_frontier_options *options, const cw_frontier_item *item);

/* Was a request found at a depth less than this one? Without by_depth: no. */
bool cw_frontier_depths_found_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth);

/* Was it found at any depth? CRAWL_EXISTS, with what crawl_bloom_find says of it in *where (NULL: not wanted);
 * CRAWL_ABSENT; else as crawl_bloom_test. */
crawl_err cw_frontier_depths_find(const crawl_frontier_options *options, const crawl_bloom *seen,
                                  const crawl_fingerprint *fingerprint, crawl_bloom_found *where);
