#include "tools/report/survey/survey.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/utf8.h"

#include <stdlib.h>

/* Makes the maps, with random seeds because strangers choose their keys. */
static bool survey_make_maps(cw_survey *survey)
{
    cw_map **const maps[] = {&survey->by_url,     &survey->by_canonical, &survey->by_invalid,
                             &survey->by_unasked, &survey->hosts,        &survey->texts,
                             &survey->sitemaps,   &survey->by_external,  &survey->by_external_canonical,
                             &survey->by_fragment};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        *maps[i] = cw_map_create((uintptr_t)survey + i);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (!*maps[i])
            return false;
    return true;
}

cw_survey *cw_survey_create(void)
{
    cw_survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return NULL;
    survey->url = crawl_url_create();
    cw_hash_secret_draw(&survey->of_ids);
    if (survey->url && survey_make_maps(survey))
        return survey;
    cw_survey_free(survey);
    return NULL;
}

static void free_sources(const cw_survey_list *pages)
{
    for (size_t i = 0; i < pages->count; i++) {
        free(pages->items[i]->ids);
        for (cw_survey_source *source = pages->items[i]->sources; source;) {
            cw_survey_source *next = source->next;
            free(source);
            source = next;
        }
    }
    free(pages->items);
}

void cw_survey_free(cw_survey *survey)
{
    if (!survey)
        return;
    free_sources(&survey->pages);
    free_sources(&survey->invalid);
    free_sources(&survey->unasked);
    free_sources(&survey->externals);
    free_sources(&survey->fragments);
    cw_map_free_values(survey->by_url);
    cw_map_free_values(survey->by_invalid);
    cw_map_free_values(survey->by_unasked);
    cw_map_free_values(survey->by_external);
    cw_map_free_values(survey->by_fragment);
    cw_map_free_values(survey->hosts);
    cw_map_free_values(survey->texts);
    cw_map_free(survey->by_canonical);
    cw_map_free(survey->by_external_canonical);
    cw_map_free(survey->sitemaps);
    crawl_url_free(survey->url);
    crawl_buf_free(&survey->canonical);
    crawl_buf_free(&survey->translations);
    crawl_buf_free(&survey->repaired);
    crawl_buf_free(&survey->decoded);
    crawl_buf_free(&survey->uses);
    cw_survey_coverage_free(&survey->coverage);
    free(survey);
}

/* ---- texts ---- */

typedef struct kept_text {
    size_t size;
    char text[];
} kept_text;

crawl_err cw_survey_keep(cw_survey *survey, crawl_slice *text, size_t most)
{
    if (!text->size)
        return CRAWL_OK;
    crawl_slice cut = cw_utf8_cut(*text, most);
    kept_text *kept = cw_map_get(survey->texts, cut);
    if (!kept) {
        kept = cw_map_make(survey->texts, cut, sizeof *kept, offsetof(kept_text, text));
        if (!kept)
            return CRAWL_ENOMEM;
        kept->size = cut.size;
    }
    *text = crawl_slice_of(kept->text, kept->size);
    return CRAWL_OK;
}

static crawl_err keep_texts(cw_survey *survey, cw_survey_record *record)
{
    crawl_slice *const texts[] = {&record->canonical, &record->method,  &record->title,       &record->type,
                                  &record->error,     &record->detail,  &record->digest,      &record->redirect,
                                  &record->parent,    &record->near_to, &record->names,       &record->no_alt_image,
                                  &record->wall,      &record->uses,    &record->translations};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !err; i++) {
        bool is_prose = texts[i] == &record->title || texts[i] == &record->detail;
        err = cw_survey_keep(survey, texts[i], is_prose ? CW_SURVEY_TEXT_MAX : CRAWL_URL_MAX_INPUT);
    }
    return err;
}

/* ---- hosts ---- */

crawl_slice cw_survey_host_of(crawl_slice url)
{
    const char *scheme = url.size ? memmem(url.data, url.size, "://", 3) : NULL;
    if (!scheme)
        return (crawl_slice){0};
    crawl_slice rest = cw_drop(url, (size_t)(scheme - url.data) + 3);
    return crawl_slice_of(rest.data, cw_find_any(rest, "/?#"));
}

cw_survey_host *cw_survey_host_at(cw_survey *survey, crawl_slice name)
{
    cw_survey_host *host = cw_map_get(survey->hosts, name);
    if (host || cw_map_count(survey->hosts) >= CW_SURVEY_HOSTS_MAX)
        return host;
    host = cw_map_make(survey->hosts, name, sizeof *host, offsetof(cw_survey_host, text));
    if (host)
        host->name = crawl_slice_of(host->text, name.size);
    return host;
}

