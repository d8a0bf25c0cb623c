/* The canonical form of w3lib (canonicalize_url), by which Scrapy identifies requests.
 *
 * It is a function from text to text: it splits as Python's urlsplit does, with the parameters of the last path segment
 * apart; unescapes the path but for "/" and "?" and escapes it again; splits, sorts and escapes the query; converts the
 * host to ASCII by IDNA 2003 if that works, and otherwise leaves it. Nothing is resolved, no port is dropped, and no
 * text is refused except a host with one bracket. */
#include "parse/canonical/canonical.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "parse/idna/idna.h"
#include "parse/url/query_encode.h"
#include "parse/url/url.h"

/* Characters that w3lib leaves unescaped: reserved and unreserved characters of RFC 3986, "|" and "%"; in a path not
 * "#". */
enum { SAFE = 1, SAFE_IN_PATH = 2 };
#define BOTH (SAFE | SAFE_IN_PATH)

static const uint8_t safe[256] = {
    ['!'] = BOTH, ['#'] = SAFE, ['$' ... ';'] = BOTH, ['='] = BOTH, ['?' ... '['] = BOTH,
    [']'] = BOTH, ['_'] = BOTH, ['a' ... 'z'] = BOTH, ['|'] = BOTH, ['~'] = BOTH,
};

typedef struct text_parts {
    crawl_slice scheme;
    crawl_slice netloc;
    crawl_slice path;
    crawl_slice params; /* of the last segment, after ";" */
    crawl_slice query;
    crawl_slice fragment;
} text_parts;

/* Schemes whose last path segment has parameters, and schemes that have a host, by Python's urllib.parse; "" stands for
 * no scheme. */
static bool has_params(crawl_slice scheme)
{
    static const char *const schemes[] = {"",     "ftp",   "hdl",   "prospero", "http", "imap", "https", "shttp",
                                          "rtsp", "rtsps", "rtspu", "sip",      "sips", "mms",  "sftp",  "tel"};
    return cw_is_among(scheme, schemes, sizeof schemes / sizeof *schemes);
}

static bool has_netloc(crawl_slice scheme)
{
    static const char *const schemes[] = {"ftp",   "http",    "gopher", "nntp",  "telnet",  "imap",     "wais",
                                          "file",  "mms",     "https",  "shttp", "snews",   "prospero", "rtsp",
                                          "rtsps", "rtspu",   "rsync",  "svn",   "svn+ssh", "sftp",     "nfs",
                                          "git",   "git+ssh", "ws",     "wss"};
    return cw_is_among(scheme, schemes, sizeof schemes / sizeof *schemes);
}

static bool canonical_w3lib_is_scheme(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!cw_is_alpha(c) && (i == 0 || (!cw_is_digit(c) && c != '+' && c != '-' && c != '.')))
            return false;
    }
    return text.size > 0;
}

/* Takes the text after the last segment's first ";" off the end of *path. */
static crawl_slice cut_params(crawl_slice *path)
{
    size_t slash = cw_find_last(*path, '/');
    size_t before = slash < path->size ? slash : 0;
    crawl_slice params = cw_drop(*path, before);
    path->size = before + cw_cut(&params, ';').size;
    return params;
}

/* CRAWL_EPARSE: a host with one bracket, which Python refuses. */
static crawl_err canonical_w3lib_split(crawl_slice text, text_parts *parts)
{
    *parts = (text_parts){0};
    size_t colon = cw_find_char(text, ':');
    if (colon < text.size && canonical_w3lib_is_scheme(crawl_slice_of(text.data, colon)))
        parts->scheme = cw_cut(&text, ':');
    parts->fragment = text;
    parts->query = cw_cut(&parts->fragment, '#');
    parts->path = cw_cut(&parts->query, '?');
    if (cw_take_text(&parts->path, "//")) {
        crawl_slice netloc = cw_take(&parts->path, cw_find_char(parts->path, '/'));
        if ((cw_find_char(netloc, '[') < netloc.size) != (cw_find_char(netloc, ']') < netloc.size))
            return CRAWL_EPARSE;
        while (cw_ends_with(netloc, ":"))
            netloc.size--; /* a port without digits */
        parts->netloc = netloc;
    }
    if (has_params(parts->scheme))
        parts->params = cut_params(&parts->path);
    return CRAWL_OK;
}

