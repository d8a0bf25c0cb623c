/* The rules by which web archives make the key of a URL, one function each, and the key itself, as
 * "com,example)/path?a=1": the canonical form of Google Safe Browsing, then the Internet Archive's own rules, then the
 * host reversed. */
#include "parse/canonical/canonical.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "parse/idna/idna.h"
#include "parse/url/ip.h"

#include <stdlib.h>

/* Decodes one round of escapes, in place. false: there was no escape. */
static bool archive_rules_unescape(crawl_buf *text)
{
    char *to = text->data;
    const char *end = text->data + text->size;
    for (const char *at = text->data; at < end;) {
        int value = cw_percent_value(at, end);
        *to++ = value < 0 ? *at : (char)value;
        at += value < 0 ? 1 : 3;
    }
    bool changed = to < end;
    text->size = (size_t)(to - text->data);
    return changed;
}

/* A round takes time linear in the text, and there may be as many rounds as bytes, as in "%252525...", so they are
 * limited; deeper escapes do not occur in the wild. */
void cw_canonical_unescape_repeatedly(crawl_buf *text)
{
    enum { MAX_ROUNDS = 64 };
    for (unsigned round = 0; round < MAX_ROUNDS && text->size && archive_rules_unescape(text); round++)
        ;
}

/* Escapes controls, spaces, all but ASCII, "#" and "%". */
static crawl_err escape_once(crawl_buf *text)
{
    crawl_buf out = {0};
    crawl_err err = crawl_buf_reserve(&out, 3 * text->size);
    if (err)
        return err;
    char *to = out.data;
    for (size_t i = 0; i < text->size; i++) {
        unsigned char c = (unsigned char)text->data[i];
        if (c <= ' ' || c >= 0x7f || c == '#' || c == '%')
            to = cw_percent_escape(to, c);
        else
            *to++ = (char)c;
    }
    *to = '\0';
    out.size = (size_t)(to - out.data);
    crawl_buf_free(text);
    *text = out;
    return CRAWL_OK;
}

static crawl_err minimal_escape(crawl_buf *text)
{
    cw_canonical_unescape_repeatedly(text);
    return escape_once(text);
}

/* "a..b." to "a.b" */
static void strip_dots(crawl_buf *host)
{
    size_t kept = 0;
    for (size_t i = 0; i < host->size; i++)
        if (host->data[i] != '.' || (kept && host->data[kept - 1] != '.'))
            host->data[kept++] = host->data[i];
    if (kept && host->data[kept - 1] == '.')
        kept--;
    host->size = kept;
}

/* Copies UTF-8 as it is; otherwise takes each byte for the code point of its value, which windows-1252 mostly
 * shares. */
static crawl_err to_unicode(const crawl_buf *text, crawl_buf *out)
{
    if (cw_utf8_valid_prefix(crawl_buf_slice(text)) == text->size)
        return crawl_buf_append(out, text->data, text->size);
    crawl_err err = crawl_buf_reserve(out, 2 * text->size);
    for (size_t i = 0; i < text->size && !err; i++)
        out->size += cw_utf8_encode((unsigned char)text->data[i], out->data + out->size);
    return err;
}

/* Converts to ASCII if IDNA has a form for the host. */
static crawl_err idna(crawl_buf *host)
{
    if (cw_utf8_is_ascii(crawl_buf_slice(host)))
        return CRAWL_OK;
    crawl_buf unicode = {0};
    crawl_buf ascii = {0};
    crawl_err err = to_unicode(host, &unicode);
    if (!err)
        err = cw_idna_to_ascii(crawl_buf_slice(&unicode), &ascii);
    if (!err && ascii.size) {
        crawl_buf_free(host);
        *host = ascii;
        ascii = (crawl_buf){0};
    }
    crawl_buf_free(&unicode);
    crawl_buf_free(&ascii);
    return err == CRAWL_EPARSE ? CRAWL_OK : err;
}

