/* The visit of a link that leads out of the crawl (links/external.h): how it is asked, and what its answer counts as.
 * The rest of it is that of a page, which page_visit.c has: its record, and its redirect. */
#ifndef CW_VISIT_EXTERNAL_VISIT_H
#define CW_VISIT_EXTERNAL_VISIT_H

#include "crawler/engine/links/external.h"
#include "crawler/engine/visit/maker.h"

static inline bool cw_visit_is_external(const cw_visit *visit)
{
    return cw_links_external_is(visit->lease.tag);
}

/* Sets the request up so that a body is not read. */
void cw_visit_external_prepare(crawl_fetch_request *request);

/* Is this an answer to HEAD that says nothing of what GET would give? */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response);

/* Counts what became of it; status 0: there was no answer. */
void cw_visit_external_count(crawl_engine *engine, int status);

#endif
