#include "crawler/engine/visit/answer/documents.h"

#include "base/array.h"
#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/redirect.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/visit/again/revisits.h"
#include "crawler/engine/visit/answer/claim.h"
#include "crawler/engine/visit/answer/dedupe.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/probing.h"
#include "crawler/engine/visit/answer/walls.h"

#include <crawl/simhash.h>
#include <stdlib.h>

/* The most links taken from the headers of one answer, in case an answer consists of them. Real answers have a few
 * dozen. */
enum { MAX_HEADER_LINKS = 1000 };

/* The kind of a link that belongs to another document: parse.follow has no name for it. */
#define NO_KIND ((crawl_link_kind)0)

/* --- links of headers --- */

typedef struct header_links {
    crawl_link *links;
    size_t count;
    size_t capacity;
} header_links;

static crawl_err documents_keep(header_links *all, const crawl_link *link)
{
    if (CW_ARRAY_RESERVE(all->links, all->capacity, all->count + 1, 16))
        return CRAWL_ENOMEM;
    all->links[all->count++] = *link;
    return CRAWL_OK;
}

static crawl_err keep_link_headers(header_links *all, const crawl_response *response)
{
    crawl_err err = CRAWL_OK;
    crawl_slice value;
    for (size_t at = 0; !err && cw_visit_headers_next(response, "Link", &at, &value);) {
        crawl_header_link found;
        while (!err && all->count < MAX_HEADER_LINKS && crawl_link_header_next(&value, &found)) {
            crawl_link link = {
                .href = found.href,
                .rel = found.rel,
                .type = found.type,
                .tag = "header",
                .attr = "link",
                .kind = cw_visit_headers_is_of_this_document(&found) ? CRAWL_LINK_LINK : NO_KIND,
                .nofollow = cw_links_rel_has(found.rel, "nofollow"),
            };
            err = documents_keep(all, &link);
        }
    }
    return err;
}

/* Reads a Refresh header like <meta http-equiv=refresh>: its URL counts, its delay does not. */
static crawl_err keep_refresh_header(header_links *all, const crawl_response *response)
{
    double delay;
    crawl_link link = {.tag = "header", .attr = "refresh", .kind = CRAWL_LINK_REFRESH};
    crawl_slice value = crawl_response_header(response, "Refresh");
    bool is_there = value.data && !crawl_refresh_header(value, &delay, &link.href);
    return is_there && link.href.size ? documents_keep(all, &link) : CRAWL_OK;
}

/* Returns the links of the answer's headers; NULL: none. */
static crawl_link *links_of_headers(cw_visit_reading *reading, size_t *count)
{
    header_links all = {0};
    crawl_err err = keep_link_headers(&all, reading->response);
    if (!err)
        err = keep_refresh_header(&all, reading->response);
    if (err)
        cw_engine_fail(cw_visit_engine(reading->visit), err, "no memory for the links of headers");
    *count = all.count;
    return all.links;
}

/* --- pages like earlier ones --- */

/* Puts the SimHash of the page's text into the record. NULL: there is too little text to compare. */
static const uint64_t *hash_text(crawl_record *record, const crawl_page *page)
{
    size_t shingles = crawl_simhash_text(crawl_page_text(page), &record->simhash);
    record->has_simhash = shingles > 0;
    return shingles >= CW_VISIT_DEDUPE_MIN_SHINGLES ? &record->simhash : NULL;
}

/* A rendered page is compared as rendered: all pages of a site that are made by scripts may have the same body. */
static const crawl_fingerprint *documents_digest(const crawl_record *record)
{
    return record->render && record->render->has_digest ? &record->render->digest : &record->digest;
}

static bool is_compared(const crawl_engine *engine, const crawl_record *record)
{
    return engine->dedupe && record->has_digest && record->body.size > 0;
}

cw_visit_original *cw_visit_document_original(const crawl_engine *engine, const crawl_record *record)
{
    return is_compared(engine, record) ? cw_visit_dedupe_original(engine->dedupe, record->url, documents_digest(record))
                                       : NULL;
}

/* Fills the record with the earlier page that this one equals or is near, by the digest of its body and by page (NULL:
 * not parsed). */
