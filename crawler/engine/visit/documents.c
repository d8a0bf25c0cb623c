/* See documents.h. */
#include "crawler/engine/visit/documents.h"

#include "base/bytes.h"
#include "crawler/engine/links/rel.h"
#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/visit/dedupe.h"
#include "crawler/engine/visit/revisits.h"

#include <crawl/simhash.h>
#include <stdlib.h>

/* Links taken of the headers of one answer, against an answer made of them; real ones have a few dozen at most. */
enum { MAX_HEADER_LINKS = 1000 };

/* The kind of a link that belongs to another document: parse.follow names none of this kind. */
#define NO_KIND ((crawl_link_kind)0)

/* The next header of that name, from *at on; false: there is none left. */
static bool next_header(const crawl_response *response, const char *name, size_t *at, crawl_slice *value)
{
    while (*at < response->header_count) {
        const crawl_header *header = &response->headers[(*at)++];
        if (cw_equal_nocase(header->name, crawl_slice_from(name))) {
            *value = header->value;
            return true;
        }
    }
    return false;
}

/* The directives for robots that X-Robots-Tag gives to our agent. */
static unsigned robots_of(const crawl_response *response, const char *agent)
{
    unsigned flags = 0;
    crawl_slice value;
    for (size_t at = 0; next_header(response, "X-Robots-Tag", &at, &value);)
        flags |= crawl_robots_tag(value, agent);
    return flags;
}

/* --- links of headers --- */

/* A link that has another document than this one for its origin is not ours to follow (RFC 8288, 3.2). */
static bool is_of_this_document(const crawl_header_link *found)
{
    return found->anchor.size == 0 || found->anchor.data[0] == '#';
}

typedef struct header_links {
    crawl_link *links;
    size_t count;
    size_t capacity;
} header_links;

static crawl_err keep(header_links *all, const crawl_link *link)
{
    enum { FIRST = 16 };
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? all->capacity * 2 : FIRST;
        crawl_link *links = realloc(all->links, capacity * sizeof *links);
        if (!links)
            return CRAWL_ENOMEM;
        all->links = links;
        all->capacity = capacity;
    }
    all->links[all->count++] = *link;
    return CRAWL_OK;
}

static crawl_err keep_link_headers(header_links *all, const crawl_response *response)
{
    crawl_err err = CRAWL_OK;
    crawl_slice value;
    for (size_t at = 0; !err && next_header(response, "Link", &at, &value);) {
        crawl_header_link found;
        while (!err && all->count < MAX_HEADER_LINKS && crawl_link_header_next(&value, &found)) {
            crawl_link link = {
                .href = found.href,
                .rel = found.rel,
                .tag = "header",
                .attr = "link",
                .kind = is_of_this_document(&found) ? CRAWL_LINK_LINK : NO_KIND,
                .nofollow = cw_links_rel_has(found.rel, "nofollow"),
            };
            err = keep(all, &link);
        }
    }
    return err;
}

/* As <meta http-equiv=refresh>: where to counts, when does not. */
static crawl_err keep_refresh_header(header_links *all, const crawl_response *response)
{
    double delay;
    crawl_link link = {.tag = "header", .attr = "refresh", .kind = CRAWL_LINK_REFRESH};
    crawl_slice value = crawl_response_header(response, "Refresh");
    return !value.data || crawl_refresh_header(value, &delay, &link.href) ? CRAWL_OK : keep(all, &link);
}

static cw_links_followed follow_headers(cw_visit *visit, const crawl_response *response, crawl_edge_verdict closed)
{
    header_links all = {0};
    const cw_links_source source = cw_visit_source(visit);
    crawl_err err = keep_link_headers(&all, response);
    if (!err)
        err = keep_refresh_header(&all, response);
    if (err)
        cw_engine_fail(cw_visit_engine(visit), err, "no memory for the links of headers");
    const cw_links_list list = {.links = all.links, .count = all.count, .base = visit->url, .base_is_http = true};
    cw_links_followed followed = cw_links_follow_all(&visit->maker->follow, &source, &list, closed);
    free(all.links);
    return followed;
}

/* --- pages like one before --- */

/* The hash of a page with too little text is told, but not compared. */
static const uint64_t *hash_text(crawl_record *record, const crawl_page *page)
{
    size_t shingles = crawl_simhash_text(crawl_page_text(page), &record->simhash);
    record->has_simhash = shingles > 0;
    return shingles >= CW_VISIT_DEDUPE_MIN_SHINGLES ? &record->simhash : NULL;
}

static bool is_compared(const crawl_engine *engine, const crawl_record *record)
{
    return engine->dedupe && record->has_digest && record->body.size > 0;
}

crawl_err cw_visit_document_settle(const crawl_engine *engine, const crawl_record *record)
{
    return is_compared(engine, record) ? cw_visit_dedupe_settle(engine->dedupe, record->url, &record->digest)
                                       : CRAWL_OK;
}

