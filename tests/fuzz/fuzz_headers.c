/* Any bytes as values of the headers that a crawl reads: Link, Refresh, X-Robots-Tag, Content-Type, Retry-After,
 * RateLimit, Strict-Transport-Security; and as the memo of a page, which holds some of them. Besides memory safety,
 * checks that a value written out plainly after reading reads as the same, and that a directive for a named agent does
 * not apply without a name. */
#include "base/text/http_date.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/visit/again/rate_headers.h"
#include "crawler/engine/visit/again/revisit.h"
#include "parse/page/page_values.h"

#include <crawl/links.h>

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool is_inside(crawl_slice part, crawl_slice whole)
{
    return part.size == 0 || (part.data >= whole.data && part.data + part.size <= whole.data + whole.size);
}

static bool has_any(crawl_slice text, const char *bytes)
{
    for (size_t i = 0; i < text.size; i++)
        if (!text.data[i] || strchr(bytes, text.data[i]))
            return true;
    return false;
}

/* --- Link --- */

static void check_same_link(const crawl_header_link *link)
{
    crawl_buf text = {0};
    crawl_header_link again;
    if (has_any(link->rel, "\"\\") || has_any(link->anchor, "\"\\"))
        return;
    require(crawl_buf_printf(&text, "<%.*s> ; Anchor=\"%.*s\"; rel = \"%.*s\"; rel=b, <c>", (int)link->href.size,
                             link->href.data, (int)link->anchor.size, link->anchor.data, (int)link->rel.size,
                             link->rel.data) == CRAWL_OK);
    crawl_slice rest = crawl_buf_slice(&text);
    if (!has_any(link->href, "")) {
        require(crawl_link_header_next(&rest, &again));
        require(crawl_slice_equal(link->href, again.href) && crawl_slice_equal(link->rel, again.rel));
        require(crawl_slice_equal(link->anchor, again.anchor));
        require(crawl_link_header_next(&rest, &again) && crawl_slice_equal(again.href, crawl_slice_from("c")));
        require(!crawl_link_header_next(&rest, &again));
    }
    crawl_buf_free(&text);
}

static void check_link(crawl_slice value)
{
    crawl_header_link link;
    size_t before = value.size;
    for (crawl_slice rest = value; crawl_link_header_next(&rest, &link); before = rest.size) {
        require(rest.size < before && is_inside(rest, value));
        require(link.href.data && link.rel.data && link.anchor.data);
        require(is_inside(link.href, value) && is_inside(link.rel, value) && is_inside(link.anchor, value));
        check_same_link(&link);
    }
}

/* --- Refresh --- */

static void check_refresh(crawl_slice value)
{
    double delay;
    double again;
    crawl_slice href;
    crawl_slice same;
    crawl_buf text = {0};
    if (crawl_refresh_header(value, &delay, &href))
        return;
    require(delay >= 0 && delay <= CW_PAGE_MAX_REFRESH_DELAY && delay == floor(delay) && is_inside(href, value));
    if (has_any(href, "\"'"))
        return;
    require(crawl_buf_printf(&text, " %.0f ; URL = %.*s ", delay, (int)href.size, href.data) == CRAWL_OK);
    require(crawl_refresh_header(crawl_buf_slice(&text), &again, &same) == CRAWL_OK);
    require(again == delay && crawl_slice_equal(href, same));
    crawl_buf_free(&text);
}

/* --- other headers --- */

static void check_robots(crawl_slice value)
{
    unsigned named = crawl_robots_tag(value, "agent");
    unsigned nameless = crawl_robots_tag(value, NULL);
    require(named <= (CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW));
    require((nameless & ~named) == 0);
}