static void documents_compare(const cw_visit *visit, crawl_record *record, const crawl_page *page)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!is_compared(engine, record))
        return;
    if (engine->claims) {
        record->duplicate_of = cw_visit_claim_first(visit->claim);
        cw_engine_count(&engine->counters.duplicates, record->duplicate_of.size != 0);
        return;
    }
    bool near = page && engine->config->dedupe == CRAWL_DEDUPE_NEAR;
    const uint64_t *simhash = near ? hash_text(record, page) : NULL;
    cw_visit_dedupe_answer answer;
    crawl_err err = cw_visit_dedupe_ask(engine->dedupe, record->url, documents_digest(record), simhash, &answer);
    if (err) {
        cw_engine_fail(engine, err, "no memory for the digests of pages");
        return;
    }
    record->duplicate_of = answer.duplicate_of;
    record->near_duplicate_of = answer.near_duplicate_of;
    record->distance = answer.near_duplicate_of.size ? answer.distance : 0;
    cw_engine_count(&engine->counters.duplicates, answer.duplicate_of.size != 0);
    cw_engine_count(&engine->counters.near_duplicates, answer.near_duplicate_of.size != 0);
}

/* --- documents --- */

static bool is_duplicate(const crawl_record *record)
{
    return record->duplicate_of.size || record->near_duplicate_of.size;
}

/* Returns true if the answer can have parts (link_kinds.h): a page, a document in a frame, a style sheet. */
static bool has_parts(const cw_visit *visit, crawl_document document)
{
    uint32_t tag = visit->lease.tag;
    return !cw_links_requisites_is_part(tag) || cw_links_requisites_is_frame(tag) || document == CRAWL_DOCUMENT_CSS;
}

/* Returns the verdict on all links of the answer; NEW: none. The links of a part do not lead deeper. */
static crawl_edge_verdict documents_judge(const cw_visit *visit, const crawl_record *record, crawl_document document)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    if (visit->wall.verdict == CRAWL_VERDICT_PARKED || visit->wall.verdict == CRAWL_VERDICT_SOFT_404)
        return CRAWL_EDGE_REFUSED;
    if (!config->follow_duplicates && is_duplicate(record))
        return CRAWL_EDGE_DUPLICATE;
    if (cw_links_requisites_is_part(visit->lease.tag))
        return has_parts(visit, document) ? CRAWL_EDGE_DEPTH : CRAWL_EDGE_ELEMENT;
    if (config->obey_nofollow && (record->robots & CRAWL_ROBOTS_NOFOLLOW))
        return CRAWL_EDGE_NOFOLLOW;
    return visit->lease.depth >= config->depth ? CRAWL_EDGE_DEPTH : CRAWL_EDGE_NEW;
}

/* Returns true if the page being read is not the answer's own. */
static bool documents_is_made(const cw_visit_reading *reading)
{
    return reading->is_rendered || reading->is_preprocessed;
}

static const char *documents_charset(const cw_visit_reading *reading)
{
    return documents_is_made(reading) ? "utf-8" : crawl_charset_of_content_type(reading->record.content_type_header);
}

/* Parses the page and puts its text into the record, in the configured form, in one pass over the page. */
static crawl_err read_with_text(cw_visit_reading *reading, crawl_document document)
{
    crawl_record *record = &reading->record;
    crawl_record_text wanted = cw_visit_engine(reading->visit)->config->text;
    bool is_markdown = wanted == CRAWL_RECORD_TEXT_MARKDOWN || wanted == CRAWL_RECORD_TEXT_ALL_MARKDOWN;
    const crawl_text_options options = {
        .size = sizeof options,
        .form = is_markdown ? CRAWL_TEXT_FORM_MARKDOWN : CRAWL_TEXT_FORM_PLAIN,
        .all = wanted == CRAWL_RECORD_TEXT_ALL || wanted == CRAWL_RECORD_TEXT_ALL_MARKDOWN,
        .document = document,
        .url = cw_visit_rendered_url(reading),
        .charset = documents_charset(reading),
    };
    crawl_err err = crawl_text_make_with_links(reading->texts, reading->body, &options, reading->page, &record->text);
    record->text_cut = !err && crawl_text_is_cut(reading->texts);
    return err || !reading->is_rendered ? err : cw_visit_rendered_add_texts(reading, &options);
}

/* Returns true if somebody gets the text and data of the page. */
static bool documents_has_reader(const cw_visit_reading *reading)
{
    const crawl_record *record = &reading->record;
    return !record->withheld && (!record->left_out || cw_visit_engine(reading->visit)->hooks.contents);
}

static crawl_err documents_read_page(cw_visit_reading *reading, crawl_document document)
{
    if (reading->texts && cw_visit_document_is_page(document) && documents_has_reader(reading))
        return read_with_text(reading, document);
    return crawl_page_parse_as(reading->page, document, reading->body, cw_visit_rendered_url(reading),
                               documents_charset(reading));
}