/* ---- pages ---- */

static crawl_err survey_append(cw_survey_list *list, cw_survey_page *page)
{
    if (CW_ARRAY_RESERVE(list->items, list->capacity, list->count + 1, 64))
        return CRAWL_ENOMEM;
    list->items[list->count++] = page;
    return CRAWL_OK;
}

/* Makes a new page with this key, whose last url_size bytes are its URL. */
static cw_survey_page *make_page(cw_survey_list *list, cw_map *map, crawl_slice key, size_t url_size)
{
    cw_survey_page *page = cw_map_make(map, key, sizeof *page, offsetof(cw_survey_page, text));
    if (!page)
        return NULL;
    page->says.url = crawl_slice_of(page->text + key.size - url_size, url_size);
    if (!survey_append(list, page))
        return page;
    free(cw_map_remove(map, key));
    return NULL;
}

/* The key of a request: a GET, and what was checked, is found by its URL alone, since that is what links lead to. */
static crawl_err survey_key_of(cw_survey *survey, const cw_survey_record *record, crawl_slice *key)
{
    *key = record->url;
    if (!record->method.size || cw_is(record->method, "GET") || record->is_external)
        return CRAWL_OK;
    crawl_buf_clear(&survey->canonical);
    crawl_err err = crawl_buf_append(&survey->canonical, record->method.data, record->method.size);
    if (!err)
        err = crawl_buf_append_char(&survey->canonical, ' ');
    if (!err)
        err = crawl_buf_append(&survey->canonical, record->url.data, record->url.size);
    *key = crawl_buf_slice(&survey->canonical);
    return err;
}

/* ---- ids ---- */

static uint64_t survey_hash_of(const cw_survey *survey, crawl_slice id)
{
    return cw_keyed_hash_of(&survey->of_ids, id).low;
}

static int survey_by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static size_t count_ids(const cw_survey_record *record)
{
    size_t count = 0;
    cw_json_value id;
    crawl_slice rest = record->ids ? record->ids->bytes : (crawl_slice){0};
    while (cw_json_next_element(&rest, &id))
        count++;
    return count;
}

/* A page without ids has room for one, so that it is known to have none. */
static crawl_err fill_ids(cw_survey *survey, cw_survey_page *page, const cw_survey_record *record, size_t count)
{
    cw_json_value id;
    crawl_slice rest = record->ids->bytes;
    page->ids = malloc((count + 1) * sizeof *page->ids);
    if (!page->ids)
        return CRAWL_ENOMEM;
    while (page->id_count < count && cw_json_next_element(&rest, &id))
        page->ids[page->id_count++] = survey_hash_of(survey, cw_json_text(&id, &survey->decoded));
    qsort(page->ids, page->id_count, sizeof *page->ids, survey_by_value);
    survey->ids += page->id_count;
    return CRAWL_OK;
}

/* Keeps the ids of a record in place of those of an earlier one. They stay if the page was not read again because it
 * has not changed. */
static crawl_err survey_take_ids(cw_survey *survey, cw_survey_page *page, const cw_survey_record *record)
{
    page->says.ids = NULL;
    if (record->is_unchanged && !record->ids)
        return CRAWL_OK;
    survey->has_ids |= record->ids != NULL;
    survey->ids -= page->id_count;
    free(page->ids);
    page->ids = NULL;
    page->id_count = 0;
    size_t count = count_ids(record);
    bool is_known = record->ids && !record->ids_cut;
    return is_known && survey->ids + count <= CW_SURVEY_IDS_MAX ? fill_ids(survey, page, record, count) : CRAWL_OK;
}

bool cw_survey_has_id(const cw_survey *survey, const cw_survey_page *page, crawl_slice id)
{
    uint64_t hash = survey_hash_of(survey, id);
    return bsearch(&hash, page->ids, page->id_count, sizeof hash, survey_by_value);
}

/* ---- records ---- */

static crawl_err survey_fill(cw_survey *survey, cw_survey_page *page, const cw_survey_record *record)
{
    cw_survey_record says = *record;
    says.url = page->says.url;
    crawl_err err = keep_texts(survey, &says);
    if (err)
        return err;
    page->says = says;
    err = survey_take_ids(survey, page, record);
    if (err)
        return err;
    cw_map *map = says.is_external ? survey->by_external_canonical : survey->by_canonical;
    if (says.canonical.size && !crawl_slice_equal(says.canonical, says.url))
        err = cw_map_put(map, says.canonical, page);
    return err == CRAWL_EXISTS ? CRAWL_OK : err;
}

