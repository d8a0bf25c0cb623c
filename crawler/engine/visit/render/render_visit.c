#include "crawler/engine/visit/render/render_visit.h"

#include "base/header.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/scope/keep.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/visit.h"

#include <stdlib.h>

/* ---- selecting pages ---- */

static bool render_visit_may(cw_visit *visit, const crawl_response *response)
{
    if (!cw_visit_document_is_whole(response) || !response->body.size || visit->wall.verdict != CRAWL_VERDICT_CONTENT ||
        cw_visit_is_external(visit) || cw_links_requisites_is_part(visit->lease.tag))
        return false;
    crawl_slice type = crawl_media_type(cw_visit_headers_content_type(response));
    return cw_visit_document_is_page(crawl_document_of(type, response->body));
}

static bool render_visit_is_named(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_links_judge *judge = &visit->maker->judge;
    const char *stopped;
    if (!engine->rendered)
        return true;
    return !cw_links_judge_canonical(judge, visit->url) &&
           cw_scope_keep_has_url(engine->rendered, visit->maker->matcher, crawl_buf_slice(&judge->canonical), &stopped);
}

/* Returns why the page needs its scripts; NULL: it does not. The page is parsed only for that: one more time is cheap
 * compared with a browser, and most pages have been ruled out by then. */
static const char *render_visit_gate(cw_visit *visit, const crawl_response *response)
{
    crawl_slice type = cw_visit_headers_content_type(response);
    crawl_render_facts facts = {.size = sizeof facts, .html = response->body};
    crawl_slice href;
    double delay;
    crawl_page *page = visit->maker->gate;
    if (crawl_page_parse(page, response->body, visit->url, crawl_charset_of_content_type(type)))
        return NULL;
    facts.text_bytes = crawl_page_text(page).size;
    facts.has_refresh = crawl_page_refresh(page, &delay, &href) &&
                        !cw_visit_document_is_itself(visit, href, crawl_page_base(page), crawl_page_charset(page));
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    for (size_t i = 0; i < count; i++)
        facts.links += links[i].kind == CRAWL_LINK_A;
    return crawl_render_gate(&facts);
}

crawl_err cw_visit_render_open(cw_visit_maker *maker)
{
    maker->gate = maker->engine->renders ? crawl_page_create() : NULL;
    if (!maker->engine->renders)
        return CRAWL_OK;
    if (!maker->gate)
        return CRAWL_ENOMEM;
    crawl_page_set_kinds(maker->gate, maker->engine->config->follow | CRAWL_LINK_PAGES);
    crawl_page_set_text(maker->gate, CRAWL_TEXT_PAGE);
    return CRAWL_OK;
}

const char *cw_visit_render_why(cw_visit *visit, const crawl_response *response)
{
    const crawl_engine *engine = cw_visit_engine(visit);
    if (!engine->renders || visit->rendered || !render_visit_may(visit, response) || !render_visit_is_named(visit))
        return NULL;
    const char *why = render_visit_gate(visit, response);
    return engine->config->render == CRAWL_RENDER_ALWAYS ? "always" : why;
}

/* ---- handing over and taking back ---- */

bool cw_visit_render_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read, const char *why)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_visit_maker *maker = visit->maker;
    cw_renders_page *page = calloc(1, sizeof *page);
    if (!page)
        return read(visit, response, verdict);
    *page = (cw_renders_page){.worker = maker->index,
                              .visit = visit,
                              .depth = visit->lease.depth,
                              .why = why,
                              .charset = crawl_page_charset(maker->gate),
                              .response = response,
                              .url = visit->lease.url};
    (void)crawl_frontier_park(engine->frontier, visit->lease.id, cw_engine_now(engine));
    cw_visit_slices_keep(visit, response, verdict, read);
    maker->rendering++;
    cw_renders_ask(engine->renders, page);
    cw_visit_connections_ended(maker);
    return false;
}

/* The answer counts as under way again until it is read. */
static cw_visit *render_visit_next(cw_visit_maker *maker)
{
    cw_renders_page *page = maker->engine->renders ? cw_renders_take(maker->engine->renders, maker->index) : NULL;
    if (!page)
        return NULL;
    cw_visit *visit = page->visit;
    visit->rendered = page;
    maker->rendering--;
    cw_visit_connections_resumed(maker);
    return visit;
}

/* Cut pages are rendered by the next run. */
void cw_visit_render_take(cw_visit_maker *maker)
{
    bool has_taken = false;
    for (cw_visit *visit; (visit = render_visit_next(maker)); has_taken = true) {
        const crawl_response *response = visit->answer.response;
        if (visit->rendered->lack != CRAWL_RENDER_CANCELLED) {
            cw_visit_slices_wait(visit);
            continue;
        }
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        crawl_fetch_give_back(maker->fetcher, response);
        cw_visit_connections_ended(maker);
    }
    if (has_taken)
        cw_engine_wake_one(maker->engine); /* it may lease pages again */
}

void cw_visit_render_cut(cw_visit_maker *maker)
{
    if (maker->engine->renders && maker->rendering)
        cw_renders_cut(maker->engine->renders, maker->index);
}

static void part_visit_end(cw_visit *visit, const crawl_response *response, crawl_render_refusal refusal)
{
    if (cw_visit_engine(visit)->renders)
        cw_renders_part_end(cw_visit_engine(visit)->renders, visit->lease.memo, response, refusal);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

static bool part_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    bool is_answer = !response->error && response->status;
    cw_visit_stay_away(visit, visit->host, verdict);
    part_visit_end(visit, is_answer ? response : NULL, crawl_render_refusal_of(response->error));
    return true;
}

void cw_visit_part_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    const char *ours = visit->rules ? visit->rules->access.headers : NULL;
    crawl_buf headers = {0};
    crawl_buf_clear(&visit->part_of);
    crawl_err err =
        engine->renders ? cw_renders_part_begin(engine->renders, visit->lease.memo, &visit->part_of) : CRAWL_ABSENT;
    if (!err)
        err = cw_header_append_of_page(visit->lease.headers, ours, &headers);
    crawl_fetch_request request = {.size = sizeof request,
                                   .method = visit->lease.method,
                                   .headers = crawl_buf_slice(&headers),
                                   .body = visit->lease.body};
    if (!err)
        err = cw_visit_send(visit, &request, part_visit_finish);
    crawl_buf_free(&headers);
    if (err)
        part_visit_end(visit, NULL, CRAWL_RENDER_REFUSE_BLOCKED);
}

void cw_visit_part_refuse(cw_visit *visit, crawl_render_refusal refusal)
{
    part_visit_end(visit, NULL, refusal);
}

void cw_visit_part_upgrade(cw_visit *visit)
{
    enum { TEMPORARY = 307 };
    crawl_buf target = {0};
    crawl_err err = crawl_buf_printf(&target, "https%.*s", (int)visit->lease.url.size - 4, visit->lease.url.data + 4);
    const crawl_header location = {.name = crawl_slice_from("Location"), .value = crawl_buf_slice(&target)};
    const crawl_response response = {
        .size = sizeof response, .status = TEMPORARY, .headers = &location, .header_count = 1};
    part_visit_end(visit, err ? NULL : &response, CRAWL_RENDER_REFUSE_BLOCKED);
    crawl_buf_free(&target);
}