/* Appends text with unsafe bytes escaped. */
static crawl_err append_quoted(crawl_slice text, unsigned set, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, 3 * text.size);
    if (err)
        return err;
    char *to = out->data + out->size;
    for (size_t i = 0; i < text.size; i++)
        if (safe[(unsigned char)text.data[i]] & set)
            *to++ = text.data[i];
        else
            to = cw_percent_escape(to, (unsigned char)text.data[i]);
    out->size = (size_t)(to - out->data);
    return CRAWL_OK;
}

/* Decodes escapes and escapes unsafe bytes again; those of "/" and "?" stay. */
static crawl_err canonical_w3lib_append_path(crawl_slice path, crawl_buf *out)
{
    if (path.size == 0)
        return crawl_buf_append_char(out, '/');
    crawl_err err = crawl_buf_reserve(out, 3 * path.size);
    if (err)
        return err;
    char *to = out->data + out->size;
    const char *end = path.data + path.size;
    for (const char *at = path.data; at < end;) {
        int value = cw_percent_value(at, end);
        unsigned char byte = value < 0 ? (unsigned char)*at : (unsigned char)value;
        at += value < 0 ? 1 : 3;
        bool stays = value == '/' || value == '?';
        if (!stays && (safe[byte] & SAFE_IN_PATH))
            *to++ = (char)byte;
        else
            to = cw_percent_escape(to, byte);
    }
    out->size = (size_t)(to - out->data);
    return CRAWL_OK;
}

/* Returns the size of a label separator at this place. 0: there is none. */
static size_t canonical_w3lib_dot_size(const char *at, const char *end)
{
    cw_utf8 next = cw_utf8_next(at, end);
    bool dot = next.code == '.' || next.code == 0x3002 || next.code == 0xff0e || next.code == 0xff61;
    return dot ? next.size : 0;
}

/* Maps characters that IDNA 2003 maps differently from nontransitional UTS 46: sharp s, final sigma, and the joiners,
 * which are removed. */
static crawl_err append_2003(crawl_slice label, crawl_buf *out)
{
    static const struct {
        uint32_t code;
        const char *text;
    } mapped[] = {{0xdf, "ss"}, {0x1e9e, "ss"}, {0x3c2, "\xcf\x83"}, {0x200c, ""}, {0x200d, ""}};
    crawl_err err = CRAWL_OK;
    const char *end = label.data + label.size;
    for (const char *at = label.data; at < end && !err;) {
        cw_utf8 next = cw_utf8_next(at, end);
        size_t i = 0;
        while (i < sizeof mapped / sizeof *mapped && mapped[i].code != next.code)
            i++;
        err = i < sizeof mapped / sizeof *mapped ? crawl_buf_append_text(out, mapped[i].text)
                                                 : crawl_buf_append(out, at, next.size);
        at += next.size;
    }
    return err;
}

/* Appends a label with non-ASCII characters. CRAWL_EPARSE: IDNA has no form for it. */
static crawl_err canonical_w3lib_append_label(crawl_slice label, crawl_buf *out)
{
    crawl_buf mapped = {0};
    crawl_err err = append_2003(label, &mapped);
    if (!err)
        err = cw_idna_to_ascii(crawl_buf_slice(&mapped), out);
    crawl_buf_free(&mapped);
    return err;
}

/* Appends label by label; IDNA forbids an empty one, except the last, and one of more than 63 bytes. */
static crawl_err canonical_w3lib_append_labels(crawl_slice host, crawl_buf *out)
{
    enum { MAX_LABEL = 63 };
    const char *end = host.data + host.size;
    crawl_err err = CRAWL_OK;
    for (const char *at = host.data; at < end && !err;) {
        const char *next = at;
        while (next < end && !canonical_w3lib_dot_size(next, end))
            next++;
        size_t dot = next < end ? canonical_w3lib_dot_size(next, end) : 0;
        size_t start = out->size;
        crawl_slice label = crawl_slice_of(at, (size_t)(next - at));
        err = cw_utf8_is_ascii(label) ? cw_append_lower(out, label) : canonical_w3lib_append_label(label, out);
        size_t size = out->size - start;
        if (!err && (size == 0 || size > MAX_LABEL))
            err = CRAWL_EPARSE;
        if (!err && dot)
            err = crawl_buf_append_char(out, '.');
        at = next + dot;
    }
    return err;
}

