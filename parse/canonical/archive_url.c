/* A URL in the form of web archives: split, and written as a URL or as a SURT, with the labels of its host reversed. */
#include "parse/canonical/canonical.h"

#include "base/bytes.h"
#include "base/writer.h"

void cw_canonical_parts_free(cw_canonical_parts *url)
{
    for (size_t i = 0; i < CW_CANONICAL_PART_COUNT; i++)
        crawl_buf_free(&url->part[i]);
}

static crawl_err archive_url_keep(cw_canonical_parts *url, cw_canonical_part part, crawl_slice text)
{
    url->has[part] = true;
    crawl_buf_clear(&url->part[part]);
    return crawl_buf_append(&url->part[part], text.data, text.size);
}

/* "user:password@host:port" */
static crawl_err split_authority(cw_canonical_parts *url, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    size_t sign = cw_find_last(text, '@');
    if (sign < text.size) {
        crawl_slice user = cw_take(&text, sign);
        text = cw_drop(text, 1);
        size_t colon = cw_find_char(user, ':');
        err = archive_url_keep(url, CW_CANONICAL_USER, crawl_slice_of(user.data, colon));
        if (!err && colon < user.size)
            err = archive_url_keep(url, CW_CANONICAL_PASSWORD, cw_drop(user, colon + 1));
    }
    size_t bracket = cw_starts_with(text, "[") ? cw_find_char(text, ']') : 0;
    crawl_slice host = cw_take(&text, bracket + cw_find_char(cw_drop(text, bracket), ':'));
    if (!err)
        err = archive_url_keep(url, CW_CANONICAL_HOST, host);
    return err || text.size < 2 ? err : archive_url_keep(url, CW_CANONICAL_PORT, cw_drop(text, 1));
}

crawl_err cw_canonical_split(crawl_slice text, cw_canonical_parts *url)
{
    crawl_err err = CRAWL_OK;
    size_t colon = cw_find_any(text, ":/?#");
    if (colon > 0 && colon < text.size && text.data[colon] == ':') {
        err = archive_url_keep(url, CW_CANONICAL_SCHEME, cw_take(&text, colon));
        text = cw_drop(text, 1);
    }
    if (!err && cw_take_text(&text, "//"))
        err = split_authority(url, cw_take(&text, cw_find_any(text, "/?#")));
    if (!err)
        err = archive_url_keep(url, CW_CANONICAL_PATH, cw_take(&text, cw_find_any(text, "?#")));
    if (!err && cw_take_text(&text, "?"))
        err = archive_url_keep(url, CW_CANONICAL_QUERY, cw_take(&text, cw_find_char(text, '#')));
    return err || !cw_take_text(&text, "#") ? err : archive_url_keep(url, CW_CANONICAL_FRAGMENT, text);
}

/* Writes the part between before and behind, if the URL has it. */
static void archive_url_put_part(cw_writer *to, const char *before, const cw_canonical_parts *url,
                                 cw_canonical_part part, const char *behind)
{
    if (!url->has[part])
        return;
    cw_put_text(to, before);
    cw_put(to, cw_canonical_part_of(url, part));
    cw_put_text(to, behind);
}

static crawl_err put_tail(cw_writer *to, const cw_canonical_parts *url)
{
    archive_url_put_part(to, "", url, CW_CANONICAL_PATH, "");
    archive_url_put_part(to, "?", url, CW_CANONICAL_QUERY, "");
    archive_url_put_part(to, "#", url, CW_CANONICAL_FRAGMENT, "");
    return to->err;
}

crawl_err cw_canonical_write(const cw_canonical_parts *url, crawl_buf *out)
{
    cw_writer to = {.out = out};
    archive_url_put_part(&to, "", url, CW_CANONICAL_SCHEME, ":");
    cw_put_text(&to, url->has[CW_CANONICAL_HOST] ? "//" : "");
    archive_url_put_part(&to, "", url, CW_CANONICAL_USER, "");
    archive_url_put_part(&to, ":", url, CW_CANONICAL_PASSWORD, "");
    cw_put_text(&to, url->has[CW_CANONICAL_USER] ? "@" : "");
    archive_url_put_part(&to, "", url, CW_CANONICAL_HOST, "");
    archive_url_put_part(&to, ":", url, CW_CANONICAL_PORT, "");
    return put_tail(&to, url);
}

crawl_err cw_canonical_reverse_host(crawl_slice host, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, host.size + 1);
    for (bool more = !err; more;) {
        size_t dot = cw_find_last(host, '.');
        more = dot < host.size;
        for (size_t i = more ? dot + 1 : 0; i < host.size; i++)
            out->data[out->size++] = host.data[i] == ',' ? '.' : host.data[i];
        out->data[out->size++] = ',';
        host.size = dot;
    }
    if (!err)
        out->data[out->size] = '\0';
    return err;
}

static crawl_err append_surt_host(crawl_slice host, crawl_buf *out)
{
    bool bracketed = cw_starts_with(host, "[");
    if (bracketed && host.size >= 2 && cw_ends_with(host, "]"))
        return crawl_buf_append(out, host.data + 1, host.size - 2);
    if (bracketed)
        return crawl_buf_append(out, host.data, host.size);
    crawl_err err = cw_canonical_reverse_host(host, out);
    if (!err)
        out->data[--out->size] = '\0';
    return err;
}

crawl_err cw_canonical_write_surt(const cw_canonical_parts *url, crawl_buf *out)
{
    cw_writer to = {.out = out};
    if (!url->has[CW_CANONICAL_HOST])
        return cw_canonical_write(url, out);
    to.err = append_surt_host(cw_canonical_part_of(url, CW_CANONICAL_HOST), out);
    archive_url_put_part(&to, ":", url, CW_CANONICAL_PORT, "");
    cw_put_char(&to, ')');
    return put_tail(&to, url);
}
