#include "base/text/http_validators.h"

#include "base/text/http_date.h"

static bool etag_is_char(unsigned char c)
{
    return c == 0x21 || (c >= 0x23 && c != 0x7f);
}

/* Returns the tag without "W/" and quotes. */
static crawl_slice etag_opaque(crawl_slice tag)
{
    if (cw_starts_nocase(tag, "W/"))
        tag = cw_drop(tag, 2);
    bool is_quoted = tag.size > 1 && tag.data[0] == '"' && tag.data[tag.size - 1] == '"';
    return is_quoted ? crawl_slice_of(tag.data + 1, tag.size - 2) : tag;
}

crawl_slice cw_http_etag(crawl_slice value)
{
    crawl_slice opaque = etag_opaque(value);
    bool has_quotes = value.size && value.data[value.size - 1] == '"';
    if (value.size > CW_HTTP_MAX_ETAG)
        return (crawl_slice){0};
    if (!has_quotes && (!opaque.size || cw_find_any(opaque, ",*") < opaque.size)) /* a list, or any tag */
        return (crawl_slice){0};
    for (size_t i = 0; i < opaque.size; i++)
        if (!etag_is_char((unsigned char)opaque.data[i]))
            return (crawl_slice){0};
    return value;
}

/* Returns the tag without a sign of its compression, as Apache ("-gzip", "-br"), Jetty ("--gzip") and others add it. */
static crawl_slice etag_without_coding(crawl_slice tag)
{
    static const char *const codings[] = {"gzip", "br", "zstd", "deflate", "df"};
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        crawl_slice coding = crawl_slice_from(codings[i]);
        size_t rest = tag.size > coding.size ? tag.size - coding.size : 0;
        if (!rest || !cw_ends_with(tag, codings[i]) || !strchr("-;:+", tag.data[rest - 1]))
            continue;
        while (rest && strchr("-;:+", tag.data[rest - 1]))
            rest--;
        return crawl_slice_of(tag.data, rest);
    }
    return tag;
}

bool cw_http_etag_is_same(crawl_slice a, crawl_slice b)
{
    return crawl_slice_equal(etag_without_coding(etag_opaque(a)), etag_without_coding(etag_opaque(b)));
}

crawl_slice cw_http_last_modified(crawl_slice value, int64_t wall_ms, int64_t *date_ms)
{
    for (size_t i = 0; i < value.size; i++)
        if ((unsigned char)value.data[i] < ' ')
            return (crawl_slice){0};
    bool is_date = value.size <= CW_HTTP_MAX_LAST_MODIFIED && cw_http_date(value, wall_ms, date_ms);
    return is_date ? value : (crawl_slice){0};
}
