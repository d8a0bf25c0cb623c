#include "crawler/engine/visit/answer/headers.h"

#include "base/bytes.h"
#include "base/text/http_date.h"
#include "crawler/engine/links/link_kinds.h"

#include <crawl/data.h>
#include <crawl/sitemap.h>

bool cw_visit_headers_next(const crawl_response *response, const char *name, size_t *at, crawl_slice *value)
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

/* Returns true if the value repeats the type of the line before without its encoding (Fetch, "extract a MIME type"). */
static bool says_less(crawl_slice value, crawl_slice before)
{
    return cw_equal_nocase(crawl_media_type(value), crawl_media_type(before)) &&
           !crawl_charset_of_content_type(value) && crawl_charset_of_content_type(before);
}

crawl_slice cw_visit_headers_content_type(const crawl_response *response)
{
    crawl_slice found = crawl_response_header(response, "Content-Type");
    crawl_slice value;
    for (size_t at = 0; cw_visit_headers_next(response, "Content-Type", &at, &value);)
        if (crawl_media_type(value).size && !says_less(value, found))
            found = value;
    return found;
}

unsigned cw_visit_headers_robots(const crawl_response *response, const char *agent)
{
    unsigned flags = 0;
    crawl_slice value;
    for (size_t at = 0; cw_visit_headers_next(response, "X-Robots-Tag", &at, &value);)
        flags |= crawl_robots_tag(value, agent);
    return flags;
}

bool cw_visit_headers_is_of_this_document(const crawl_header_link *found)
{
    return found->anchor.size == 0 || found->anchor.data[0] == '#';
}

/* Gets the next link of this document with a relation. *at and *rest are 0 and empty before the first. */
static bool headers_next_link(const crawl_response *response, const char *rel, size_t *at, crawl_slice *rest,
                              crawl_header_link *link)
{
    do {
        while (crawl_link_header_next(rest, link))
            if (cw_visit_headers_is_of_this_document(link) && cw_links_rel_has(link->rel, rel))
                return true;
    } while (cw_visit_headers_next(response, "Link", at, rest));
    return false;
}

bool cw_visit_headers_canonical(const crawl_response *response, crawl_slice *href)
{
    crawl_header_link link;
    crawl_slice rest = {0};
    bool is_there = headers_next_link(response, "canonical", &(size_t){0}, &rest, &link);
    if (is_there)
        *href = link.href;
    return is_there;
}

crawl_err cw_visit_headers_add_translations(const crawl_response *response, const crawl_url *base, crawl_url *url,
                                            crawl_page *page)
{
    crawl_err err = CRAWL_OK;
    crawl_header_link link;
    crawl_slice rest = {0};
    for (size_t at = 0; err != CRAWL_ENOMEM && headers_next_link(response, "alternate", &at, &rest, &link);) {
        err = link.hreflang.size ? crawl_url_parse(url, link.href, base, NULL) : CRAWL_ABSENT;
        if (!err)
            err = crawl_data_add_translation(page, link.hreflang, crawl_url_request(url));
    }
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

int64_t cw_visit_headers_last_modified(const crawl_response *response, int64_t now_ms)
{
    int64_t ms;
    crawl_slice value = crawl_response_header(response, "Last-Modified");
    return value.size && cw_http_date(value, now_ms, &ms) ? ms / 1000 : CRAWL_SITEMAP_NO_DATE;
}
