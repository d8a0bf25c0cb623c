/* See path.h. A path consists of names: the host's, one for each folder of the URL, and the file's. path_put_host(),
 * path_put_folder() and put_file() make them from the URL's text. */
#include "crawler/output/mirror/path.h"

#include "base/bytes.h"
#include "base/text/percent.h"

#include <crawl/base.h>
#include <crawl/fingerprint.h>

/* Extensions of files in an offline copy. A browser that opens a file knows its type only by its extension. */

/* Types, and the extensions by which browsers know them. */
static const struct {
    const char *type;
    const char *extension; /* the one that is added */
    const char *others;
} types[] = {
    {"text/html", "html", "htm shtml"},
    {"application/xhtml+xml", "xhtml", "xht"},
    {"text/css", "css", ""},
    {"text/javascript", "js", "mjs"},
    {"application/javascript", "js", "mjs"},
    {"application/x-javascript", "js", "mjs"},
    {"application/json", "json", "map webmanifest"},
    {"application/manifest+json", "webmanifest", "json"},
    {"application/wasm", "wasm", ""},
    {"application/pdf", "pdf", ""},
    {"application/xml", "xml", "xsl xslt rss atom rdf"},
    {"text/xml", "xml", "xsl xslt rss atom rdf"},
    {"application/rss+xml", "xml", "rss"},
    {"application/atom+xml", "xml", "atom"},
    {"image/svg+xml", "svg", ""},
    {"image/png", "png", "apng"},
    {"image/jpeg", "jpg", "jpeg jpe jfif"},
    {"image/jpg", "jpg", "jpeg jpe jfif"}, /* not registered, but common */
    {"image/gif", "gif", ""},
    {"image/webp", "webp", ""},
    {"image/avif", "avif", ""},
    {"image/bmp", "bmp", ""},
    {"image/x-icon", "ico", ""},
    {"image/vnd.microsoft.icon", "ico", ""},
    {"font/woff2", "woff2", ""},
    {"font/woff", "woff", ""},
    {"font/ttf", "ttf", ""},
    {"font/otf", "otf", ""},
    {"audio/mpeg", "mp3", ""},
    {"audio/ogg", "ogg", "oga opus"},
    {"audio/wav", "wav", ""},
    {"video/mp4", "mp4", "m4v"},
    {"video/webm", "webm", ""},
    {"video/ogg", "ogv", "ogg"},
    {"text/vtt", "vtt", ""},
};

/* Extensions that a browser opens as documents, whose scripts may run. */
static const char active[] =
    "html htm shtml shtm ehtml xhtml xhtm xht mht mhtml svg svgz xml xsl xslt xbl rss atom rdf";

/* Returns the extension of a name, without the dot and with its case: up to 11 letters and digits ("webmanifest") after
 * its last dot, at least one letter. Empty: none. */
static crawl_slice mirror_extension_of(crawl_slice name)
{
    enum { MOST = 11 };
    size_t dot = cw_find_last(name, '.');
    crawl_slice extension = dot < name.size ? cw_drop(name, dot + 1) : (crawl_slice){0};
    bool has_letter = false;
    for (size_t i = 0; i < extension.size; i++) {
        if (!cw_is_alnum((unsigned char)extension.data[i]))
            return (crawl_slice){0};
        has_letter = has_letter || cw_is_alpha((unsigned char)extension.data[i]);
    }
    return has_letter && extension.size <= MOST ? extension : (crawl_slice){0};
}

/* Returns the extension to add after the own one, which may be empty, for this Content-Type; static. NULL: none needed.
 * A file of unknown type keeps its extension, unless browsers run scripts of such files. */
static const char *mirror_extension_added(crawl_slice own, crawl_slice content_type)
{
    crawl_slice type = cw_trim(cw_cut(&content_type, ';'));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (cw_is_nocase(type, types[i].type)) {
            bool known =
                cw_is_nocase(own, types[i].extension) || cw_has_word(crawl_slice_from(types[i].others), own, false);
            return known ? NULL : types[i].extension;
        }
    bool will_do = own.size && !cw_has_word(crawl_slice_from(active), own, false);
    return will_do ? NULL : cw_starts_nocase(type, "text/") ? "txt" : "bin";
}

