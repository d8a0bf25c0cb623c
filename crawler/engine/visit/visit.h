/* Shared by the visits of pages, sitemaps and robots.txt files: sends a request, handles its departure and its answer,
 * and decides whether it is retried. */
#pragma once

#include "crawler/engine/links/follow.h"
#include "crawler/engine/visit/maker.h"

/* Sends the request of the lease. The caller sets method, headers, body and limits in *request, as its kind of visit
 * needs them; the rest is filled in here. Then the request returns to the frontier, is retried later, or has its answer
 * read. Errors: see crawl_fetch; CRAWL_ENOMEM. */
crawl_err cw_visit_send(cw_visit *visit, crawl_fetch_request *request, cw_visit_reader *read);

/* Keeps the crawl away from the host for as long as its Retry-After asks, if the verdict is STAY_AWAY. */
void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_visit_retry_verdict *verdict);
/* Returns the words for the error of an answer in its record. */
const char *cw_visit_words(const cw_visit *visit, const crawl_response *response);

/* The visit of a link that leads out of the crawl (links/follow.h): how it is asked, and how its answer is counted. Its
 * record and its redirect are made by page_visit.c, like those of a page. */

static inline bool cw_visit_is_external(const cw_visit *visit)
{
    return cw_links_external_is(visit->lease.tag);
}

/* Sets the request up so that a body is read only if it may be a wall's. */
void cw_visit_external_prepare(crawl_fetch_request *request);

/* Returns true for an answer to HEAD that does not tell what GET would give. */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response);

/* Counts an answer by its status; status 0: no answer. */
void cw_visit_external_count(crawl_engine *engine, int status);

/* Sets visit->is_kept by the visit's URL and the answer's media type. response NULL: a request without an answer, which
 * has no type. A 304 names no type, and confirms an earlier answer: it keeps that answer's verdict. */
void cw_visit_keeping_judge(cw_visit *visit, const crawl_response *response);

/* How a visit ends its lease. When the visit of a page is over, the page counts for its host in later runs. If the
 * crawl has failed, the request is made again. While the record of a visit is not kept yet (receipts.h), its lease
 * stays out, and crawl_engine_kept ends it; the visit itself is over. */

/* Ends the lease, and with it the visit. at_ms: see crawl_frontier_done. */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
/* Ends the lease, and queues the page for its next visit at this date, with this memo. */
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo);