/* Fills what the record says of pages like this one, by its digest and by page (NULL: of no kind that is parsed). */
static void compare(crawl_engine *engine, crawl_record *record, const crawl_page *page)
{
    if (!is_compared(engine, record))
        return;
    bool near = page && engine->config->dedupe == CRAWL_DEDUPE_NEAR;
    const uint64_t *simhash = near ? hash_text(record, page) : NULL;
    cw_visit_dedupe_answer answer;
    crawl_err err = cw_visit_dedupe_ask(engine->dedupe, record->url, &record->digest, simhash, &answer);
    if (err) {
        cw_engine_fail(engine, err, "no memory for what pages were like");
        return;
    }
    record->duplicate_of = answer.duplicate_of;
    record->near_duplicate_of = answer.near_duplicate_of;
    record->distance = answer.near_duplicate_of.size ? answer.distance : 0;
    cw_engine_count(&engine->counters.duplicates, answer.duplicate_of.size != 0);
    cw_engine_count(&engine->counters.near_duplicates, answer.near_duplicate_of.size != 0);
}

/* --- documents --- */

static cw_links_followed follow_page(cw_visit *visit, const crawl_page *page, crawl_edge_verdict closed)
{
    const cw_links_source source = cw_visit_source(visit);
    cw_links_list list = {.base = crawl_page_base(page), .charset = crawl_page_charset(page)};
    list.base_is_http = crawl_url_is_http(list.base);
    list.links = crawl_page_links(page, &list.count);
    return cw_links_follow_all(&visit->maker->follow, &source, &list, closed);
}

static cw_links_followed follow_sitemap(cw_visit *visit, crawl_slice body)
{
    const cw_links_source source = cw_visit_source(visit);
    return cw_links_sitemaps_read(&visit->maker->batch, &source, body, false);
}

static void add_up(cw_links_followed *sum, cw_links_followed more)
{
    sum->links += more.links;
    sum->fresh += more.fresh;
    sum->is_cut |= more.is_cut;
}

static bool is_duplicate(const crawl_record *record)
{
    return record->duplicate_of.size || record->near_duplicate_of.size;
}

/* The verdict that holds against all links of the answer; NEW: none does. */
static crawl_edge_verdict judge(const cw_visit *visit, const crawl_record *record)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    if (!config->follow_duplicates && is_duplicate(record))
        return CRAWL_EDGE_DUPLICATE;
    if (config->obey_nofollow && (record->robots & CRAWL_ROBOTS_NOFOLLOW))
        return CRAWL_EDGE_NOFOLLOW;
    return visit->lease.depth >= config->depth ? CRAWL_EDGE_DEPTH : CRAWL_EDGE_NEW;
}

/* The parsed page, and what it says in the record; NULL: it is of a kind that has no links, or there is no memory. */
static const crawl_page *parse(cw_visit *visit, crawl_document document, const crawl_response *response,
                               crawl_record *record)
{
    crawl_page *page = visit->maker->page;
    if (document == CRAWL_DOCUMENT_OTHER || document == CRAWL_DOCUMENT_SITEMAP)
        return NULL;
    if (crawl_page_parse_as(page, document, response->body, visit->url, record->charset)) {
        cw_engine_fail(cw_visit_engine(visit), CRAWL_ENOMEM, "no memory for a page");
        return NULL;
    }
    record->charset = crawl_page_charset(page);
    record->title = crawl_page_title(page);
    record->robots |= crawl_page_robots(page);
    record->links_cut = crawl_page_links_cut(page);
    cw_engine_count(&cw_visit_engine(visit)->counters.links_cut, record->links_cut);
    return page;
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

/* The links of its headers and those of its page are followed in two lists: a relative link of a header is another than
 * that of a page which says what its base is. */
cw_links_followed cw_visit_document_read(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice content_type = crawl_response_header(response, "Content-Type");
    crawl_document document = crawl_document_of(content_type, response->body);
    record->robots = robots_of(response, engine->config->robots_agent);
    const crawl_page *page = parse(visit, document, response, record);
    compare(engine, record, page);
    cw_visit_revisits_compare_text(visit, record);
    bool wanted = cw_visit_document_show(engine, response, record, page);
    crawl_edge_verdict closed = wanted ? judge(visit, record) : CRAWL_EDGE_REFUSED;
    cw_links_followed followed = follow_headers(visit, response, closed);
    if (page)
        add_up(&followed, follow_page(visit, page, closed));
    if (document == CRAWL_DOCUMENT_SITEMAP && engine->config->sitemaps && closed == CRAWL_EDGE_NEW)
        add_up(&followed, follow_sitemap(visit, response->body));
    record->links = followed.links;
    record->fresh = followed.fresh;
    return followed;
}