static crawl_err write_ipv4(crawl_buf *host)
{
    uint32_t address;
    if (!host->size || !cw_url_ends_in_number(crawl_buf_slice(host)) ||
        cw_url_ipv4_parse(crawl_buf_slice(host), &address))
        return CRAWL_OK;
    crawl_buf_clear(host);
    crawl_err err = crawl_buf_reserve(host, CW_URL_IPV4_MAX_TEXT);
    if (!err)
        host->size = cw_url_ipv4_write(address, host->data);
    return err;
}

static crawl_err google_host(crawl_buf *host)
{
    cw_canonical_unescape_repeatedly(host);
    crawl_err err = idna(host);
    strip_dots(host);
    cw_buf_lower(host);
    if (!err)
        err = write_ipv4(host);
    return err ? err : escape_once(host);
}

/* Resolves dot segments and merges repeated slashes, in place. */
static crawl_err normalize_path(crawl_buf *path)
{
    const char *end = path->data + path->size;
    char *start = path->data;
    char *to = start;
    for (const char *at = start; at < end;) {
        const char *next = memchr(at + 1, '/', (size_t)(end - at - 1));
        next = next ? next : end;
        size_t size = (size_t)(next - at); /* with the "/" before it */
        bool last = next == end;
        bool up = size == 3 && at[1] == '.' && at[2] == '.';
        bool same = size == 2 && at[1] == '.';
        while (up && to > start && *--to != '/')
            ;
        if (!up && !same && size > 1) {
            memmove(to, at, size);
            to += size;
        } else if (last && !(up || same)) {
            *to++ = '/';
        }
        at = next;
    }
    path->size = (size_t)(to - start);
    return path->size ? CRAWL_OK : crawl_buf_append_char(path, '/');
}

static crawl_err google_path(crawl_buf *path)
{
    cw_canonical_unescape_repeatedly(path);
    crawl_err err = normalize_path(path);
    return err ? err : escape_once(path);
}

crawl_err cw_canonical_google(cw_canonical_parts *url)
{
    static const cw_canonical_part escaped[] = {CW_CANONICAL_USER, CW_CANONICAL_PASSWORD, CW_CANONICAL_QUERY};
    crawl_err err = CRAWL_OK;
    url->has[CW_CANONICAL_FRAGMENT] = false;
    for (size_t i = 0; i < sizeof escaped / sizeof *escaped && !err; i++)
        if (url->has[escaped[i]])
            err = minimal_escape(&url->part[escaped[i]]);
    if (err || !url->has[CW_CANONICAL_HOST])
        return err;
    err = google_host(&url->part[CW_CANONICAL_HOST]);
    return err ? err : google_path(&url->part[CW_CANONICAL_PATH]);
}

/* "www.", "www2." */
void cw_canonical_massage_host(crawl_buf *host)
{
    size_t at = 3;
    if (host->size < 4 || memcmp(host->data, "www", 3) != 0)
        return;
    while (at < host->size && cw_is_digit((unsigned char)host->data[at]))
        at++;
    if (at + 1 >= host->size || host->data[at] != '.')
        return;
    host->size -= at + 1;
    memmove(host->data, host->data + at + 1, host->size);
}

enum { ASP_ID = 24, PHP_ID = 32 };

/* Returns true for "(xxx)" or "(a(xxx)b(yyy))", each id of 24 letters or digits. */
static bool is_asp_session(crawl_slice segment)
{
    bool plain = segment.size == ASP_ID + 2 && segment.data[0] == '(' && segment.data[ASP_ID + 1] == ')';
    return (plain && cw_canonical_is_id(segment.data + 1, ASP_ID)) || cw_canonical_is_asp_session(segment);
}

static bool is_aspx(crawl_slice rest)
{
    return memmem(rest.data, rest.size, ".aspx", 5) || memmem(rest.data, rest.size, ".ASPX", 5);
}

