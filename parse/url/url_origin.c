/* Origins: "scheme://host[:port]", the unit of politeness. */
#include "parse/url/url.h"

crawl_err crawl_url_origin(const crawl_url *url, crawl_buf *out)
{
    if (!crawl_url_is_http(url))
        return CRAWL_EINVAL;
    size_t prefix = url->parts.scheme.size + 3;
    size_t host = url->parts.authority_end - url->parts.host.at;
    crawl_err err = crawl_buf_reserve(out, prefix + host);
    if (!err)
        err = crawl_buf_append(out, url->text.data, prefix);
    return err ? err : crawl_buf_append(out, url->text.data + url->parts.host.at, host);
}

static size_t http_prefix_size(crawl_slice href)
{
    static const char *const prefixes[] = {"https://", "http://"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i]);
        if (href.size > size && memcmp(href.data, prefixes[i], size) == 0)
            return size;
    }
    return 0;
}

/* A serialized http(s) URL has a path: its authority ends with the first slash after the prefix. */
crawl_err crawl_href_origin(crawl_slice href, crawl_buf *scratch, crawl_slice *out)
{
    size_t prefix = http_prefix_size(href);
    const char *host = href.data + prefix;
    const char *end = prefix ? memchr(host, '/', href.size - prefix) : NULL;
    if (!end)
        return CRAWL_EINVAL;
    const char *at_sign = memrchr(host, '@', (size_t)(end - host));
    if (at_sign)
        host = at_sign + 1;
    if (host == end)
        return CRAWL_EINVAL;
    if (!at_sign) {
        *out = crawl_slice_of(href.data, (size_t)(end - href.data));
        return CRAWL_OK;
    }
    size_t start = scratch->size;
    crawl_err err = crawl_buf_append(scratch, href.data, prefix);
    if (!err)
        err = crawl_buf_append(scratch, host, (size_t)(end - host));
    if (err)
        scratch->size = start;
    else
        *out = crawl_slice_of(scratch->data + start, scratch->size - start);
    return err;
}