/* Returns true for a page that its server calls plain text, or a file to download. */
static bool documents_is_mistyped(const cw_visit_reading *reading)
{
    crawl_slice start = reading->body;
    cw_take_text(&start, "\xef\xbb\xbf");
    start = cw_trim_start(start);
    return reading->record.status / 100 == 2 &&
           (cw_starts_nocase(start, "<!doctype html") || cw_starts_nocase(start, "<html"));
}

/* Parses the document, and puts its content into the record. NULL: its kind has no wanted links, or out of memory. */
static const crawl_page *documents_parse(cw_visit_reading *reading, crawl_document document)
{
    crawl_engine *engine = cw_visit_engine(reading->visit);
    crawl_page *page = reading->page;
    crawl_record *record = &reading->record;
    if (document == CRAWL_DOCUMENT_OTHER)
        cw_engine_count(&engine->counters.mistyped, documents_is_mistyped(reading));
    if (document == CRAWL_DOCUMENT_OTHER || document == CRAWL_DOCUMENT_SITEMAP)
        return NULL;
    if (document == CRAWL_DOCUMENT_SCRIPT && !(engine->config->follow & CRAWL_LINK_SCRIPTS))
        return NULL;
    bool is_read_for_parts = document == CRAWL_DOCUMENT_CSS || document == CRAWL_DOCUMENT_SVG;
    if ((is_read_for_parts && !engine->config->requisites) || !has_parts(reading->visit, document))
        return NULL;
    if (documents_read_page(reading, document)) {
        cw_engine_fail(engine, CRAWL_ENOMEM, "no memory for a page");
        return NULL;
    }
    if (!reading->is_preprocessed)
        record->charset = reading->is_rendered ? reading->visit->rendered->charset : crawl_page_charset(page);
    record->title = crawl_page_title(page);
    record->robots |= crawl_page_robots(page);
    record->links_cut = crawl_page_links_cut(page);
    record->has_ids =
        engine->config->check_fragments && cw_visit_document_is_page(document) && !reading->is_preprocessed;
    if (record->has_ids)
        record->ids = crawl_page_ids(page, &record->ids_cut);
    cw_engine_count(&engine->counters.links_cut, record->links_cut);
    cw_engine_count(&engine->counters.scripted, cw_visit_document_is_page(document) && crawl_page_is_scripted(page));
    return page;
}

/* Takes the canonical URL named by the page, or else by a header of its answer. Only http and https count: programs
 * that make pages to be read from a disk write file: there. */
static void take_canonical_link(cw_visit_reading *reading, const crawl_page *page)
{
    const cw_visit *visit = reading->visit;
    crawl_url *url = visit->maker->judge.url;
    crawl_slice href = page ? crawl_page_canonical(page) : (crawl_slice){0};
    crawl_err err = CRAWL_ABSENT;
    if (href.size)
        err = crawl_url_parse(url, href, crawl_page_base(page), crawl_page_charset(page));
    else if (cw_visit_headers_canonical(reading->response, &href))
        err = crawl_url_parse(url, href, visit->url, NULL);
    crawl_buf_clear(&reading->canonical_link);
    if (!err && crawl_url_is_http(url)) {
        crawl_slice canonical = crawl_url_request(url);
        err = crawl_buf_append(&reading->canonical_link, canonical.data, canonical.size);
    }
    if (err == CRAWL_ENOMEM)
        cw_engine_fail(cw_visit_engine(visit), err, "no memory for the canonical link of a page");
    reading->record.canonical_link = crawl_buf_slice(&reading->canonical_link);
}

/* Clears the record's content if the page says that it does not exist. False: the page does exist. */
static bool documents_drop_missing(cw_visit_reading *reading, const crawl_page *page)
{
    cw_visit *visit = reading->visit;
    crawl_record *record = &reading->record;
    if (page && !cw_links_requisites_is_part(visit->lease.tag))
        cw_visit_walls_judge_title(visit, reading->response, crawl_page_title(page));
    if (page)
        cw_visit_probing_judge(visit, page);
    if (visit->wall.verdict != CRAWL_VERDICT_SOFT_404)
        return false;
    record->body = record->text = (crawl_slice){0};
    record->has_digest = record->has_ids = record->text_cut = false;
    cw_visit_revisits_missing(visit, record);
    return true;
}

