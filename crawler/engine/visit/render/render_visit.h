/* The pages of visits that are rendered (render/renders.h): which ones, and their way there and back. Meanwhile the
 * visit's lease is parked, so that its host may be asked for parts, and no connection counts as taken. */
#pragma once

#include "crawler/engine/render/renders.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/maker.h"

/* Makes the memory for the next, where pages are rendered. CRAWL_ENOMEM. */
crawl_err cw_visit_render_open(cw_visit_maker *maker);
/* Why the page in the answer is to be rendered, as crawl_record_render has it; NULL: it is not. */
const char *cw_visit_render_why(cw_visit *visit, const crawl_response *response);
/* Has it rendered; it is read afterwards. Returns the same as a reader. */
bool cw_visit_render_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read, const char *why);
/* Takes the pages back that are done, and has them read. */
void cw_visit_render_take(cw_visit_maker *maker);
/* The crawl ends: pages that are not done go back to the frontier, and are asked for when it goes on. */
void cw_visit_render_cut(cw_visit_maker *maker);

/* The visit of a part: what a page in the browser asks for (render/renders.h). It obeys all that holds for requests,
 * makes no record, and is tried once: its answer, whatever it is, is the page's. */

/* Is the visit one? */
static inline bool cw_visit_part_is(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_PART;
}

/* Does its page still wait for it? */
bool cw_visit_part_is_wanted(const cw_visit *visit);
/* Asks; the request may be sent. */
void cw_visit_part_ask(cw_visit *visit);
/* The page gets no answer. */
void cw_visit_part_refuse(cw_visit *visit);
/* The page gets a redirect to https, since the host wants it. */
void cw_visit_part_upgrade(cw_visit *visit);