/* --- bytes of a name --- */

/* Returns true for bytes that every file system takes, and that no browser treats specially. */
static bool path_is_plain(char mark, unsigned char c)
{
    return cw_is_alnum(c) || (c && c != (unsigned char)mark && strchr("-_.~%+,;=@&()[]", c));
}

static crawl_err path_put_escaped(char mark, crawl_buf *out, unsigned char c)
{
    return crawl_buf_printf(out, "%c%02x", mark, c);
}

static crawl_err put_mark(char mark, const char *letter, crawl_buf *out)
{
    return crawl_buf_printf(out, "%c%s", mark, letter);
}

static crawl_err put_byte(char mark, crawl_buf *out, unsigned char c)
{
    return path_is_plain(mark, c) ? crawl_buf_append(out, &c, 1) : path_put_escaped(mark, out, c);
}

/* Returns true for device names of Windows, which are reserved in every folder, with any extension. */
static bool is_device(crawl_slice name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"};
    crawl_slice stem = cw_cut(&name, '.');
    if (cw_is_among(stem, devices, sizeof devices / sizeof *devices))
        return true;
    bool numbered = stem.size == 4 && cw_is_digit((unsigned char)stem.data[3]);
    return numbered && (cw_starts_nocase(stem, "com") || cw_starts_nocase(stem, "lpt"));
}

static crawl_err path_put_text(char mark, crawl_buf *out, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    bool device = is_device(text);
    for (size_t i = 0; i < text.size && !err; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool ends_in_dot = c == '.' && i + 1 == text.size;
        err = ends_in_dot || (device && i == 0) ? path_put_escaped(mark, out, c) : put_byte(mark, out, c);
    }
    return err;
}

/* --- case: many systems treat names that differ only in case as one file, so a name records the case of its letters
 * --- */

/* Returns true if the name must record the case of the letter at i: capitals, but lower case within an escape. */
static bool path_is_told(crawl_slice text, size_t i)
{
    bool capital = text.data[i] >= 'A' && text.data[i] <= 'Z';
    const char *end = text.data + text.size;
    bool escaped = (i >= 1 && cw_percent_value(text.data + i - 1, end) >= 0) ||
                   (i >= 2 && cw_percent_value(text.data + i - 2, end) >= 0);
    return capital != escaped;
}

/* Appends the mark, "u" and a bit for each letter of text, the first letter as the highest bit of the first digit;
 * nothing if no bit is set. */
static crawl_err put_case(char mark, crawl_buf *out, crawl_slice text)
{
    crawl_buf digits = {0};
    unsigned letters = 0;
    unsigned digit = 0;
    size_t used = 0;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        if (!cw_is_alpha((unsigned char)text.data[i]))
            continue;
        digit = digit << 1 | path_is_told(text, i);
        if (++letters % 4)
            continue;
        err = crawl_buf_printf(&digits, "%x", digit);
        used = digit ? digits.size : used;
        digit = 0;
    }
    if (!err && digit) {
        err = crawl_buf_printf(&digits, "%x", digit << (4 - letters % 4));
        used = digits.size;
    }
    if (!err && used)
        err = crawl_buf_printf(out, "%cu%.*s", mark, (int)used, digits.data);
    crawl_buf_free(&digits);
    return err;
}

/* --- long names --- */

static crawl_err put_sum(char mark, crawl_buf *out, crawl_slice text)
{
    crawl_fingerprint sum;
    char digits[41];
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    crawl_err err = fingerprinter ? crawl_fingerprint_bytes(fingerprinter, text, &sum) : CRAWL_ENOMEM;
    crawl_fingerprinter_free(fingerprinter);
    if (err)
        return err;
    crawl_fingerprint_hex(&sum, digits);
    return crawl_buf_printf(out, "%ch%s", mark, digits);
}

