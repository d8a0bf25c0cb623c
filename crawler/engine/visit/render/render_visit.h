/* Visits whose pages are rendered (render/renders.h): selects them, and hands them over and back. Meanwhile the visit's
 * lease is parked, so that its host may be asked for parts, and no connection counts as taken. */
#pragma once

#include "crawler/engine/host/pacing.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/maker.h"

/* Creates the page that cw_visit_render_why parses with, if pages are rendered. CRAWL_ENOMEM. */
crawl_err cw_visit_render_open(cw_visit_maker *maker);
/* Returns why the page in the answer is to be rendered, as in crawl_record_render; NULL: it is not. */
const char *cw_visit_render_why(cw_visit *visit, const crawl_response *response);
/* Has the page rendered; it is read afterwards. Returns the same as a reader. */
bool cw_visit_render_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read, const char *why);
/* Takes back finished pages, and has them read. */
void cw_visit_render_take(cw_visit_maker *maker);
/* Returns unfinished pages to the frontier at the end of the crawl; they are asked for again when it continues. */
void cw_visit_render_cut(cw_visit_maker *maker);

/* The visit of a part: something that a page in the browser asks for (render/renders.h). It obeys all rules for
 * requests, makes no record, and is tried twice at most: any answer then goes to the page. */

/* A waiting part checks this often whether its page is over, because the crawl does not end before it. */
#define CW_VISIT_PART_MS 1000

/* Returns true if the visit is one. */
static inline bool cw_visit_part_is(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_PART;
}

/* Returns true if its page still waits for it. */
static inline bool cw_visit_part_is_wanted(const cw_visit *visit)
{
    cw_renders *renders = cw_visit_engine(visit)->renders;
    return renders && cw_renders_part_is_wanted(renders, visit->lease.memo);
}

/* Asks for the part; the request may be sent. */
void cw_visit_part_ask(cw_visit *visit);
/* The page gets no answer. */
void cw_visit_part_refuse(cw_visit *visit, crawl_render_refusal refusal);
/* Returns true if the part, which has failed, is asked for again: it was the first time, and its host is worth it. */
static inline bool cw_visit_part_is_retried(const cw_visit *visit)
{
    return visit->lease.attempt == 1 && cw_visit_part_is_wanted(visit) && !cw_host_pacing_is_failing(visit->host);
}

/* The page gets a redirect to https, since the host wants that. */
void cw_visit_part_upgrade(cw_visit *visit);
