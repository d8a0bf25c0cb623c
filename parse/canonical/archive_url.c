/* See archive_url.h. */
#include "parse/canonical/archive_url.h"

#include "parse/url/ipv4.h"

void cw_archive_url_free(cw_archive_url *url)
{
    for (size_t i = 0; i < CW_ARCHIVE_PART_COUNT; i++)
        crawl_buf_free(&url->part[i]);
}

static crawl_err take(cw_archive_url *url, cw_archive_part part, const char *from, const char *end)
{
    url->has[part] = true;
    crawl_buf_clear(&url->part[part]);
    crawl_err err = crawl_buf_reserve(&url->part[part], 0);
    return err ? err : crawl_buf_append(&url->part[part], from, (size_t)(end - from));
}

/* The first byte of marks from at on, or end. */
static const char *find(const char *at, const char *end, const char *marks)
{
    while (at < end && !(*at && strchr(marks, *at)))
        at++;
    return at;
}

/* "user:password@host:port" */
static crawl_err take_authority(cw_archive_url *url, const char *at, const char *end)
{
    crawl_err err = CRAWL_OK;
    const char *sign = at < end ? memrchr(at, '@', (size_t)(end - at)) : NULL;
    if (sign) {
        const char *colon = find(at, sign, ":");
        err = take(url, CW_ARCHIVE_USER, at, colon);
        if (!err && colon < sign)
            err = take(url, CW_ARCHIVE_PASSWORD, colon + 1, sign);
        at = sign + 1;
    }
    const char *bracket = at < end && *at == '[' ? find(at, end, "]") : at;
    const char *colon = find(bracket, end, ":");
    if (!err)
        err = take(url, CW_ARCHIVE_HOST, at, colon);
    if (!err && colon < end && colon + 1 < end)
        err = take(url, CW_ARCHIVE_PORT, colon + 1, end);
    return err;
}

crawl_err cw_archive_url_split(crawl_slice text, cw_archive_url *url)
{
    const char *at = text.size ? text.data : "";
    const char *end = at + text.size;
    crawl_err err = CRAWL_OK;
    const char *colon = find(at, end, ":/?#");
    if (colon > at && colon < end && *colon == ':') {
        err = take(url, CW_ARCHIVE_SCHEME, at, colon);
        at = colon + 1;
    }
    if (!err && end - at >= 2 && at[0] == '/' && at[1] == '/') {
        const char *slash = find(at + 2, end, "/?#");
        err = take_authority(url, at + 2, slash);
        at = slash;
    }
    const char *query = find(at, end, "?#");
    const char *fragment = find(query, end, "#");
    if (!err)
        err = take(url, CW_ARCHIVE_PATH, at, query);
    if (!err && query < fragment)
        err = take(url, CW_ARCHIVE_QUERY, query + 1, fragment);
    if (!err && fragment < end)
        err = take(url, CW_ARCHIVE_FRAGMENT, fragment + 1, end);
    return err;
}

/* Appends before, and the part, where the URL has it. */
static crawl_err append(const cw_archive_url *url, cw_archive_part part, const char *before, crawl_buf *out)
{
    if (!url->has[part])
        return CRAWL_OK;
    crawl_err err = crawl_buf_append_text(out, before);
    return err ? err : crawl_buf_append(out, url->part[part].data, url->part[part].size);
}

static crawl_err append_tail(const cw_archive_url *url, crawl_buf *out)
{
    crawl_err err = append(url, CW_ARCHIVE_PATH, "", out);
    if (!err)
        err = append(url, CW_ARCHIVE_QUERY, "?", out);
    return err ? err : append(url, CW_ARCHIVE_FRAGMENT, "#", out);
}

static crawl_err append_scheme(const cw_archive_url *url, crawl_buf *out)
{
    crawl_err err = append(url, CW_ARCHIVE_SCHEME, "", out);
    return !err && url->has[CW_ARCHIVE_SCHEME] ? crawl_buf_append_char(out, ':') : err;
}

