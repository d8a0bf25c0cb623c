/* Visits pages and sitemaps again, in a crawl with revisit: conditional requests (RFC 9110, 13), whether an answer
 * shows a change, and the end of the visit, when the page is queued for its next visit or finished for good. revisit.h
 * has the decisions; the memo of a request has everything known about its page. Without revisit, pages that an earlier
 * run of a durable crawl left for their next visit continue as before.
 *
 * An unchanged page is not parsed: its links were followed when it was parsed, and the pages that they led to have
 * visits of their own. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* CRAWL_EINVAL: some options exclude each other; error says which. */
crawl_err cw_visit_revisits_check(const crawl_config *config, crawl_error *error);
/* Appends the headers of the request, and conditions. CRAWL_ENOMEM. */
crawl_err cw_visit_revisits_request(cw_visit *visit, crawl_buf *headers);
/* Notes in the visit and in the record whether the page's bytes changed. */
void cw_visit_revisits_compare(cw_visit *visit, const crawl_response *response, crawl_record *record);
/* Compares again, by the text of the page, with dedupe.kind = near: a page that has hardly changed counts as
 * unchanged. */
void cw_visit_revisits_compare_text(cw_visit *visit, crawl_record *record);
/* Call for a page that says with a good status that it does not exist. */
void cw_visit_revisits_missing(cw_visit *visit, crawl_record *record);
/* Ends the visit of a page or a sitemap that was asked for. */
void cw_visit_revisits_end(cw_visit *visit, const crawl_response *response, const crawl_record *record);
/* Ends, with this error, the visit of a page or a sitemap that was not asked for. */
void cw_visit_revisits_refused(cw_visit *visit, crawl_error_class error_class);
