/* Visiting pages and sitemaps again. */
#ifndef CW_REVISITS_H
#define CW_REVISITS_H

#include "crawler/engine/visit/visit.h"

/* CRAWL_EINVAL, options that do not go together. */
crawl_err cw_revisits_check(const crawl_config *config, crawl_error *error);
/* The headers to ask with: those of the request, and conditions. They live as long as nothing else is asked.
 * CRAWL_ENOMEM. */
crawl_err cw_revisits_request(cw_visit *visit, crawl_slice *headers);
/* Says in the visit and in the record whether the page changed, by its bytes; and by its text, with dedupe.kind = near,
 * once that is known. */
void cw_revisits_compare(cw_visit *visit, const crawl_response *response, crawl_record *record);
void cw_revisits_compare_text(cw_visit *visit, crawl_record *record);
/* The end of a page's or a sitemap's visit, with an answer or a failure, or where it was not asked. */
void cw_revisits_end(cw_visit *visit, const crawl_response *response, const crawl_record *record);
void cw_revisits_refused(cw_visit *visit, crawl_error_class error_class);
/* The memo of a page whose sitemap gives it this lastmod (seconds since 1970, CRAWL_SITEMAP_NO_DATE); empty: none.
 * CRAWL_ENOMEM. */
crawl_err cw_revisits_hint(cw_worker *worker, int64_t lastmod, crawl_slice *memo);

#endif
