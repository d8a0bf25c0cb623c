/* Making due the requests that wait for the date of their next visit. Those of a host that are in memory are handled at
 * once; a store that keeps them elsewhere takes one step at a time, in the order of their dates. */
#pragma once

#include "frontier/state.h"

typedef struct cw_frontier_hastening {
    bool (*each)(const crawl_lease *request, crawl_slice *memo, void *user);
    void *user;
    cw_frontier_host *host;
    int64_t now;
    cw_heap_key from; /* for the store: the first key not yet looked at */
    bool is_over;     /* the store has no more */
    uint64_t count;   /* requests made due */
    crawl_buf url;
} cw_frontier_hastening;

/* Sets *out to the request as it is queued for the date `now`, without a parent. *out NULL: it stays as it is.
 * CRAWL_ENOMEM. */
crawl_err cw_frontier_hasten_item(cw_frontier_hastening *hastening, cw_heap_key key, const cw_frontier_item *item,
                                  cw_frontier_item **out);

/* Returns the key under which it is then queued. */
static inline cw_heap_key cw_frontier_hasten_key(const cw_frontier_hastening *hastening, cw_heap_key key)
{
    return (cw_heap_key){.high = cw_heap_key_of_time(hastening->now), .low = key.low};
}