static void check_content_type(crawl_slice value)
{
    const char *charset = crawl_charset_of_content_type(value);
    require(!charset || strcmp(crawl_charset_name(crawl_slice_from(charset)), charset) == 0);
    crawl_document document = crawl_document_of_content_type(value);
    require(document != CRAWL_DOCUMENT_SITEMAP);
    /* Only a missing type, or one that says no more than HTML or XML, leaves the decision to the bytes. */
    if (document == CRAWL_DOCUMENT_XHTML || document == CRAWL_DOCUMENT_FEED)
        require(crawl_document_of(value, value) == document);
}

static void check_retry_after(crawl_slice value)
{
    enum { NOW_MS = 1000000000 };
    int64_t delay = cw_http_retry_after(value, NOW_MS);
    require(delay >= -1 && delay < INT64_MAX / 2);
    require(delay < 0 || cw_http_retry_after(value, 0) >= delay);
}

/* Puts the value into each of these headers, so that each is read together with others of the same value. */
static void check_quota(crawl_slice value)
{
    enum { NAMES = 6, NOW_MS = 1000000000 };
    static const char *const names[NAMES] = {"RateLimit",       "RateLimit-Policy",      "RateLimit-Remaining",
                                             "RateLimit-Reset", "X-RateLimit-Remaining", "X-RateLimit-Reset"};
    const int64_t longest_us = (int64_t)366 * 24 * 3600 * 1000000;
    crawl_header headers[NAMES + 1];
    for (size_t i = 0; i <= NAMES; i++)
        headers[i] = (crawl_header){.name = crawl_slice_from(names[i % NAMES]), .value = value};
    for (size_t count = 1; count <= NAMES + 1; count++) {
        crawl_response response = {.size = sizeof response, .headers = headers, .header_count = count};
        const cw_host_quota quota = cw_visit_rate_read(&response, NOW_MS);
        require(quota.spent_us >= 0 && quota.spent_us <= longest_us && quota.spare >= 0);
        require(quota.window_us >= 0 && quota.window_us <= longest_us && (quota.left > 0) == (quota.window_us > 0));
    }
}

static void check_transport_security(crawl_slice value)
{
    cw_host_hsts_policy policy;
    cw_host_hsts_policy again;
    crawl_buf text = {0};
    if (!cw_host_hsts_parse(value, &policy))
        return;
    require(policy.max_age_s >= 0);
    require(crawl_buf_printf(&text, " MAX-AGE = \"%lld\" ;%s; x=\";\"", (long long)policy.max_age_s,
                             policy.subdomains ? "INCLUDESUBDOMAINS" : "") == CRAWL_OK);
    require(cw_host_hsts_parse(crawl_buf_slice(&text), &again));
    require(again.max_age_s == policy.max_age_s && again.subdomains == policy.subdomains);
    crawl_buf_free(&text);
}

static void check_memo(crawl_slice value)
{
    cw_visit_revisit page = cw_visit_revisit_read(value);
    cw_visit_revisit again;
    crawl_buf memo = {0};
    require(is_inside(page.etag, value) && is_inside(page.last_modified, value));
    require(cw_visit_revisit_write(&page, &memo) == CRAWL_OK);
    again = cw_visit_revisit_read(crawl_buf_slice(&memo));
    require(crawl_slice_equal(page.etag, again.etag) && crawl_slice_equal(page.last_modified, again.last_modified));
    crawl_buf_free(&memo);
    cw_visit_revisit_rules rules = {.interval_ms = 86400000, .min_ms = 60000, .max_ms = 1000000000, .gone = 3};
    int64_t next = cw_visit_revisit_next(&rules, &page, CW_VISIT_REVISIT_CHANGED, CW_VISIT_REVISIT_NO_DATE, 1000000000,
                                         1000000000, value.size);
    require(next >= rules.min_ms && next <= 1000000000 + rules.max_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_slice value = crawl_slice_of((const char *)data, size);
    check_link(value);
    check_refresh(value);
    check_robots(value);
    check_content_type(value);
    check_retry_after(value);
    check_quota(value);
    check_transport_security(value);
    check_memo(value);
    return 0;
}