/* Removes a segment that is an ASP.NET session, if an .aspx follows. */
void cw_canonical_strip_path_session(crawl_buf *path)
{
    for (size_t at = 0; at + 1 < path->size;) {
        const char *next = memchr(path->data + at + 1, '/', path->size - at - 1);
        if (!next)
            return;
        size_t end = (size_t)(next - path->data);
        if (is_asp_session(crawl_slice_of(path->data + at + 1, end - at - 1)) &&
            is_aspx(crawl_slice_of(next, path->size - end))) {
            memmove(path->data + at, next, path->size - end);
            path->size -= end - at;
            return;
        }
        at = end;
    }
}

/* Session ids in queries, as the archive knows them: a name and a fixed number of letters and digits. */
static bool is_query_session(crawl_slice pair)
{
    static const struct {
        const char *name;
        size_t more; /* letters that belong to the name */
        size_t value;
    } rules[] = {{"jsessionid", 0, PHP_ID}, {"phpsessid", 0, PHP_ID}, {"sid", 0, PHP_ID}, {"aspsessionid", 8, ASP_ID}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t name = strlen(rules[i].name);
        size_t full = name + rules[i].more;
        if (pair.size == full + 1 + rules[i].value && cw_starts_nocase(pair, rules[i].name) &&
            cw_canonical_is_id(pair.data + name, rules[i].more) && pair.data[full] == '=' &&
            cw_canonical_is_id(pair.data + full + 1, rules[i].value))
            return true;
    }
    return false;
}

static bool has_value(crawl_slice pair, const char *name)
{
    return pair.size > strlen(name) && cw_starts_nocase(pair, name);
}

/* Removes session ids, and pairs of cfid and cftoken. */
static void strip_query_session(crawl_buf *query)
{
    crawl_slice rest = crawl_buf_slice(query);
    char *to = query->data;
    bool first = true;
    while (rest.size) {
        crawl_slice pair = cw_cut(&rest, '&');
        bool session = is_query_session(pair);
        if (has_value(pair, "cfid=") && has_value(rest, "cftoken=")) {
            cw_cut(&rest, '&');
            session = true;
        }
        if (session)
            continue;
        if (!first)
            *to++ = '&';
        memmove(to, pair.data, pair.size);
        to += pair.size;
        first = false;
    }
    query->size = (size_t)(to - query->data);
}

/* Orders by name, then a name without a value, then by value. */
static int archive_rules_compare_pairs(const void *a, const void *b)
{
    const crawl_slice *x = a;
    const crawl_slice *y = b;
    size_t least = x->size < y->size ? x->size : y->size;
    for (size_t i = 0; i < least; i++)
        if (x->data[i] != y->data[i]) {
            int left = x->data[i] == '=' ? -1 : (unsigned char)x->data[i];
            int right = y->data[i] == '=' ? -1 : (unsigned char)y->data[i];
            return left - right;
        }
    return (x->size > y->size) - (x->size < y->size);
}

crawl_err cw_canonical_sort_query(crawl_buf *query)
{
    size_t count = 1;
    for (size_t i = 0; i < query->size; i++)
        count += query->data[i] == '&';
    if (count == 1)
        return CRAWL_OK;
    crawl_buf sorted = {0};
    cw_writer to = {.out = &sorted};
    crawl_slice *pairs = calloc(count, sizeof *pairs);
    if (!pairs)
        return CRAWL_ENOMEM;
    crawl_slice rest = crawl_buf_slice(query);
    for (size_t i = 0; i < count; i++)
        pairs[i] = cw_cut(&rest, '&');
    qsort(pairs, count, sizeof *pairs, archive_rules_compare_pairs);
    for (size_t i = 0; i < count; i++) {
        cw_put_text(&to, i ? "&" : "");
        cw_put(&to, pairs[i]);
    }
    if (!to.err && query->size)
        memcpy(query->data, sorted.data, query->size);
    free(pairs);
    crawl_buf_free(&sorted);
    return to.err;
}

static bool archive_rules_is_part(const cw_canonical_parts *url, cw_canonical_part part, const char *text)
{
    return cw_is(cw_canonical_part_of(url, part), text);
}

