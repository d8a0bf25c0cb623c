/* See claims.h. A question is in one of two lists: asked, or answered. Its visit takes it out of the second. If the
 * visit was cut meanwhile, the answer takes it out of the first. */
#include "crawler/engine/visit/answer/claims.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/sys/shared.h>
#include <pthread.h>
#include <stdlib.h>

typedef TAILQ_HEAD(claim_list, cw_visit_claim) claim_list;

struct cw_visit_claims {
    pthread_mutex_t lock;
    claim_list asked, answered;
};

cw_visit_claims *cw_visit_claims_create(void)
{
    cw_visit_claims *claims = calloc(1, sizeof *claims);
    if (!claims)
        return NULL;
    pthread_mutex_init(&claims->lock, NULL);
    TAILQ_INIT(&claims->asked);
    TAILQ_INIT(&claims->answered);
    return claims;
}

void cw_visit_claims_free(cw_visit_claims *claims)
{
    if (!claims)
        return;
    while (!TAILQ_EMPTY(&claims->asked)) {
        cw_visit_claim *claim = TAILQ_FIRST(&claims->asked);
        TAILQ_REMOVE(&claims->asked, claim, link);
        cw_visit_claim_free(claim);
    }
    pthread_mutex_destroy(&claims->lock);
    free(claims);
}

/* ---- asking ---- */

bool cw_visit_claims_wants(const cw_visit *visit, const crawl_response *response)
{
    return cw_visit_engine(visit)->claims && !visit->claim && cw_visit_document_is_whole(response) &&
           response->body.size > 0;
}

/* Takes the answer, on the frontier's thread. */
static void claims_on_first(void *user, crawl_slice url)
{
    cw_visit_claim *claim = user;
    cw_visit_claims *claims = claim->engine->claims;
    if (crawl_buf_append(&claim->first, url.data, url.size))
        cw_engine_fail(claim->engine, CRAWL_ENOMEM, "no memory for the digests of pages");
    pthread_mutex_lock(&claims->lock);
    TAILQ_REMOVE(&claims->asked, claim, link);
    bool is_wanted = claim->visit != NULL;
    cw_engine_waker *waker = claim->waker;
    if (is_wanted)
        TAILQ_INSERT_TAIL(&claims->answered, claim, link);
    pthread_mutex_unlock(&claims->lock);
    if (is_wanted)
        cw_engine_waker_ring(waker);
    else
        cw_visit_claim_free(claim);
}

static crawl_err claims_ask(cw_visit_claim *claim, crawl_slice url)
{
    crawl_engine *engine = claim->engine;
    cw_visit_claims *claims = engine->claims;
    pthread_mutex_lock(&claims->lock);
    TAILQ_INSERT_TAIL(&claims->asked, claim, link);
    pthread_mutex_unlock(&claims->lock);
    crawl_err err = crawl_frontier_shared_body(engine->frontier, &claim->digest, url, claims_on_first, claim);
    if (!err)
        return CRAWL_OK;
    pthread_mutex_lock(&claims->lock);
    TAILQ_REMOVE(&claims->asked, claim, link);
    pthread_mutex_unlock(&claims->lock);
    return err;
}

static crawl_err claims_make(cw_visit *visit, crawl_slice body, cw_visit_claim **out)
{
    cw_visit_claim *claim = calloc(1, sizeof *claim);
    if (!claim)
        return CRAWL_ENOMEM;
    claim->engine = cw_visit_engine(visit);
    claim->visit = visit;
    claim->waker = visit->maker->waker;
    crawl_err err = crawl_fingerprint_bytes(visit->maker->judge.fingerprinter, body, &claim->digest);
    if (err)
        cw_visit_claim_free(claim);
    *out = err ? NULL : claim;
    return err;
}

bool cw_visit_claims_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read)
{
    cw_visit_claim *claim;
    crawl_err err = claims_make(visit, cw_visit_rendered_or_body(visit, response), &claim);
    if (!err) {
        visit->claim = claim;
        err = claims_ask(claim, visit->lease.url);
    }
    if (!err) {
        cw_visit_slices_keep(visit, response, verdict, read); /* not too late: this thread takes the answer, later */
        return false;
    }
    cw_engine_fail(cw_visit_engine(visit), err, "a page cannot be compared");
    cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
    return true;
}

/* ---- answers ---- */

/* Returns the next visit of this maker whose question is in the list; NULL: none. An answered question is taken out; an
 * open one loses its visit. */
static cw_visit *claims_next_of(cw_visit_claims *claims, claim_list *list, const cw_visit_maker *maker)
{
    cw_visit_claim *claim;
    cw_visit *visit = NULL;
    pthread_mutex_lock(&claims->lock);
    TAILQ_FOREACH(claim, list, link)
    {
        if (!claim->visit || claim->visit->maker != maker)
            continue;
        visit = claim->visit;
        if (list == &claims->answered)
            TAILQ_REMOVE(list, claim, link);
        else
            claim->visit = NULL; /* claims_on_first frees it */
        break;
    }
    pthread_mutex_unlock(&claims->lock);
    return visit;
}

void cw_visit_claims_take(cw_visit_maker *maker)
{
    cw_visit_claims *claims = maker->engine->claims;
    cw_visit *visit = claims ? claims_next_of(claims, &claims->answered, maker) : NULL;
    for (; visit; visit = claims_next_of(claims, &claims->answered, maker))
        cw_visit_slices_wait(visit);
}

void cw_visit_claims_cut(cw_visit_maker *maker)
{
    cw_visit_claims *claims = maker->engine->claims;
    cw_visit_claims_take(maker);
    cw_visit *visit = claims ? claims_next_of(claims, &claims->asked, maker) : NULL;
    for (; visit; visit = claims_next_of(claims, &claims->asked, maker)) {
        visit->claim = NULL;
        cw_visit_slices_wait(visit);
    }
}
