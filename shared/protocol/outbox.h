/* Finds of a worker that it has not told yet: the links of its pages, gathered by partition until they are worth a
 * script. A page has ended when all of its links are acknowledged; only then may its request be finished, so that a
 * worker which dies before is the reason that the page is asked again, and never that a link is lost.
 *
 * Fingerprints that were answered once are remembered, in 8 bytes each, and are asked for no second time: most links of
 * most pages were met before. A seen request stays seen; so the memory may forget, and is never wrong but with a chance
 * of 2^-64 for each question.
 *
 * Where replicas are to have all as well, what a script has brought is acknowledged only when as many of them as are
 * wanted have it (WAIT); until then it is kept, and where they do not get it in time, or the connection is lost before
 * they have said so, it is sent again: to the server that has taken over, if another one has.
 *
 * Of each partition one script is under way at most. So requests arrive in the order in which they were found, also
 * where a lost answer makes one of them go again. Nothing here is bounded: cw_shared_outbox_bytes tells how much is
 * held, and a worker that holds too much begins no more pages. Single-thread, as cw_shared. */
#pragma once

#include "shared/protocol/shared.h"

typedef struct cw_shared_outbox cw_shared_outbox;
typedef struct cw_shared_page cw_shared_page;

typedef struct cw_shared_outbox_options {
    cw_shared *shared;  /* borrowed */
    uint64_t remembers; /* fingerprints; 0: none */
    /* A script could not be carried out, or with NOREPLICAS is not yet where it is wanted: it goes again with the next
     * flush. Whether the fault passes, and whether it is better to stop, is for the caller to decide. May be NULL. */
    void (*on_fault)(void *user, crawl_redis_fault fault, const char *words);
    /* A host of the partition can be taken that could not before, or perhaps: the answer was lost. May be NULL. */
    void (*on_news)(void *user, unsigned partition);
    void *user;
} cw_shared_outbox_options;

/* CRAWL_ENOMEM. */
crawl_err cw_shared_outbox_create(const cw_shared_outbox_options *options, cw_shared_outbox **out);
/* Forgets all that is not acknowledged, and calls no `done`. Not before the connection is freed, and after every
 * page was ended. NULL does nothing. */
void cw_shared_outbox_free(cw_shared_outbox *outbox);

/* Sends what is gathered, of each partition that has nothing under way. To be called some times a second: the rarer,
 * the fewer scripts a page costs. */
void cw_shared_outbox_flush(cw_shared_outbox *outbox);

/* Forgets what was seen: the server may lack it. */
void cw_shared_outbox_forget(cw_shared_outbox *outbox);

/* Of links that are not acknowledged. */
uint64_t cw_shared_outbox_bytes(const cw_shared_outbox *outbox);

/* NULL: no memory. */
cw_shared_page *cw_shared_page_begin(cw_shared_outbox *outbox);
/* A link of the page; all of it is copied. CRAWL_EXISTS: it was seen, for sure, and nothing is sent. CRAWL_ENOMEM: it
 * is not there; the page must not be finished then. */
crawl_err cw_shared_page_add(cw_shared_page *page, const cw_shared_request *request);

typedef struct cw_shared_page_links {
    size_t queued;
    size_t seen;
    size_t no_room; /* the seen-set is as large as it may be: these are lost, and that must be said */
} cw_shared_page_links;

/* No more links will come. done is called once all are acknowledged, perhaps within the call; then the page is gone.
 * NULL: nobody wants to know, for the page is not to be finished. */
void cw_shared_page_end(cw_shared_page *page, void (*done)(void *user, const cw_shared_page_links *links), void *user);
