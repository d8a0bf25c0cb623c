#include "config/config_values.h"
#include "crawler/engine/visit/answer/documents.h"

#include <stdlib.h>

static unsigned texts_wanted(const crawl_engine *engine)
{
    return (cw_links_edges_wanted(engine) ? CRAWL_TEXT_LINKS : 0) |
           (engine->config->dedupe == CRAWL_DEDUPE_NEAR || engine->probes ? CRAWL_TEXT_PAGE : 0);
}

static crawl_err reading_open_page(cw_visit_reading *reading, const crawl_engine *engine)
{
    const crawl_config *config = engine->config;
    reading->page = crawl_page_create();
    if (!reading->page)
        return CRAWL_ENOMEM;
    crawl_page_set_extractor(reading->page, config->html);
    unsigned parts = config->requisites ? CRAWL_LINK_PARTS : 0;
    crawl_page_set_kinds(reading->page, config->follow | CRAWL_LINK_PAGES | parts);
    if (config->requisites && crawl_page_set_lazy(reading->page, config->lazy))
        return CRAWL_ENOMEM;
    crawl_page_set_text(reading->page, texts_wanted(engine));
    crawl_page_set_ids(reading->page, config->check_fragments);
    crawl_page_set_data(reading->page, config->data);
    return crawl_page_set_agent(reading->page, config->robots_agent);
}

/* Creates the members that make texts, data and extracted values. */
static crawl_err open_content(cw_visit_reading *reading, const crawl_engine *engine)
{
    bool has_texts = engine->config->text != CRAWL_RECORD_TEXT_NONE;
    bool has_data = engine->config->data;
    bool has_tree = engine->rules || has_data;
    reading->texts = has_texts ? crawl_text_maker_create() : NULL;
    reading->data = has_data ? crawl_data_create() : NULL;
    reading->tree = has_tree ? crawl_tree_create() : NULL;
    if ((has_texts && !reading->texts) || (has_data && !reading->data) || (has_tree && !reading->tree))
        return CRAWL_ENOMEM;
    return engine->rules ? crawl_extraction_create(engine->rules, &reading->extraction) : CRAWL_OK;
}

cw_visit_reading *cw_visit_reading_create(cw_visit_maker *maker)
{
    cw_visit_reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return NULL;
    cw_links_follow_open(&reading->follow, &maker->batch);
    crawl_err err = reading_open_page(reading, maker->engine);
    if (!err)
        err = open_content(reading, maker->engine);
    if (!err)
        return reading;
    cw_visit_reading_free(reading);
    return NULL;
}

void cw_visit_reading_free(cw_visit_reading *reading)
{
    if (!reading)
        return;
    crawl_page_free(reading->page);
    crawl_extraction_free(reading->extraction);
    cw_visit_rendered_stop(reading);
    crawl_buf_free(&reading->canonical_link);
    crawl_buf_free(&reading->frame_texts);
    crawl_preferences_free(reading->preferences);
    crawl_buf_free(&reading->statements);
    crawl_data_free(reading->data);
    crawl_tree_free(reading->tree);
    crawl_text_maker_free(reading->texts);
    cw_links_follow_close(&reading->follow);
    free(reading);
}

cw_visit_reading *cw_visit_reading_begin(cw_visit *visit, const crawl_response *response,
                                         void (*finish)(cw_visit_reading *reading))
{
    cw_visit_reading *reading = visit->maker->reading;
    reading->visit = visit;
    reading->response = response;
    reading->finish = finish;
    reading->next_list = CW_VISIT_LISTS;
    reading->follow.rest = (cw_links_list){0};
    reading->followed = (cw_links_followed){0};
    return reading;
}
