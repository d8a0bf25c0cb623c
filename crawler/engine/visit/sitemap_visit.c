#include "crawler/engine/visit/begin.h"

#include "crawler/engine/links/feeds.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/again/revisits.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/visit.h"

/* Follows a redirect, or counts the fault of an answer without a sitemap. A guessed sitemap may be absent. */
static void take_failure(cw_visit *visit, const crawl_response *response)
{
    const cw_links_source source = cw_visit_source(visit);
    bool failed = response->error != CRAWL_FETCH_OK;
    bool absent = !failed && (response->status == 404 || response->status == 410);
    if (!failed && !cw_visit_is_walled(visit) && response->status >= 300 && response->status < 400)
        cw_links_sitemaps_redirect(&visit->maker->judge, &source, crawl_response_header(response, "Location"));
    else if (!absent || !(visit->lease.tag & CW_ENGINE_TAG_GUESSED))
        cw_links_sitemaps_fault(cw_visit_engine(visit), visit->lease.tag, CRAWL_SITEMAP_FAILED, visit->lease.url);
}

/* Tries the next place for a feed, or follows a redirect, unless the host does not answer, or not us. */
static void look_elsewhere(cw_visit *visit, const crawl_response *response)
{
    const cw_links_source source = cw_visit_source(visit);
    cw_links_judge *judge = &visit->maker->judge;
    if (response->error != CRAWL_FETCH_OK || cw_visit_is_walled(visit))
        return;
    if (response->status >= 300 && response->status < 400)
        cw_links_feeds_redirect(judge, &source, crawl_response_header(response, "Location"));
    else
        cw_links_feeds_next(judge, &source);
}

void cw_visit_sitemap_refuse_guess(cw_visit *visit)
{
    const cw_links_source source = cw_visit_source(visit);
    cw_links_feeds_next(&visit->maker->judge, &source);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

void cw_visit_sitemap_upgrade(cw_visit *visit)
{
    const cw_links_source source = cw_visit_source(visit);
    cw_links_judge *judge = &visit->maker->judge;
    if (cw_links_feeds_is_guess(&visit->lease))
        cw_links_feeds_redirect(judge, &source, visit->lease.url);
    else
        cw_links_sitemaps_redirect(judge, &source, visit->lease.url);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

static void sitemap_visit_finish(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    bool is_guess = cw_links_feeds_is_guess(&visit->lease);
    if (is_guess && !visit->is_feed) {
        look_elsewhere(visit, reading->response);
        cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
        return;
    }
    cw_engine_count(&cw_visit_engine(visit)->counters.feeds_found, is_guess);
    cw_visit_revisits_end(reading->visit, reading->response, &reading->record);
}

/* Returns true if the answer has a sitemap, as far as can be told without reading it. HTML instead of an llms.txt does
 * not count. */
static bool sitemap_visit_is_there(const cw_visit *visit, const crawl_response *response)
{
    bool is_good = response->error == CRAWL_FETCH_OK && response->status >= 200 && response->status < 300;
    bool is_html = crawl_document_of_content_type(cw_visit_headers_content_type(response)) == CRAWL_DOCUMENT_HTML;
    return is_good && !cw_visit_is_walled(visit) && !(is_html && cw_links_sitemaps_is_llms(visit->lease.tag));
}

static bool sitemap_visit_read_answer(cw_visit *visit, const crawl_response *response,
                                      const cw_visit_retry_verdict *verdict)
{
    cw_visit_reading *reading = cw_visit_reading_begin(visit, response, sitemap_visit_finish);
    crawl_record *record = &reading->record;
    bool has_sitemap = sitemap_visit_is_there(visit, response);
    *record = (crawl_record){.size = sizeof(crawl_record), .status = response->status};
    cw_visit_stay_away(visit, visit->host, verdict);
    cw_visit_revisits_compare(visit, response, record);
    if (record->change != CRAWL_CHANGE_NO && has_sitemap)
        cw_visit_document_read_sitemap(reading);
    else if (record->change != CRAWL_CHANGE_NO && !cw_links_feeds_is_guess(&visit->lease))
        take_failure(visit, response);
    return cw_visit_slices_begin(reading);
}

void cw_visit_sitemap_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf headers = {0};
    crawl_fetch_request request = {
        .size = sizeof request, .cut_body = true, /* the part that fetch.max_body lets through is read */
    };
    if (cw_links_sitemaps_is_llms(visit->lease.tag))
        request.max_body_bytes = CRAWL_LLMS_MAX_BYTES + 1; /* makes a cut one recognisable */
    crawl_err err = cw_visit_revisits_request(visit, &headers);
    request.headers = crawl_buf_slice(&headers);
    if (!err)
        err = cw_visit_send(visit, &request, sitemap_visit_read_answer);
    crawl_buf_free(&headers);
    if (!err) {
        cw_engine_count(
            cw_links_feeds_is_guess(&visit->lease) ? &engine->counters.feeds_asked : &engine->counters.sitemaps, 1);
        return;
    }
    cw_engine_fail(engine, err, "a sitemap cannot be read");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}
