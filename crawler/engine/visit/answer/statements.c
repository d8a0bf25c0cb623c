#include "crawler/engine/visit/answer/statements.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/host/sites.h"

/* Does anybody speak of the use of the page? page NULL: there is none. */
static bool is_spoken_of(const cw_visit *visit, const crawl_response *response, const crawl_page *page)
{
    if (visit->site_speaks || (page && crawl_page_speaks_of_use(page)))
        return true;
    for (size_t i = 0; i < response->header_count; i++)
        if (crawl_header_speaks_of_use(response->headers[i].name, response->headers[i].value))
            return true;
    return false;
}

/* Gathers all that is said. */
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

/* Makes the texts of the record. */
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
        cw_engine_fail(cw_visit_engine(reading->visit), err, "no memory for what is said of the use of a page");
    reading->record.preferences = crawl_buf_slice(&reading->statements);
}