/* Puts the values that rules extract from the page into the record. */
static void documents_extract(cw_visit_reading *reading, const crawl_page *page)
{
    crawl_record *record = &reading->record;
    const crawl_extract_page of = {
        .size = sizeof of,
        .url = record->url,
        .base = crawl_page_base(page),
        .tree = reading->tree,
    };
    if (crawl_extraction_run(reading->extraction, &of)) {
        cw_engine_fail(cw_visit_engine(reading->visit), CRAWL_ENOMEM, "no memory for the values of a page");
        return;
    }
    record->fields = crawl_extraction_json(reading->extraction);
    record->missing = crawl_extraction_missing(reading->extraction);
}

/* Puts the page's data about itself into the record. */
static void read_data(cw_visit_reading *reading, const crawl_page *page)
{
    const cw_visit *visit = reading->visit;
    crawl_data_set_canonical(reading->data, reading->record.canonical_link);
    if (cw_visit_headers_add_translations(reading->response, visit->url, visit->maker->judge.url, reading->page) ||
        crawl_data_read(reading->data, page, reading->tree, &reading->record.data))
        cw_engine_fail(cw_visit_engine(reading->visit), CRAWL_ENOMEM, "no memory for the data of a page");
}

/* Fills the content of the record besides its links. Feeds and style sheets have none. */
static void documents_take_content(cw_visit_reading *reading, crawl_document document, const crawl_page *page)
{
    if (!cw_visit_document_is_page(document) || reading->record.withheld)
        return;
    if (reading->tree)
        crawl_tree_set(reading->tree, reading->body, crawl_page_charset(page));
    if (reading->extraction)
        documents_extract(reading, page);
    if (reading->data && documents_has_reader(reading))
        read_data(reading, page);
    if (reading->tree)
        crawl_tree_set(reading->tree, (crawl_slice){0}, NULL); /* frees its memory before links are followed */
}

bool cw_visit_document_show(crawl_engine *engine, const crawl_response *response, const crawl_record *record,
                            const crawl_page *page)
{
    if (!engine->hooks.on_response)
        return true;
    crawl_err err = engine->hooks.on_response(engine->hooks.user, engine, record, response, page);
    if (err && err != CRAWL_REFUSED)
        cw_engine_fail(engine, err, "");
    return err == CRAWL_OK;
}

/* --- following links --- */

/* Puts guesses behind the other links of a page, so that a link to the same URL is not taken for a repeated guess. */
static const crawl_link *put_guesses_last(cw_visit_reading *reading, const crawl_link *links, size_t count)
{
    size_t guesses = 0;
    for (size_t i = 0; i < count; i++)
        guesses += cw_links_guesses_has(&links[i]);
    if (!guesses)
        return links;
    reading->page_links = calloc(count, sizeof *links);
    if (!reading->page_links) {
        cw_engine_fail(cw_visit_engine(reading->visit), CRAWL_ENOMEM, "no memory for the links of a page");
        return links;
    }
    for (size_t i = 0, at = 0, guess_at = count - guesses; i < count; i++)
        reading->page_links[cw_links_guesses_has(&links[i]) ? guess_at++ : at++] = links[i];
    return reading->page_links;
}

/* Lists the links of the headers and those of the page separately, since a page may name another base for its relative
 * links. page NULL: there is no page. */
static void list_links(cw_visit_reading *reading, const crawl_page *page)
{
    cw_links_list *of_headers = &reading->lists[0];
    cw_links_list *of_page = &reading->lists[1];
    *of_headers = (cw_links_list){.base = reading->visit->url, .base_is_http = true};
    reading->header_links = links_of_headers(reading, &of_headers->count);
    of_headers->links = reading->header_links;
    *of_page = (cw_links_list){0};
    if (page) {
        *of_page = (cw_links_list){.base = crawl_page_base(page), .charset = crawl_page_charset(page)};
        of_page->base_is_http = crawl_url_is_http(of_page->base);
        of_page->links = crawl_page_links(page, &of_page->count);
        of_page->links = put_guesses_last(reading, of_page->links, of_page->count);
    }
    cw_visit_rendered_list(reading, &reading->lists[2]);
    reading->next_list = 0;
}

static void begin_next_list(cw_visit_reading *reading)
{
    const cw_links_source source = cw_visit_source(reading->visit);
    const cw_links_list *list = &reading->lists[reading->next_list++];
    cw_links_follow_begin(&reading->follow, &source, list, reading->closed, &reading->followed);
}