/* Shortens the name that begins at `at` to its beginning and its SHA-1, and keeps its last `kept` bytes. */
static crawl_err cut_name(char mark, crawl_buf *out, size_t at, size_t kept)
{
    enum { SUM = 2 + 40 };
    if (out->size - at <= CW_MIRROR_MAX_NAME)
        return CRAWL_OK;
    crawl_buf name = {0};
    crawl_err err = crawl_buf_append(&name, out->data + at, out->size - at);
    if (!err) {
        out->size = at + CW_MIRROR_MAX_NAME - SUM - kept;
        err = put_sum(mark, out, crawl_buf_slice(&name));
    }
    if (!err)
        err = crawl_buf_append(out, name.data + name.size - kept, kept);
    crawl_buf_free(&name);
    return err;
}

/* --- the host --- */

/* Writes the host: "example.com" for https at its default port; otherwise followed by scheme and port. */
static crawl_err path_put_host(char mark, const crawl_url *url, crawl_buf *out)
{
    size_t at = out->size;
    crawl_slice host = crawl_url_hostname(url);
    crawl_slice port = crawl_url_port(url);
    crawl_err err = CRAWL_OK;
    if (cw_starts_with(host, "."))
        err = path_put_escaped(mark, out, (unsigned char)cw_take(&host, 1).data[0]);
    bool address = cw_starts_with(host, "[");
    if (!err && !address)
        err = path_put_text(mark, out, host);
    for (size_t i = 0; address && i < host.size && !err; i++) /* its colons */
        err = put_byte(mark, out, host.data[i] == ':' ? '-' : (unsigned char)host.data[i]);
    size_t named = out->size;
    crawl_slice scheme = crawl_url_scheme(url);
    bool usual = cw_is(scheme, "https") && !port.size;
    if (!err && !usual)
        err = crawl_buf_printf(out, "%c%.*s%.*s", mark, (int)scheme.size, scheme.data, (int)port.size, port.data);
    return err ? err : cut_name(mark, out, at, out->size - named);
}

/* --- folders and files --- */

/* Writes a folder. The last dot tells a folder from a file: only a file has an extension after it. */
static crawl_err path_put_folder(char mark, crawl_slice text, crawl_buf *out)
{
    size_t at = out->size;
    crawl_err err = text.size ? path_put_text(mark, out, text) : put_mark(mark, "e", out);
    if (!err && mirror_extension_of(crawl_slice_of(out->data + at, out->size - at)).size)
        err = put_mark(mark, "d", out);
    if (!err)
        err = put_case(mark, out, text);
    return err ? err : cut_name(mark, out, at, 0);
}

/* Writes the file's name as in the URL. An "index" in the URL is marked, to differ from the "index" of a URL that ends
 * with "/". */
static crawl_err put_file_text(char mark, const crawl_url *url, crawl_slice text, crawl_buf *out)
{
    crawl_slice rest = text;
    bool by_name = cw_is(text, "index") || cw_is(text, "index.html");
    crawl_err err = crawl_buf_append_text(out, by_name || !text.size ? "index" : "");
    if (!err && by_name)
        err = put_mark(mark, "n", out);
    if (!err)
        err = path_put_text(mark, out, by_name ? cw_drop(rest, strlen("index")) : rest);
    if (!err && crawl_url_has_query(url))
        err = put_mark(mark, "q", out);
    return err || !crawl_url_has_query(url) ? err : path_put_text(mark, out, crawl_url_query(url));
}

/* Inserts the case before the extension, so that this stays the extension. */
static crawl_err put_file_case(char mark, const crawl_url *url, crawl_slice text, size_t at, crawl_buf *out)
{
    crawl_buf end = {0};
    crawl_buf spelled = {0};
    crawl_slice extension = mirror_extension_of(crawl_slice_of(out->data + at, out->size - at));
    size_t dotted = extension.size ? extension.size + 1 : 0;
    crawl_slice query = crawl_url_query(url);
    crawl_err err = crawl_buf_append(&end, out->data + out->size - dotted, dotted);
    if (!err)
        err = crawl_buf_append(&spelled, text.data, text.size);
    if (!err)
        err = crawl_buf_append(&spelled, "?", 1);
    if (!err)
        err = crawl_buf_append(&spelled, query.data, query.size);
    out->size -= err ? 0 : dotted;
    if (!err)
        err = put_case(mark, out, crawl_buf_slice(&spelled));
    if (!err)
        err = crawl_buf_append(out, end.data, end.size);
    crawl_buf_free(&end);
    crawl_buf_free(&spelled);
    return err;
}

