#include "crawler/engine/visit/begin.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/probing.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/visit.h"

bool cw_visit_probe_is(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_PROBE;
}

/* Reads the page. It is parsed once per level of a host, so its memory is not kept. */
static void probe_read_page(cw_visit *visit, const crawl_response *response, unsigned level)
{
    crawl_slice type = crawl_response_header(response, "Content-Type");
    crawl_page *page = crawl_page_create();
    if (!page)
        return;
    crawl_page_set_kinds(page, 0);
    crawl_page_set_text(page, CRAWL_TEXT_PAGE);
    if (!crawl_page_parse(page, response->body, visit->url, crawl_charset_of_content_type(type))) {
        const cw_host_probe_text text = cw_visit_probing_text(page);
        cw_host_probes_answered(cw_visit_engine(visit)->probes, visit->lease.origin, level, &text, 0);
    }
    crawl_page_free(page);
}

static bool probe_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    unsigned level = cw_host_probes_level(crawl_url_path(visit->url));
    bool is_answer = engine->probes && !response->error && !cw_visit_is_walled(visit);
    bool is_page = is_answer && response->status >= 200 && response->status < 300;
    bool is_redirect = is_answer && response->status >= 300 && response->status < 400;
    uint32_t target = is_redirect ? cw_visit_probing_target(visit, crawl_response_header(response, "Location")) : 0;
    cw_visit_stay_away(visit, visit->host, verdict);
    if (is_page)
        probe_read_page(visit, response, level);
    else if (target)
        cw_host_probes_answered(engine->probes, visit->lease.origin, level, NULL, target);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    return true;
}

void cw_visit_probe_ask(cw_visit *visit)
{
    crawl_fetch_request request = {.size = sizeof request};
    crawl_err err = cw_visit_send(visit, &request, probe_visit_finish);
    if (!err)
        return;
    cw_engine_fail(cw_visit_engine(visit), err, "cannot request a page that cannot exist");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(cw_visit_engine(visit)));
}