crawl_err cw_archive_url_write(const cw_archive_url *url, crawl_buf *out)
{
    crawl_err err = append_scheme(url, out);
    if (!err && url->has[CW_ARCHIVE_HOST])
        err = crawl_buf_append_text(out, "//");
    if (!err)
        err = append(url, CW_ARCHIVE_USER, "", out);
    if (!err)
        err = append(url, CW_ARCHIVE_PASSWORD, ":", out);
    if (!err && url->has[CW_ARCHIVE_USER])
        err = crawl_buf_append_char(out, '@');
    if (!err)
        err = append(url, CW_ARCHIVE_HOST, "", out);
    if (!err)
        err = append(url, CW_ARCHIVE_PORT, ":", out);
    return err ? err : append_tail(url, out);
}

crawl_err cw_archive_reverse_host(crawl_slice host, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, host.size + 1);
    for (size_t end = host.size; !err;) {
        size_t start = end;
        while (start > 0 && host.data[start - 1] != '.')
            start--;
        for (size_t i = start; i < end; i++)
            out->data[out->size++] = host.data[i] == ',' ? '.' : host.data[i];
        out->data[out->size++] = ',';
        if (start == 0)
            break;
        end = start - 1;
    }
    if (!err)
        out->data[out->size] = '\0';
    return err;
}

static bool is_ipv4(crawl_slice host)
{
    uint32_t address;
    return host.size && cw_ipv4_ends_in_number(host) && cw_ipv4_parse(host, &address) == CRAWL_OK;
}

static bool is_address(crawl_slice host)
{
    return (host.size && host.data[0] == '[') || is_ipv4(host);
}

crawl_err cw_archive_ssurt_host(crawl_slice host, crawl_buf *out)
{
    return is_address(host) ? crawl_buf_append(out, host.data, host.size) : cw_archive_reverse_host(host, out);
}

static crawl_err append_surt_host(crawl_slice host, unsigned flags, crawl_buf *out)
{
    if ((flags & CW_SURT_REVERSE_IPV4) && host.size >= 2 && host.data[0] == '[' && host.data[host.size - 1] == ']')
        return crawl_buf_append(out, host.data + 1, host.size - 2);
    if (is_address(host) && !((flags & CW_SURT_REVERSE_IPV4) && is_ipv4(host)))
        return crawl_buf_append(out, host.data, host.size);
    crawl_err err = cw_archive_reverse_host(host, out);
    if (!err && !(flags & CW_SURT_TRAILING_COMMA))
        out->data[--out->size] = '\0';
    return err;
}

crawl_err cw_archive_url_surt(const cw_archive_url *url, unsigned flags, crawl_buf *out)
{
    if (!url->has[CW_ARCHIVE_HOST])
        return cw_archive_url_write(url, out);
    crawl_err err = CRAWL_OK;
    if (flags & CW_SURT_SCHEME) {
        err = append_scheme(url, out);
        if (!err)
            err = crawl_buf_append_text(out, "//(");
    }
    if (!err)
        err = append_surt_host(cw_archive_url_part(url, CW_ARCHIVE_HOST), flags, out);
    if (!err)
        err = append(url, CW_ARCHIVE_PORT, ":", out);
    if (!err)
        err = crawl_buf_append_char(out, ')');
    return err ? err : append_tail(url, out);
}

crawl_err cw_archive_url_ssurt(const cw_archive_url *url, crawl_buf *out)
{
    if (!url->has[CW_ARCHIVE_HOST])
        return cw_archive_url_write(url, out);
    crawl_err err = cw_archive_ssurt_host(cw_archive_url_part(url, CW_ARCHIVE_HOST), out);
    if (!err)
        err = crawl_buf_append_text(out, "//");
    if (!err)
        err = append(url, CW_ARCHIVE_PORT, "", out);
    if (!err && url->has[CW_ARCHIVE_PORT])
        err = crawl_buf_append_char(out, ':');
    if (!err)
        err = append(url, CW_ARCHIVE_SCHEME, "", out);
    if (!err)
        err = append(url, CW_ARCHIVE_USER, "@", out);
    if (!err)
        err = append(url, CW_ARCHIVE_PASSWORD, ":", out);
    if (!err)
        err = crawl_buf_append_char(out, ':');
    return err ? err : append_tail(url, out);
}