static crawl_err put_file(char mark, const crawl_url *url, crawl_slice text, crawl_slice content_type, crawl_buf *out)
{
    size_t at = out->size;
    crawl_err err = put_file_text(mark, url, text, out);
    if (!err)
        err = put_file_case(mark, url, text, at, out);
    if (err)
        return err;
    crawl_slice own = mirror_extension_of(crawl_slice_of(out->data + at, out->size - at));
    const char *added = mirror_extension_added(own, content_type);
    size_t kept = added ? strlen("+.") + strlen(added) : own.size + 1;
    bool is_folder = !text.size && !crawl_url_has_query(url);
    if (added && is_folder && strcmp(added, "html") == 0)
        return crawl_buf_append_text(out, ".html");
    if (added)
        err = crawl_buf_printf(out, "%c.%s", mark, added);
    return err ? err : cut_name(mark, out, at, kept);
}

static crawl_err put_path(char mark, const crawl_url *url, crawl_slice content_type, crawl_buf *out, size_t *file_at)
{
    crawl_slice path = crawl_url_path(url);
    crawl_err err = path_put_host(mark, url, out);
    if (!err)
        err = crawl_buf_append(out, "/", 1);
    cw_take_text(&path, "/");
    while (!err && cw_find_char(path, '/') < path.size) {
        err = path_put_folder(mark, cw_cut(&path, '/'), out);
        if (!err)
            err = crawl_buf_append(out, "/", 1);
    }
    *file_at = out->size;
    return err ? err : put_file(mark, url, path, content_type, out);
}

/* Shortens a path to its host, the SHA-1 of the whole, and its file. */
static crawl_err path_put_cut(char mark, crawl_slice whole, size_t file_at, crawl_buf *out)
{
    crawl_slice file = cw_drop(whole, file_at);
    crawl_err err = crawl_buf_append(out, whole.data, cw_find_char(whole, '/') + 1);
    if (!err)
        err = put_sum(mark, out, whole);
    if (!err)
        err = crawl_buf_append(out, "/", 1);
    return err ? err : crawl_buf_append(out, file.data, file.size);
}

crawl_err cw_mirror_path(char mark, const crawl_url *url, crawl_slice content_type, crawl_buf *out)
{
    crawl_buf path = {0};
    size_t before = out->size;
    size_t file_at = 0;
    if (!crawl_url_is_http(url))
        return CRAWL_EINVAL;
    crawl_err err = put_path(mark, url, content_type, &path, &file_at);
    if (!err && path.size > CW_MIRROR_MAX_PATH)
        err = path_put_cut(mark, crawl_buf_slice(&path), file_at, out);
    else if (!err)
        err = crawl_buf_append(out, path.data, path.size);
    crawl_buf_free(&path);
    out->size = err ? before : out->size;
    return err;
}

/* --- links between files --- */

/* Escapes everything but letters, digits, the marks and "-._~/", so that neither HTML nor CSS misreads it. */
static crawl_err put_href(crawl_slice path, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < path.size && !err; i++) {
        unsigned char c = (unsigned char)path.data[i];
        bool stays = (cw_percent_sets[c] & CW_UNRESERVED) || c == CW_MIRROR_MARK || c == CW_MIRROR_OLD_MARK || c == '/';
        err = stays ? crawl_buf_append(out, &c, 1) : crawl_buf_printf(out, "%%%02X", c);
    }
    return err;
}

crawl_err cw_mirror_path_link(crawl_slice from, crawl_slice to, crawl_buf *out)
{
    size_t shared = 0;
    for (size_t i = 0; i < from.size && i < to.size && from.data[i] == to.data[i]; i++)
        if (from.data[i] == '/')
            shared = i + 1;
    crawl_err err = CRAWL_OK;
    for (size_t i = shared; i < from.size && !err; i++)
        if (from.data[i] == '/')
            err = crawl_buf_append_text(out, "../");
    return err ? err : put_href(cw_drop(to, shared), out);
}
