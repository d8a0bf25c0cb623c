/* What a complete answer holds that leads on: the links of its document, if it is of a kind that has links, and those of its headers
 * (Link, Refresh), by the same settings; and what the document and X-Robots-Tag say to robots. */
#include "crawler/engine_parts.h"
#include "crawler/rel.h"

#include "base/bytes.h"

/* Links taken of the headers of one answer, against an answer made of them; real ones have a few dozen at most. */
enum { MAX_HEADER_LINKS = 1000 };

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

/* What the answer says of itself to our agent. */
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

static size_t follow_link_headers(cw_visit *visit, const crawl_response *response, bool follow)
{
    size_t count = 0;
    crawl_slice value;
    for (size_t at = 0; next_header(response, "Link", &at, &value);) {
        crawl_header_link found;
        for (; count < MAX_HEADER_LINKS && crawl_link_header_next(&value, &found); count++) {
            crawl_link link = {found.href, found.rel, "header", "link", CRAWL_LINK_LINK, cw_rel_has(found.rel, "nofollow")};
            if (follow && is_of_this_document(&found))
                cw_follow_link(visit, &link, visit->url, NULL);
        }
    }
    return count;
}

/* As <meta http-equiv=refresh>: where to counts, when does not. */
static size_t follow_refresh_header(cw_visit *visit, const crawl_response *response, bool follow)
{
    double delay;
    crawl_link link = {.tag = "header", .attr = "refresh", .kind = CRAWL_LINK_REFRESH};
    crawl_slice value = crawl_response_header(response, "Refresh");
    if (!value.data || crawl_refresh_header(value, &delay, &link.href))
        return 0;
    if (follow)
        cw_follow_link(visit, &link, visit->url, NULL);
    return 1;
}

/* --- documents --- */

static size_t follow_page(cw_visit *visit, const crawl_page *page, bool follow)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    for (size_t i = 0; follow && i < count; i++)
        cw_follow_link(visit, &links[i], crawl_page_base(page), crawl_page_charset(page));
    return count;
}

/* In two batches: a relative link of a header is another than that of a page which says what its base is. */
static cw_followed follow_answer(cw_visit *visit, const crawl_response *response, const crawl_page *page, bool follow)
{
    cw_followed followed = {0};
    cw_follow_begin(visit);
    followed.links = follow_link_headers(visit, response, follow) + follow_refresh_header(visit, response, follow);
    followed.fresh = cw_follow_end(visit);
    if (!page)
        return followed;
    cw_follow_begin(visit);
    followed.links += follow_page(visit, page, follow);
    followed.fresh += cw_follow_end(visit);
    return followed;
}

/* May what the answer leads to be followed at all? */
static bool leads_on(const cw_visit *visit, unsigned robots)
{
    const crawl_config *config = cw_engine_of(visit)->config;
    bool closed = config->obey_nofollow && (robots & CRAWL_ROBOTS_NOFOLLOW);
    return !closed && visit->lease.depth < config->depth;
}

/* The parsed page, and what it says in the record; NULL: it is of a kind that has no links, or there is no memory. */
static const crawl_page *parse(cw_visit *visit, crawl_document document, const crawl_response *response, crawl_record *record)
{
    crawl_page *page = visit->worker->page;
    if (document == CRAWL_DOCUMENT_OTHER || document == CRAWL_DOCUMENT_SITEMAP)
        return NULL;
    if (crawl_page_parse_as(page, document, response->body, visit->url, record->charset)) {
        cw_engine_fail(cw_engine_of(visit), CRAWL_ENOMEM, "no memory for a page");
        return NULL;
    }
    record->charset = crawl_page_charset(page);
    record->title = crawl_page_title(page);
    record->robots |= crawl_page_robots(page);
    return page;
}

void cw_document_read(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_slice content_type = crawl_response_header(response, "Content-Type");
    crawl_document document = crawl_document_of(content_type, response->body);
    record->robots = robots_of(response, engine->config->robots_agent);
    const crawl_page *page = parse(visit, document, response, record);
    if (!cw_visit_show(visit, response, record, page))
        return;
    bool follow = leads_on(visit, record->robots);
    cw_followed followed = follow_answer(visit, response, page, follow);
    cw_count(&engine->counters.links, followed.links);
    if (document == CRAWL_DOCUMENT_SITEMAP && engine->config->sitemaps && follow) {
        cw_followed named = cw_sitemap_read(visit, response->body);
        followed.links += named.links;
        followed.fresh += named.fresh;
    }
    record->links = followed.links;
    record->fresh = followed.fresh;
}
