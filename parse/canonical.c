/* The canonical form of an http(s) URL, by which two URLs are known as the same page: what the URL standard leaves different is
 * made equal in path and query. */
#include <crawl/url.h>

#include "parse/canonical_query.h"
#include "parse/percent.h"
#include "parse/url.h"

/* Escapes of unreserved bytes are decoded, once; others upper-cased; a "%" that begins none is escaped itself. */
static char *write_path(char *to, const char *from, const char *end)
{
    for (;;) {
        const char *escape = memchr(from, '%', (size_t)(end - from));
        size_t plain = (size_t)((escape ? escape : end) - from);
        memcpy(to, from, plain);
        to += plain;
        if (!escape)
            return to;
        int value = cw_percent_value(escape, end);
        from = escape + (value < 0 ? 1 : 3);
        unsigned char byte = value < 0 ? '%' : (unsigned char)value;
        if (cw_percent_sets[byte] & CW_UNRESERVED)
            *to++ = (char)byte;
        else
            to = cw_percent_escape(to, byte);
    }
}

/* A canonical URL is the serialization up to the path, path, and query; the parser has done all else. */
crawl_err crawl_url_canonical(const crawl_url *url, crawl_buf *out)
{
    if (!crawl_url_is_http(url))
        return CRAWL_EINVAL;
    size_t start = out->size;
    crawl_slice path = crawl_url_path(url);
    crawl_err err = crawl_buf_reserve(out, url->parts.authority_end + 3 * path.size);
    if (err)
        return err;
    char *to = out->data + start;
    memcpy(to, url->text.data, url->parts.authority_end);
    to = write_path(to + url->parts.authority_end, path.data, path.data + path.size);
    *to = '\0';
    out->size = (size_t)(to - out->data);
    if (url->parts.query.size)
        err = cw_canonical_query(crawl_url_query(url), out);
    if (err)
        out->size = start;
    return err;
}
