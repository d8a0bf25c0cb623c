/* A queued request in one allocation: fixed fields, then the URL without its host's origin, then method, headers, body,
 * memo and visits where there are any. Its place in the order is not in it: that stands in the entry of the queue or in
 * the lease. */
#pragma once

#include "frontier/memory/memory.h"

#include <crawl/frontier.h>

/* The page that a batch was found on: stored once, shared by the requests of the batch. */
typedef struct cw_frontier_parent {
    uint32_t users;
    uint32_t size;
    char text[];
} cw_frontier_parent;

enum {
    CW_ITEM_URGENT = 1,     /* pushed by crawl_frontier_push_urgent */
    CW_ITEM_WHOLE = 2,      /* keeps its whole URL: the origin is no prefix of it, there is a user name */
    CW_ITEM_EXTRA = 4,      /* method, headers, body, memo and visits follow the URL */
    CW_ITEM_MOVED = 8,      /* its record on disk was written more than once */
    CW_ITEM_ANY_DEPTH = 16, /* its depth does not count in the seen-set */
    /* On disk it stands in one of the two stages alone; in memory only, see stage.h. */
    CW_ITEM_STAGED_EVEN = 64,
    CW_ITEM_STAGED_ODD = 128,
    CW_ITEM_STAGED = CW_ITEM_STAGED_EVEN | CW_ITEM_STAGED_ODD
};

#define CW_FRONTIER_NOWHERE UINT32_MAX     /* cw_frontier_item.where: the seen-set did not take this request as new */
#define CW_FRONTIER_ITEM_MAX (1024u << 20) /* bytes of all parts of a request together: sizes are kept in 32 bits */
#define CW_FRONTIER_RETRIES_MAX UINT16_MAX /* the count of attempts stops there, */
#define CW_FRONTIER_VISITS_MAX (UINT32_MAX - 1) /* and that of visits there */

typedef struct cw_frontier_item {
    cw_frontier_parent *parent; /* NULL: none */
    crawl_fingerprint fingerprint;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    uint32_t where; /* in the seen-set */
    uint32_t url_size;
    uint16_t retries; /* times given back by CRAWL_DONE_RETRY */
    uint8_t flags;
    char tail[];
} cw_frontier_item;

/* Are the parts of this request of sizes that an item can keep? */
bool cw_frontier_item_fits(const crawl_request *request);

/* The request as an item without a parent. NULL: no memory. origin is its URL's. */
cw_frontier_item *cw_frontier_item_create(const crawl_request *request, crawl_slice origin, uint8_t flags);

/* A copy of the item for its next visit, with this memo and no parent: no retries, one visit more. NULL: no memory. */
cw_frontier_item *cw_frontier_item_again(const cw_frontier_item *item, crawl_slice memo);

/* A copy of the item with another memo and no parent. NULL: no memory. */
cw_frontier_item *cw_frontier_item_with_memo(const cw_frontier_item *item, crawl_slice memo);

/* Visits before this one. */
uint32_t cw_frontier_item_visits(const cw_frontier_item *item);

/* The URL without its origin, or the whole of it with CW_ITEM_WHOLE. */
static inline crawl_slice cw_frontier_item_url(const cw_frontier_item *item)
{
    return crawl_slice_of(item->tail, item->url_size);
}

/* Fills what a lease says of its request, but for url, origin and id. */
void cw_frontier_item_describe(const cw_frontier_item *item, crawl_lease *lease);

/* Bytes of the tail: the URL and what follows it. */
size_t cw_frontier_item_tail_size(const cw_frontier_item *item);
/* Could these fields stand in front of this tail? Asked of what was read from a disk. */
bool cw_frontier_item_tail_valid(const cw_frontier_item *fields, crawl_slice tail);
/* An item of these fields and this tail, which is valid. NULL: no memory. */
cw_frontier_item *cw_frontier_item_restore(const cw_frontier_item *fields, crawl_slice tail);

/* With no user yet. NULL: no memory. */
cw_frontier_parent *cw_frontier_parent_create(crawl_slice text);

static inline void cw_frontier_item_set_parent(cw_frontier_item *item, cw_frontier_parent *parent)
{
    item->parent = parent;
    if (parent)
        parent->users++;
}

/* Takes the item's share in its parent away; returns the parent if that was the last, for the caller to free, or
 * NULL. */
cw_frontier_parent *cw_frontier_item_leave_parent(cw_frontier_item *item);
