/* What visits of pages, sitemaps and robots.txt files have in common: how a request is sent, what is done when it
 * leaves and when its answer is there, and whether it is tried again. */
#ifndef CW_VISIT_VISIT_H
#define CW_VISIT_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Sends the request of the lease. The caller sets in *request what its kind of visit needs: method, headers, body,
 * limits and on_done; the rest is filled in here. Errors as those of crawl_fetch, and CRAWL_ENOMEM. */
crawl_err cw_visit_send(cw_visit *visit, crawl_fetch_request *request);

/* To be called from on_done: the request goes back to the frontier, is tried again later, or has its answer read. */
void cw_visit_done(cw_visit *visit, const crawl_response *response, cw_visit_reader *read);

/* Keeps the crawl away from the host for as long as its Retry-After asks, if the verdict is STAY_AWAY. */
void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_visit_retry_verdict *verdict);
/* The words for the error of an answer in its record. */
const char *cw_visit_words(const cw_visit *visit, const crawl_response *response);

#endif