static void strip_default_port(cw_canonical_parts *url)
{
    bool http =
        archive_rules_is_part(url, CW_CANONICAL_SCHEME, "http") && archive_rules_is_part(url, CW_CANONICAL_PORT, "80");
    bool https = archive_rules_is_part(url, CW_CANONICAL_SCHEME, "https") &&
                 archive_rules_is_part(url, CW_CANONICAL_PORT, "443");
    if (http || https)
        url->has[CW_CANONICAL_PORT] = false;
}

crawl_err cw_canonical_ia(cw_canonical_parts *url)
{
    if (!url->has[CW_CANONICAL_HOST])
        return CRAWL_OK;
    crawl_buf *path = &url->part[CW_CANONICAL_PATH];
    crawl_buf *query = &url->part[CW_CANONICAL_QUERY];
    url->has[CW_CANONICAL_USER] = url->has[CW_CANONICAL_PASSWORD] = false;
    cw_buf_lower(&url->part[CW_CANONICAL_SCHEME]);
    cw_buf_lower(&url->part[CW_CANONICAL_HOST]);
    cw_canonical_massage_host(&url->part[CW_CANONICAL_HOST]);
    strip_default_port(url);
    cw_canonical_strip_path_session(path);
    cw_buf_lower(path);
    if (path->size > 1 && path->data[path->size - 1] == '/')
        path->size--;
    if (query->size)
        strip_query_session(query);
    cw_buf_lower(query);
    crawl_err err = cw_canonical_sort_query(query);
    url->has[CW_CANONICAL_QUERY] = query->size != 0;
    return err;
}

/* --- the key --- */

static bool is_scheme_char(unsigned char c)
{
    return cw_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* Returns true if text begins with "name:", but not for "host:80". */
static bool has_scheme(crawl_slice text)
{
    size_t at = 0;
    while (at < text.size && is_scheme_char((unsigned char)text.data[at]))
        at++;
    if (at == 0 || at == text.size || text.data[at] != ':' || !cw_is_alpha((unsigned char)text.data[0]))
        return false;
    crawl_slice behind = cw_drop(text, at + 1);
    size_t digits = cw_count_digits(behind);
    return digits == 0 || cw_find_any(behind, "/?#") != digits;
}

/* Appends text without tabs and newlines. */
static crawl_err append_clean(crawl_slice text, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, text.size);
    for (size_t i = 0; i < text.size && !err; i++)
        if (text.data[i] != '\t' && text.data[i] != '\r' && text.data[i] != '\n')
            out->data[out->size++] = text.data[i];
    return err;
}

crawl_err cw_canonical_read(crawl_slice text, cw_canonical_parts *url)
{
    crawl_buf clean = {0};
    text = cw_trim(text);
    crawl_err err = has_scheme(text) ? CRAWL_OK : crawl_buf_append_text(&clean, "http://");
    if (!err)
        err = append_clean(text, &clean);
    if (!err)
        err = cw_canonical_split(crawl_buf_slice(&clean), url);
    crawl_buf_free(&clean);
    return err;
}

/* For a record about a DNS name: writes only the host. */
static crawl_err write_dns(crawl_slice host, crawl_buf *out)
{
    crawl_buf clean = {0};
    crawl_err err = append_clean(host, &clean);
    if (!err)
        err = cw_canonical_reverse_host(crawl_buf_slice(&clean), out);
    if (!err)
        out->data[out->size - 1] = ')';
    crawl_buf_free(&clean);
    return err;
}

static crawl_err archive_rules_write_url(crawl_slice text, crawl_buf *out)
{
    cw_canonical_parts url = {0};
    crawl_err err = cw_canonical_read(text, &url);
    if (!err)
        err = cw_canonical_google(&url);
    if (!err)
        err = cw_canonical_ia(&url);
    if (!err)
        err = cw_canonical_write_surt(&url, out);
    cw_canonical_parts_free(&url);
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
        return write_dns(cw_drop(text, 4), out);
    return archive_rules_write_url(text, out);
}