static void note_times(cw_survey *survey, const cw_survey_record *record)
{
    survey->records++;
    survey->has_near |= record->near_to.size || record->has_text_hash;
    survey->has_data |= record->has_data;
    if (record->when && (!survey->first || record->when < survey->first))
        survey->first = record->when;
    if (record->when > survey->last)
        survey->last = record->when;
}

static crawl_err survey_add_page(cw_survey *survey, crawl_slice key, const cw_survey_record *record)
{
    cw_survey_list *list = record->is_external ? &survey->externals : &survey->pages;
    if (list->count >= CW_SURVEY_PAGES_MAX) {
        survey->left_out++;
        return CRAWL_OK;
    }
    cw_map *map = record->is_external ? survey->by_external : survey->by_url;
    cw_survey_page *page = make_page(list, map, key, record->url.size);
    if (!page)
        return CRAWL_ENOMEM;
    page->host = cw_survey_host_at(survey, cw_survey_host_of(record->url));
    if (page->host && !record->is_external)
        page->host->pages++;
    return survey_fill(survey, page, record);
}

crawl_err cw_survey_add(cw_survey *survey, const cw_survey_record *record)
{
    crawl_slice key;
    crawl_err err = survey_key_of(survey, record, &key);
    if (err)
        return err;
    note_times(survey, record);
    cw_survey_page *page = cw_map_get(record->is_external ? survey->by_external : survey->by_url, key);
    if (!page)
        return survey_add_page(survey, key, record);
    bool is_older = record->when < page->says.when;
    bool says_nothing_new = record->status == 304 && page->says.status;
    return is_older || says_nothing_new ? CRAWL_OK : survey_fill(survey, page, record);
}

static cw_survey_page *survey_find(cw_survey *survey, const cw_map *by_url, const cw_map *by_canonical, crawl_slice url)
{
    crawl_slice plain = crawl_slice_of(url.data, cw_find_char(url, '#'));
    cw_survey_page *page = cw_map_get(by_url, plain);
    if (page || !cw_map_count(by_canonical))
        return page;
    crawl_buf_clear(&survey->canonical);
    if (crawl_url_parse(survey->url, plain, NULL, NULL) || crawl_url_canonical(survey->url, &survey->canonical))
        return NULL;
    page = cw_map_get(by_url, crawl_buf_slice(&survey->canonical));
    return page ? page : cw_map_get(by_canonical, crawl_buf_slice(&survey->canonical));
}

cw_survey_page *cw_survey_find(cw_survey *survey, crawl_slice url)
{
    return survey_find(survey, survey->by_url, survey->by_canonical, url);
}

cw_survey_page *cw_survey_find_external(cw_survey *survey, crawl_slice url)
{
    return survey_find(survey, survey->by_external, survey->by_external_canonical, url);
}

/* ---- what leads to pages ---- */

crawl_err cw_survey_add_source(cw_survey *survey, cw_survey_page *page, const cw_survey_link *link)
{
    page->source_count++;
    if (page->source_count > CW_SURVEY_SOURCES_OF_PAGE || survey->sources >= CW_SURVEY_SOURCES_MAX)
        return CRAWL_OK;
    cw_survey_source *source = calloc(1, sizeof *source);
    if (!source)
        return CRAWL_ENOMEM;
    *(page->last_source ? &page->last_source->next : &page->sources) = source;
    page->last_source = source;
    survey->sources++;
    *source = (cw_survey_source){.from = link->from, .text = link->text, .tag = link->tag};
    crawl_err err = cw_survey_keep(survey, &source->from, CRAWL_URL_MAX_INPUT);
    if (!err)
        err = cw_survey_keep(survey, &source->text, CW_SURVEY_TEXT_MAX);
    return err ? err : cw_survey_keep(survey, &source->tag, CW_SURVEY_TEXT_MAX);
}

crawl_err cw_survey_add_other(cw_survey_list *list, cw_map *map, crawl_slice text, cw_survey_page **out)
{
    *out = cw_map_get(map, text);
    if (*out || list->count >= CW_SURVEY_PAGES_MAX)
        return CRAWL_OK;
    *out = make_page(list, map, text, text.size);
    return *out ? CRAWL_OK : CRAWL_ENOMEM;
}