bool cw_visit_document_is_itself(const cw_visit *visit, crawl_slice href, const crawl_url *base, const char *charset)
{
    crawl_url *url = visit->maker->judge.url;
    return !href.size ||
           (!crawl_url_parse(url, href, base, charset) && crawl_slice_equal(crawl_url_request(url), visit->lease.url));
}

/* Returns true if the answer refreshes to its own URL, and soon: after minutes, it does so for readers. page NULL:
 * there is none. */
static bool refreshes_to_itself(const cw_visit_reading *reading, const crawl_page *page)
{
    enum { SOON_S = 10 };
    double delay;
    crawl_slice href;
    crawl_slice header = crawl_response_header(reading->response, "Refresh");
    bool of_header = header.data && !crawl_refresh_header(header, &delay, &href);
    if (!of_header && !(page && crawl_page_refresh(page, &delay, &href)))
        return false;
    const crawl_url *base = of_header ? reading->visit->url : crawl_page_base(page);
    const char *charset = of_header ? NULL : crawl_page_charset(page);
    return delay <= SOON_S && cw_visit_document_is_itself(reading->visit, href, base, charset);
}

/* Asks for the page again if it sets a cookie and refreshes to itself: it shows its content to clients with the
 * cookie. */
static void documents_come_back(const cw_visit_reading *reading, const crawl_page *page)
{
    const cw_links_source source = cw_visit_source(reading->visit);
    if (cw_visit_engine(reading->visit)->jar && crawl_response_header(reading->response, "Set-Cookie").data &&
        refreshes_to_itself(reading, page))
        cw_links_redirect_to_itself(&reading->visit->maker->batch, &source);
}

void cw_visit_document_read_sitemap(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    const crawl_response *response = reading->response;
    const cw_links_source source = cw_visit_source(visit);
    cw_links_sitemaps_begin(&reading->sitemap, &visit->maker->batch, &source, response->body, response->body_cut,
                            &reading->followed);
}

void cw_visit_document_read(cw_visit_reading *reading)
{
    crawl_engine *engine = cw_visit_engine(reading->visit);
    const crawl_response *response = reading->response;
    crawl_record *record = &reading->record;
    crawl_document document =
        documents_is_made(reading) ? CRAWL_DOCUMENT_HTML : crawl_document_of(record->content_type, response->body);
    record->robots = cw_visit_headers_robots(response, engine->config->robots_agent);
    const crawl_page *page = documents_parse(reading, document);
    cw_visit_statements_read(reading, page);
    take_canonical_link(reading, page);
    bool may_be_missing = cw_visit_document_is_page(document) && !reading->is_preprocessed;
    bool is_missing = documents_drop_missing(reading, may_be_missing ? page : NULL);
    if (page && !is_missing)
        documents_take_content(reading, document, page);
    documents_come_back(reading, page);
    documents_compare(reading->visit, record, page);
    cw_visit_revisits_compare_text(reading->visit, record);
    bool wanted = cw_visit_document_show(engine, response, record, page);
    reading->closed = wanted ? documents_judge(reading->visit, record, document) : CRAWL_EDGE_REFUSED;
    list_links(reading, page);
    if (document == CRAWL_DOCUMENT_SITEMAP && engine->config->sitemaps && reading->closed == CRAWL_EDGE_NEW)
        cw_visit_document_read_sitemap(reading);
}

bool cw_visit_document_go_on(cw_visit_reading *reading)
{
    cw_links_judge_begin_slice(&reading->visit->maker->judge);
    bool all = cw_links_follow_go_on(&reading->follow);
    while (all && reading->next_list < CW_VISIT_LISTS) {
        begin_next_list(reading);
        all = cw_links_follow_go_on(&reading->follow);
    }
    if (!all || !cw_links_sitemaps_go_on(&reading->sitemap))
        return false;
    reading->visit->has_suspect = reading->sitemap.sitemap != NULL;
    reading->visit->suspect = reading->sitemap.suspect;
    reading->visit->is_feed = reading->visit->has_suspect && reading->sitemap.is_feed;
    cw_visit_document_stop(reading);
    reading->record.links += reading->followed.links;
    reading->record.fresh += reading->followed.fresh; /* in addition to a redirect */
    return true;
}

void cw_visit_document_stop(cw_visit_reading *reading)
{
    free(reading->header_links);
    free(reading->page_links);
    reading->header_links = reading->page_links = NULL;
    cw_visit_rendered_stop(reading);
    cw_links_sitemaps_stop(&reading->sitemap);
}
