/* The key by which web archives sort and find URLs: the canonical form of Google Safe Browsing, then the Internet
 * Archive's own rules, then the host reversed, as "com,example)/path?a=1". */
#include "parse/canonical/canonical_surt.h"

#include "base/bytes.h"
#include "parse/canonical/canonical.h"

static bool is_scheme_char(unsigned char c)
{
    return cw_is_alpha(c) || cw_is_digit(c) || c == '+' || c == '-' || c == '.';
}

/* "name:", but for "host:80". */
static bool has_scheme(crawl_slice text)
{
    size_t at = 0;
    while (at < text.size && is_scheme_char((unsigned char)text.data[at]))
        at++;
    if (at == 0 || at == text.size || text.data[at] != ':' || !cw_is_alpha((unsigned char)text.data[0]))
        return false;
    size_t digits = at + 1;
    while (digits < text.size && cw_is_digit((unsigned char)text.data[digits]))
        digits++;
    bool ends = digits == text.size || text.data[digits] == '/' || text.data[digits] == '?' || text.data[digits] == '#';
    return digits == at + 1 || !ends;
}

/* Without tabs and newlines. */
static crawl_err append_clean(crawl_slice text, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, text.size);
    for (size_t i = 0; i < text.size && !err; i++)
        if (text.data[i] != '\t' && text.data[i] != '\r' && text.data[i] != '\n')
            out->data[out->size++] = text.data[i];
    return err;
}

crawl_err cw_archive_read(crawl_slice text, cw_archive_url *url)
{
    crawl_buf clean = {0};
    text = cw_trim(text);
    crawl_err err = has_scheme(text) ? CRAWL_OK : crawl_buf_append_text(&clean, "http://");
    if (!err)
        err = append_clean(text, &clean);
    if (!err)
        err = cw_archive_url_split(crawl_buf_slice(&clean), url);
    crawl_buf_free(&clean);
    return err;
}

/* Of a record about a name in the DNS: the host alone. */
static crawl_err write_dns(crawl_slice host, crawl_buf *out)
{
    crawl_buf clean = {0};
    crawl_err err = append_clean(host, &clean);
    if (!err)
        err = cw_archive_reverse_host(crawl_buf_slice(&clean), out);
    if (!err)
        out->data[out->size - 1] = ')';
    crawl_buf_free(&clean);
    return err;
}

static crawl_err write_url(crawl_slice text, crawl_buf *out)
{
    cw_archive_url url = {0};
    crawl_err err = cw_archive_read(text, &url);
    if (!err)
        err = cw_archive_google(&url);
    if (!err)
        err = cw_archive_ia(&url);
    if (!err)
        err = cw_archive_url_surt(&url, CW_SURT_REVERSE_IPV4, out);
    cw_archive_url_free(&url);
    return err;
}

/* Names of the archive's own records stand for themselves. */
crawl_err cw_canonical_surt(crawl_slice text, crawl_buf *out)
{
    if (text.size == 0)
        return crawl_buf_append_char(out, '-');
    if (cw_starts_with(text, "filedesc:") || cw_starts_with(text, "warcinfo:"))
        return append_clean(text, out);
    if (cw_starts_with(text, "dns:"))
        return write_dns(crawl_slice_of(text.data + 4, text.size - 4), out);
    return write_url(text, out);
}
