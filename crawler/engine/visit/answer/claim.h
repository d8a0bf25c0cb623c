/* One visit's question at which page its body appeared before (claims.h), and the answer. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <stdlib.h>
#include <sys/queue.h>

struct cw_engine_waker;
struct cw_visit;

typedef struct cw_visit_claim {
    crawl_engine *engine;
    struct cw_visit *visit;        /* NULL: the visit was cut; guarded by the lock of cw_visit_claims, like link */
    struct cw_engine_waker *waker; /* of the visit's thread */
    crawl_fingerprint digest;
    crawl_buf first; /* the URL of that page; empty: none */
    TAILQ_ENTRY(cw_visit_claim) link;
} cw_visit_claim;

/* Copies the digest of the body. False: claim is NULL, since the visit has not asked. */
static inline bool cw_visit_claim_digest(const cw_visit_claim *claim, crawl_fingerprint *digest)
{
    if (claim)
        *digest = claim->digest;
    return claim != NULL;
}

/* Returns the URL at which the body appeared before, borrowed until the visit is over; empty: none, or claim is
 * NULL. */
static inline crawl_slice cw_visit_claim_first(const cw_visit_claim *claim)
{
    return claim ? crawl_buf_slice(&claim->first) : (crawl_slice){0};
}

/* Call when the visit is over. NULL is allowed. */
static inline void cw_visit_claim_free(cw_visit_claim *claim)
{
    if (!claim)
        return;
    crawl_buf_free(&claim->first);
    free(claim);
}
