/* Links that a worker has found and not told yet, gathered by partition until a script is worthwhile. A page has ended
 * when all of its links are acknowledged, and only then may its request be finished. If the worker dies before, the
 * page is asked again, but no link is lost.
 *
 * Answered fingerprints are remembered, in 8 bytes each, and not asked again: most links of most pages were met before.
 * A seen request stays seen, so the memory may forget; it errs only with a chance of 2^-64 per question.
 *
 * If replicas must have all data too, links are acknowledged only when the wanted number of replicas has them (WAIT).
 * Until then they are kept, and WAIT is repeated. If the connection is lost before, or another server takes over, they
 * are sent again.
 *
 * At most one script per partition is under way. So requests arrive in the order in which they were found, even if one
 * is sent again after a lost answer. The outbox has no bound: a worker that holds too much by cw_shared_outbox_bytes
 * must begin no more pages. Single-thread, like cw_shared. */
#pragma once

#include "shared/protocol/shared.h"

typedef struct cw_shared_outbox cw_shared_outbox;
typedef struct cw_shared_page cw_shared_page;

typedef struct cw_shared_outbox_options {
    cw_shared *shared;  /* borrowed */
    uint64_t remembers; /* number of fingerprints; 0: none */
    /* A script failed, and is sent again with the next flush; or with NOREPLICAS, its data is not yet on enough
     * replicas. The caller decides whether the fault passes or to stop. May be NULL. */
    void (*on_fault)(void *user, crawl_redis_fault fault, const char *words);
    /* A host of the partition can be taken now, or perhaps, since the answer was lost. May be NULL. */
    void (*on_news)(void *user, unsigned partition);
    void *user;
} cw_shared_outbox_options;

/* CRAWL_ENOMEM. */
crawl_err cw_shared_outbox_create(const cw_shared_outbox_options *options, cw_shared_outbox **out);
/* Forgets all links that are not acknowledged, without calling `done`. Call after the connection is freed and every
 * page was ended. NULL does nothing. */
void cw_shared_outbox_free(cw_shared_outbox *outbox);

/* Sends the gathered links of each partition that has nothing under way. Call a few times per second: the less often,
 * the fewer scripts per page. */
void cw_shared_outbox_flush(cw_shared_outbox *outbox);

/* Forgets the remembered fingerprints: the server may lack them. */
void cw_shared_outbox_forget(cw_shared_outbox *outbox);

/* Returns the bytes of links that are not acknowledged. */
uint64_t cw_shared_outbox_bytes(const cw_shared_outbox *outbox);

/* NULL: out of memory. */
cw_shared_page *cw_shared_page_begin(cw_shared_outbox *outbox);
/* Adds a link of the page and copies all of it. CRAWL_EXISTS: it was surely seen, and nothing is sent. CRAWL_ENOMEM: it
 * was not added, and the page must not be finished. */
crawl_err cw_shared_page_add(cw_shared_page *page, const cw_shared_request *request);

typedef struct cw_shared_page_links {
    size_t queued;
    size_t seen;
    size_t no_room; /* lost, since the seen-set has reached its maximum; tell the user */
} cw_shared_page_links;

/* Ends the page: it gets no more links. Calls done once all are acknowledged, perhaps before this returns; the page is
 * freed then. done NULL: the page is not to be finished. */
void cw_shared_page_end(cw_shared_page *page, void (*done)(void *user, const cw_shared_page_links *links), void *user);
