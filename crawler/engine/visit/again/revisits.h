/* Visiting pages and sitemaps again, in a crawl with revisit: conditional requests (RFC 9110, 13), what an answer says
 * of a change, and how the visit ends: queued for the next one, or finished for good. The decisions are in revisit.h;
 * the memo of a request carries all that is known of its page. Without revisit, pages that an earlier run of a durable
 * crawl has left for their next visit go on as they were.
 *
 * A page that is not changed is not parsed: its links were followed when it was, and those that led to pages are
 * visited by themselves. */
#ifndef CW_VISIT_REVISITS_H
#define CW_VISIT_REVISITS_H

#include "crawler/engine/visit/maker.h"

/* CRAWL_EINVAL, options that do not go together. */
crawl_err cw_visit_revisits_check(const crawl_config *config, crawl_error *error);
/* Appends the headers to ask with: those of the request, and conditions. CRAWL_ENOMEM. */
crawl_err cw_visit_revisits_request(cw_visit *visit, crawl_buf *headers);
/* Says in the visit and in the record whether the page changed, by its bytes; and by its text, with dedupe.kind = near,
 * once that is known. */
void cw_visit_revisits_compare(cw_visit *visit, const crawl_response *response, crawl_record *record);
void cw_visit_revisits_compare_text(cw_visit *visit, crawl_record *record);
/* The end of a page's or a sitemap's visit, with an answer or a failure, or where it was not asked. */
void cw_visit_revisits_end(cw_visit *visit, const crawl_response *response, const crawl_record *record);
void cw_visit_revisits_refused(cw_visit *visit, crawl_error_class error_class);

#endif
