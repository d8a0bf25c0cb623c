/* The object of <crawl/url.h> and its parts. */
#include "parse/url/url.h"

#include <stdlib.h>

/* Both strings are allocated from the start, so that a part is never an offset from NULL. */
enum { FIRST_SIZE = 256 };

crawl_url *crawl_url_create(void)
{
    crawl_url *url = calloc(1, sizeof *url);
    if (!url)
        return NULL;
    if (crawl_buf_reserve(&url->text, FIRST_SIZE) || crawl_buf_reserve(&url->spare, FIRST_SIZE)) {
        crawl_url_free(url);
        return NULL;
    }
    crawl_buf_clear(&url->text);
    url->parts.port_number = -1;
    return url;
}

void crawl_url_free(crawl_url *url)
{
    if (!url)
        return;
    crawl_buf_free(&url->text);
    crawl_buf_free(&url->spare);
    crawl_buf_free(&url->clean);
    crawl_buf_free(&url->scratch);
    cw_url_query_encoder_close(&url->encoder);
    free(url);
}

crawl_err crawl_url_copy(crawl_url *to, const crawl_url *from)
{
    if (to == from)
        return CRAWL_OK;
    crawl_buf_clear(&to->spare);
    crawl_err err = crawl_buf_append(&to->spare, from->text.data, from->text.size);
    if (err)
        return err;
    crawl_buf copy = to->spare;
    to->spare = to->text;
    to->text = copy;
    to->parts = from->parts;
    return CRAWL_OK;
}

static crawl_slice part(const crawl_url *url, cw_url_span span)
{
    return crawl_slice_of(url->text.data + span.at, span.size);
}

crawl_slice crawl_url_href(const crawl_url *url)
{
    return crawl_buf_slice(&url->text);
}

crawl_slice crawl_url_request(const crawl_url *url)
{
    return crawl_slice_of(url->text.data, url->parts.has_fragment ? url->parts.fragment.at - 1 : url->text.size);
}

crawl_slice crawl_url_scheme(const crawl_url *url)
{
    return part(url, url->parts.scheme);
}

crawl_slice crawl_url_username(const crawl_url *url)
{
    return part(url, url->parts.username);
}

crawl_slice crawl_url_password(const crawl_url *url)
{
    return part(url, url->parts.password);
}

crawl_slice crawl_url_hostname(const crawl_url *url)
{
    return part(url, url->parts.host);
}

crawl_slice crawl_url_port(const crawl_url *url)
{
    return part(url, url->parts.port);
}

crawl_slice crawl_url_path(const crawl_url *url)
{
    return part(url, url->parts.path);
}

crawl_slice crawl_url_query(const crawl_url *url)
{
    return part(url, url->parts.query);
}

crawl_slice crawl_url_fragment(const crawl_url *url)
{
    return part(url, url->parts.fragment);
}

bool crawl_url_has_query(const crawl_url *url)
{
    return url->parts.has_query;
}

bool crawl_url_has_fragment(const crawl_url *url)
{
    return url->parts.has_fragment;
}

bool crawl_url_is_http(const crawl_url *url)
{
    return cw_url_scheme_is_http(url->parts.special);
}

unsigned crawl_url_effective_port(const crawl_url *url)
{
    if (url->parts.port_number >= 0)
        return (unsigned)url->parts.port_number;
    int32_t port = cw_url_default_port(url->parts.special);
    return port < 0 ? 0 : (unsigned)port;
}

/* --- origins: "scheme://host[:port]", the unit of politeness --- */

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