/* Appends the host in lower case, unconverted if IDNA refuses it. */
static crawl_err append_host(crawl_slice host, crawl_buf *out)
{
    size_t start = out->size;
    crawl_err err = cw_utf8_is_ascii(host) ? CRAWL_EPARSE : canonical_w3lib_append_labels(host, out);
    if (err != CRAWL_EPARSE)
        return err;
    out->size = start;
    return cw_append_lower(out, host);
}

/* User information keeps its case. */
static crawl_err append_netloc(crawl_slice netloc, crawl_buf *out)
{
    size_t at = cw_find_last(netloc, '@');
    crawl_slice user = cw_take(&netloc, at < netloc.size ? at + 1 : 0);
    crawl_slice host = cw_take(&netloc, cw_find_last(netloc, ':'));
    crawl_err err = crawl_buf_append(out, user.data, user.size);
    if (!err)
        err = append_host(host, out);
    return err ? err : cw_append_lower(out, netloc);
}

/* Appends "scheme:", and "//" if there is a host or should be one. */
static crawl_err append_start(const text_parts *parts, crawl_buf *out)
{
    bool has_host = parts->netloc.size || (has_netloc(parts->scheme) && !cw_starts_with(parts->path, "//"));
    crawl_err err = cw_append_lower(out, parts->scheme);
    if (!err && parts->scheme.size)
        err = crawl_buf_append_char(out, ':');
    if (!err && has_host)
        err = crawl_buf_append_text(out, "//");
    if (!err)
        err = append_netloc(parts->netloc, out);
    bool needs_slash = has_host && parts->path.size && parts->path.data[0] != '/';
    return !err && needs_slash ? crawl_buf_append_char(out, '/') : err;
}

/* Encodes query and fragment in the charset; if it lacks a character, leaves both as they are. */
static crawl_err canonical_w3lib_encode(text_parts *parts, const char *charset, crawl_buf *query, crawl_buf *fragment)
{
    crawl_err err = cw_url_query_to_charset(charset, parts->query, query);
    if (!err)
        err = cw_url_query_to_charset(charset, parts->fragment, fragment);
    if (!err) {
        parts->query = crawl_buf_slice(query);
        parts->fragment = crawl_buf_slice(fragment);
    }
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

static crawl_err append_parts(const text_parts *parts, const crawl_canonical_options *options, crawl_buf *out)
{
    const cw_canonical_rules rules = {.drop = options->drop, .drop_blank = options->drop_blank};
    crawl_err err = append_start(parts, out);
    if (!err)
        err = canonical_w3lib_append_path(parts->path, out);
    if (!err && parts->params.size)
        err = crawl_buf_append_char(out, ';');
    if (!err)
        err = append_quoted(parts->params, SAFE, out);
    if (!err && parts->query.size)
        err = cw_canonical_query(parts->query, &rules, out);
    if (err || !options->keep_fragment || !parts->fragment.size)
        return err;
    err = crawl_buf_append_char(out, '#');
    return err ? err : append_quoted(parts->fragment, SAFE, out);
}

static bool is_printable(crawl_slice text)
{
    bool all = true;
    for (size_t i = 0; i < text.size; i++)
        all &= (unsigned char)text.data[i] >= ' ' && (unsigned char)text.data[i] < 0x7f;
    return all;
}

crawl_err cw_canonical_w3lib(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out)
{
    crawl_buf cleaned = {0};
    crawl_buf query = {0};
    crawl_buf fragment = {0};
    text_parts parts;
    text = cw_url_trim(text);
    crawl_err err = CRAWL_OK;
    if (!is_printable(text)) {
        err = cw_url_clean(text, &cleaned);
        text = crawl_buf_slice(&cleaned);
    }
    if (!err)
        err = canonical_w3lib_split(text, &parts);
    if (!err && options->charset)
        err = canonical_w3lib_encode(&parts, options->charset, &query, &fragment);
    if (!err)
        err = append_parts(&parts, options, out);
    crawl_buf_free(&cleaned);
    crawl_buf_free(&query);
    crawl_buf_free(&fragment);
    return err;
}
