/* What the visits of pages, sitemaps and robots.txt files share: how a request is sent, what is done when it leaves and
 * when it has come back, whether it is tried again, and how its lease ends. */
#ifndef CW_VISIT_H
#define CW_VISIT_H

#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/visitor.h"

/* May the host be asked now? CW_ADMIT_WAIT: the visit was ended, and comes again. CW_ADMIT_REFUSE: visit->pass.words
 * says why not. */
cw_admission cw_visit_admit(cw_visit *visit);
/* May the request be sent to the port of its URL? */
bool cw_visit_has_open_port(const cw_visit *visit);

/* Sends the request of the lease. Of *request the kind of visit sets what is its own: method, headers, body, limits and
 * on_done; the rest is filled in here. As crawl_fetch; CRAWL_ENOMEM. */
crawl_err cw_visit_send(cw_visit *visit, crawl_fetch_request *request);

/* Reads an answer that stands, and ends the visit. */
typedef void cw_visit_reader(cw_visit *visit, const crawl_response *response, const cw_retry_verdict *verdict);
/* For on_done: the request goes back, is tried again later, or its answer is read. */
void cw_visit_done(cw_visit *visit, const crawl_response *response, cw_visit_reader *read);

/* Keeps away from the host for as long as its Retry-After asks, where that is longer than we wait. */
void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_retry_verdict *verdict);
/* What the error of an answer is called in its record. */
const char *cw_visit_words(const cw_visit *visit, const crawl_response *response);

/* Ends the lease, and with it the visit. */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo); /* as finished; it is visited again then */

#endif
