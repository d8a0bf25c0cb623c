/* The visit of a link that leads out of the crawl (links/external.h): how it is asked, and how its answer is counted.
 * Its record and its redirect are made by page_visit.c, as those of a page. */
#ifndef CW_VISIT_EXTERNAL_VISIT_H
#define CW_VISIT_EXTERNAL_VISIT_H

#include "crawler/engine/links/external.h"
#include "crawler/engine/visit/maker.h"

static inline bool cw_visit_is_external(const cw_visit *visit)
{
    return cw_links_external_is(visit->lease.tag);
}

/* Sets the request up so that no body is read but one that may be a wall's. */
void cw_visit_external_prepare(crawl_fetch_request *request);

/* Is this an answer to HEAD that does not tell what GET would give? */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response);

/* Counts an answer by its status; status 0: there was no answer. */
void cw_visit_external_count(crawl_engine *engine, int status);

#endif
