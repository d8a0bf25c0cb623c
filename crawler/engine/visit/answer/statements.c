
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"

/* Returns true if anybody says something about the use of the page. page NULL: there is none. */
static bool is_spoken_of(const cw_visit *visit, const crawl_response *response, const crawl_page *page)
{
    if (visit->site_speaks || (page && crawl_page_speaks_of_use(page)))
        return true;
    for (size_t i = 0; i < response->header_count; i++)
        if (crawl_header_speaks_of_use(response->headers[i].name, response->headers[i].value))
            return true;
    return false;
}

static crawl_err gather(crawl_preferences *preferences, const cw_visit *visit, const crawl_response *response,
                        const crawl_page *page)
{
    crawl_err err = CRAWL_OK;
    crawl_preferences_clear(preferences);
    if (visit->site_speaks)
        err = cw_host_sites_preferences(cw_visit_engine(visit)->sites, visit->host, visit->url, preferences);
    for (size_t i = 0; i < response->header_count && !err; i++) {
        const crawl_header *header = &response->headers[i];
        if (crawl_header_speaks_of_use(header->name, header->value))
            err = crawl_preferences_add_header(preferences, header->name, header->value, visit->url);
    }
    if (!err && page)
        err = crawl_preferences_add_page(preferences, page);
    return err ? err : crawl_preferences_finish(preferences);
}

static crawl_err write_statements(cw_visit_reading *reading, const crawl_page *page)
{
    if (!reading->preferences)
        reading->preferences = crawl_preferences_create(cw_visit_engine(reading->visit)->config->robots_agent);
    if (!reading->preferences)
        return CRAWL_ENOMEM;
    crawl_err err = gather(reading->preferences, reading->visit, reading->response, page);
    reading->record.refused = crawl_preferences_refused(reading->preferences);
    reading->record.granted = crawl_preferences_granted(reading->preferences);
    return err ? err : crawl_preferences_json(reading->preferences, &reading->statements);
}

void cw_visit_statements_read(cw_visit_reading *reading, const crawl_page *page)
{
    if (!is_spoken_of(reading->visit, reading->response, page))
        return;
    crawl_buf_clear(&reading->statements);
    crawl_err err = write_statements(reading, page);
    if (err)
        cw_engine_fail(cw_visit_engine(reading->visit), err, "no memory for the statements on the use of a page");
    reading->record.preferences = crawl_buf_slice(&reading->statements);
}

/* --- withholding --- */

static crawl_err open_judging(cw_visit_maker *maker)
{
    const char *agent = maker->engine->config->robots_agent;
    if (!maker->statements.preferences)
        maker->statements.preferences = crawl_preferences_create(agent);
    if (maker->statements.page || !maker->statements.preferences)
        return maker->statements.preferences ? CRAWL_OK : CRAWL_ENOMEM;
    maker->statements.page = crawl_page_create();
    if (!maker->statements.page)
        return CRAWL_ENOMEM;
    crawl_page_set_kinds(maker->statements.page, 0);
    return crawl_page_set_agent(maker->statements.page, agent);
}

/* Parses the page for its <meta>. *page is NULL if the answer is not a page. */
static crawl_err parse_for_meta(const cw_visit *visit, const crawl_response *response, const crawl_page **page)
{
    crawl_page *parsed = visit->maker->statements.page;
    crawl_slice type = cw_visit_headers_content_type(response);
    crawl_document document = crawl_document_of(crawl_media_type(type), response->body);
    *page = response->body.size && cw_visit_document_is_page(document) ? parsed : NULL;
    return *page
               ? crawl_page_parse_as(parsed, document, response->body, visit->url, crawl_charset_of_content_type(type))
               : CRAWL_OK;
}

/* Takes the first refused use that must be respected. */
static void withhold(cw_visit *visit, const crawl_preferences *preferences)
{
    unsigned refused = crawl_preferences_refused(preferences) & cw_visit_engine(visit)->config->respect;
    for (unsigned use = 0; use < CRAWL_USE_COUNT && !visit->withheld; use++)
        if (refused >> use & 1) {
            visit->withheld = crawl_use_name((crawl_use)use);
            visit->withheld_by = crawl_preferences_refused_by(preferences, (crawl_use)use);
        }
}

void cw_visit_statements_judge(cw_visit *visit, const crawl_response *response)
{
    crawl_engine *engine = cw_visit_engine(visit);
    bool is_page = !(visit->lease.tag & (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_EXTERNAL));
    const crawl_page *page;
    if (!engine->config->respect || !is_page || !response->status)
        return;
    crawl_err err = open_judging(visit->maker);
    if (!err)
        err = parse_for_meta(visit, response, &page);
    bool speaks = !err && is_spoken_of(visit, response, page);
    if (speaks)
        err = gather(visit->maker->statements.preferences, visit, response, page);
    if (err)
        cw_engine_fail(engine, err, "no memory for the statements on the use of a page");
    else if (speaks)
        withhold(visit, visit->maker->statements.preferences);
}
