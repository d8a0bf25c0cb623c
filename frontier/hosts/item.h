/* A queued request in one allocation: fixed fields, then the URL without its host's origin, then method, headers, body,
 * memo and visits if there are any. Its place in the order is stored in the queue's entry or in the lease. */
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
    CW_ITEM_WHOLE = 2,      /* keeps its whole URL: it has a user name, so the origin is not a prefix */
    CW_ITEM_EXTRA = 4,      /* method, headers, body, memo and visits follow the URL */
    CW_ITEM_MOVED = 8,      /* its record on disk was written more than once */
    CW_ITEM_ANY_DEPTH = 16, /* its depth does not count in the seen-set */
    CW_ITEM_REVISIT = 32,   /* pushed although it may have been seen */
    /* On disk it is only in one of the two stages; set in memory only, see stage.h. */
    CW_ITEM_STAGED_EVEN = 64,
    CW_ITEM_STAGED_ODD = 128,
    CW_ITEM_STAGED = CW_ITEM_STAGED_EVEN | CW_ITEM_STAGED_ODD
};

#define CW_FRONTIER_NOWHERE UINT32_MAX     /* cw_frontier_item.where: the seen-set did not take this request as new */
#define CW_FRONTIER_ITEM_MAX (1024u << 20) /* bytes of all parts of a request together: sizes are kept in 32 bits */
#define CW_FRONTIER_RETRIES_MAX UINT16_MAX /* the count of attempts stops there, */
#define CW_FRONTIER_VISITS_MAX (UINT32_MAX - 1) /* and so does the count of visits */

typedef struct cw_frontier_item {
    cw_frontier_parent *parent; /* NULL: none */
    crawl_fingerprint fingerprint;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    uint32_t where; /* place in the seen-set */
    uint32_t url_size;
    uint16_t retries; /* times given back by CRAWL_DONE_RETRY */
    uint8_t flags;
    char tail[];
} cw_frontier_item;

/* Returns true if the parts of this request have sizes that an item can hold. */
bool cw_frontier_item_fits(const crawl_request *request);

/* Creates an item without a parent. origin is its URL's. NULL: out of memory. */
cw_frontier_item *cw_frontier_item_create(const crawl_request *request, crawl_slice origin, uint8_t flags);

/* Copies the item for its next visit, with this memo and no parent: no retries, one visit more. NULL: out of memory. */
cw_frontier_item *cw_frontier_item_again(const cw_frontier_item *item, crawl_slice memo);

/* Copies the item with another memo and no parent. NULL: out of memory. */
cw_frontier_item *cw_frontier_item_with_memo(const cw_frontier_item *item, crawl_slice memo);

/* Returns the number of visits before this one. */
uint32_t cw_frontier_item_visits(const cw_frontier_item *item);

/* Returns the URL without its origin, or all of it with CW_ITEM_WHOLE. */
static inline crawl_slice cw_frontier_item_url(const cw_frontier_item *item)
{
    return crawl_slice_of(item->tail, item->url_size);
}

/* Fills in a lease's fields about its request, except url, origin and id. */
void cw_frontier_item_describe(const cw_frontier_item *item, crawl_lease *lease);

/* Returns the bytes of the tail: the URL and what follows it. */
size_t cw_frontier_item_tail_size(const cw_frontier_item *item);
/* Returns true if these fields could precede this tail. For data read from disk. */
bool cw_frontier_item_tail_valid(const cw_frontier_item *fields, crawl_slice tail);
/* Creates an item from these fields and this tail, which must be valid. NULL: out of memory. */
cw_frontier_item *cw_frontier_item_restore(const cw_frontier_item *fields, crawl_slice tail);

/* Has no user yet. NULL: out of memory. */
cw_frontier_parent *cw_frontier_parent_create(crawl_slice text);

static inline void cw_frontier_item_set_parent(cw_frontier_item *item, cw_frontier_parent *parent)
{
    item->parent = parent;
    if (parent)
        parent->users++;
}

/* Releases the item's share in its parent. Returns the parent if that was the last share, for the caller to free, or
 * NULL. */
cw_frontier_parent *cw_frontier_item_leave_parent(cw_frontier_item *item);
