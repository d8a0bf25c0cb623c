/* Requests that were found together, on their way to the frontier: those of a page's links, those of a sitemap, or the
 * one of a redirect. They are pushed at once, so that the frontier's lock is taken once for all of them. */
#pragma once

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/links/judge.h"

#include <crawl/frontier.h>
#include <crawl/links.h>

/* The most requests of a batch. A page has up to CRAWL_PAGE_MAX_LINKS links, a sitemap 50,000 entries. The frontier's
 * lock is held for one batch at a time, and pushing a batch adds to a slice of the loop (judge.h). */
#define CW_LINKS_BATCH_MAX 512u

typedef struct cw_links_batch {
    cw_links_judge *judge; /* borrowed */
    crawl_slice parent;
    bool at_seed_host; /* the parent is on the host of a seed */
    size_t size;
    crawl_buf text; /* URL and memo of each request */
    crawl_request requests[CW_LINKS_BATCH_MAX];
    size_t at[CW_LINKS_BATCH_MAX];       /* offset in text of each request */
    uint8_t results[CW_LINKS_BATCH_MAX]; /* a crawl_pushed each, set by a push */
} cw_links_batch;

/* The page or sitemap whose links are followed. Borrowed. */
typedef struct cw_links_source {
    const crawl_lease *lease;
    const crawl_url *url; /* the lease's, parsed */
    cw_host_record *host; /* the lease's */
} cw_links_source;

/* Creates a batch of requests that no page led to. Free it with cw_links_batch_free. NULL: out of memory. */
cw_links_batch *cw_links_batch_create(cw_links_judge *judge);
/* NULL does nothing. */
void cw_links_batch_free(cw_links_batch *batch);

/* Empties the batch, for requests that the source leads to. */
void cw_links_batch_begin(cw_links_batch *batch, const cw_links_source *source);
/* Empties the batch after its requests were pushed. */
void cw_links_batch_clear(cw_links_batch *batch);

/* Adds a request for this URL, whose canonical form is in the judge; the batch must have room. Sets its url and
 * fingerprint, and copies its memo. Then shows it, link (NULL: none) and lastmod to on_link. NEW: the request is in the
 * batch. REFUSED: on_link does not want it, or out of memory, which fails the crawl. */
crawl_edge_verdict cw_links_batch_add(cw_links_batch *batch, const crawl_url *url, const crawl_request *request,
                                      const crawl_link *link, int64_t lastmod);

/* Adds a request for this URL, whose canonical form is in the judge, without showing it to on_link. Its URL and memo
 * are copied; the batch must have room. CRAWL_ENOMEM. */
crawl_err cw_links_batch_put(cw_links_batch *batch, const crawl_url *url, const crawl_request *request);

/* Returns the worth of a URL at this depth under crawl.order = best, before on_link is asked; 0 under other orders. */
int32_t cw_links_batch_worth(const cw_links_batch *batch, const crawl_url *url, uint32_t depth);

/* Pushes all requests of the batch in the order in which they were added. Any failure except CRAWL_FULL fails the
 * crawl. */
void cw_links_batch_push(cw_links_batch *batch);
/* Likewise, but returns the error: see crawl_frontier_push. */
crawl_err cw_links_batch_send(cw_links_batch *batch);
/* Returns the fate of one of the pushed requests. */
crawl_edge_verdict cw_links_batch_fate(const cw_links_batch *batch, size_t index);
