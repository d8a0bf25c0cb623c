/* A batch on its way through a push, as push.c and a store see it. The steps are in push.c. */
#pragma once

#include "frontier/state.h"

typedef struct cw_frontier_candidate {
    cw_frontier_item *item;
    cw_frontier_host *host;
    crawl_slice origin;
    uint32_t index; /* in batch.requests */
    bool same;      /* same host as the previous one, while hosts are looked up */
} cw_frontier_candidate;

typedef struct cw_frontier_batch {
    crawl_frontier *frontier;
    const crawl_request *requests;
    size_t size; /* of requests and results */
    uint8_t *results;
    size_t accepted;
    bool full;
    uint8_t flags; /* the store's own, for each accepted item */
    crawl_err err;
    void *room; /* memory of the arrays below */
    cw_frontier_candidate *candidates;
    crawl_fingerprint *keys; /* of the candidates, contiguous as the filter wants them; then marks of depths.h */
    uint32_t *where;
    uint32_t *order;   /* indices of the candidates in writing order */
    uint8_t *fresh;    /* of each key: the filter took it as new */
    size_t count;      /* candidates */
    size_t marks;      /* keys after those of the candidates */
    uint64_t judged;   /* requests that the frontier had accepted when the seen ones were dropped */
    uint64_t first;    /* sequence of the first of them */
    crawl_buf origins; /* of URLs with a user name */
    cw_frontier_parent *parent;
} cw_frontier_batch;

static inline const crawl_request *cw_frontier_batch_request(const cw_frontier_batch *batch, size_t i)
{
    return &batch->requests[batch->candidates[i].index];
}

static inline void cw_frontier_batch_answer(cw_frontier_batch *batch, size_t i, crawl_pushed result)
{
    batch->results[batch->candidates[i].index] = (uint8_t)result;
}

static inline uint8_t cw_frontier_batch_result(const cw_frontier_batch *batch, size_t i)
{
    return batch->results[batch->candidates[i].index];
}

static inline cw_heap_key cw_frontier_batch_key(const cw_frontier_batch *batch, size_t i)
{
    return cw_frontier_order_key(batch->frontier->options.order, batch->candidates[i].item, batch->first + i);
}

static inline bool cw_frontier_batch_is_new(const cw_frontier_batch *batch, size_t i)
{
    return cw_frontier_batch_result(batch, i) == CRAWL_PUSHED_NEW;
}
