/* The fingerprints of Scrapy. Up to 2.6 it hashed the parts one after the other; since 2.7 it hashes a JSON text of
 * them, with bytes as hexadecimal digits, keys in order and everything but ASCII escaped, as Python's json.dumps writes
 * it. */
#include "frontier/fingerprint/fingerprint_scrapy.h"

#include "base/bytes.h"

#include <stdlib.h>

static int compare_lower(crawl_slice a, crawl_slice b)
{
    size_t least = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < least; i++) {
        int difference = cw_lower((unsigned char)a.data[i]) - cw_lower((unsigned char)b.data[i]);
        if (difference)
            return difference;
    }
    return (a.size > b.size) - (a.size < b.size);
}

static int fingerprint_scrapy_compare_names(const void *a, const void *b)
{
    return compare_lower(*(const crawl_slice *)a, *(const crawl_slice *)b);
}

static int fingerprint_scrapy_compare_given(const void *a, const void *b)
{
    return cw_compare(*(const crawl_slice *)a, *(const crawl_slice *)b);
}

/* Appends the hexadecimal digits of bytes. */
static crawl_err append_hex(crawl_slice bytes, crawl_buf *out)
{
    crawl_err err = bytes.size > SIZE_MAX / 4 ? CRAWL_ENOMEM : crawl_buf_reserve(out, 2 * bytes.size);
    if (err)
        return err;
    cw_hex_encode(bytes.data, bytes.size, out->data + out->size);
    out->size += 2 * bytes.size;
    return CRAWL_OK;
}

/* Appends the hexadecimal digits of the text in lower case. */
static crawl_err append_hex_lower(crawl_slice text, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        char c = (char)cw_lower((unsigned char)text.data[i]);
        err = append_hex(crawl_slice_of(&c, 1), out);
    }
    return err;
}

/* Decodes a code point beyond ASCII. Bytes that are not well-formed UTF-8 are taken one at a time, as Latin-1. */
static uint32_t fingerprint_scrapy_decode(const unsigned char *at, size_t left, size_t *size)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    size_t following = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc2 ? 1 : 0;
    *size = 1;
    if (!following || following >= left)
        return *at;
    uint32_t code = *at & (0x3fu >> following);
    for (size_t i = 1; i <= following; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return *at;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (code < least[following] || code > 0x10ffff)
        return *at;
    *size = following + 1;
    return code;
}

static crawl_err append_unit(uint32_t unit, crawl_buf *out)
{
    return crawl_buf_printf(out, "\\u%04x", (unsigned)unit);
}

/* Returns the escape of a byte in a JSON string; 0: it stands for itself, or has no short form. */
static char short_escape(unsigned char c)
{
    static const char escapes[0x80] = {
        ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\b'] = 'b', ['\f'] = 'f'};
    return c < 0x80 ? escapes[c] : 0;
}

static crawl_err append_json_code(uint32_t code, crawl_buf *out)
{
    if (code < 0x80 && short_escape((unsigned char)code))
        return crawl_buf_printf(out, "\\%c", short_escape((unsigned char)code));
    if (code >= ' ' && code < 0x80)
        return crawl_buf_append_char(out, (char)code);
    if (code < 0x10000)
        return append_unit(code, out);
    code -= 0x10000;
    crawl_err err = append_unit(0xd800 + (code >> 10), out);
    return err ? err : append_unit(0xdc00 + (code & 0x3ff), out);
}

/* Returns true if the byte stands for itself in a string. */
static bool fingerprint_scrapy_is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static crawl_err append_json(crawl_slice text, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_char(out, '"');
    const unsigned char *data = (const unsigned char *)text.data;
    for (size_t at = 0, size; at < text.size && !err; at += size) {
        for (size = 0; at + size < text.size && fingerprint_scrapy_is_plain(data[at + size]);)
            size++;
        if (size) {
            err = crawl_buf_append(out, data + at, size);
            continue;
        }
        uint32_t code = fingerprint_scrapy_decode(data + at, text.size - at, &size);
        err = append_json_code(code, out);
    }
    return err ? err : crawl_buf_append_char(out, '"');
}

/* Returns true if this is the first of equal names, which are adjacent. */
static bool is_first(const cw_fingerprint_scrapy_request *request, size_t i)
{
    return i == 0 || compare_lower(request->include[i - 1], request->include[i]) != 0;
}

static bool has_header(const cw_fingerprint_scrapy_request *request, crawl_slice name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (cw_equal_nocase(request->headers[i].name, name))
            return true;
    return false;
}

static crawl_err append_values_26(const cw_fingerprint_scrapy_request *request, crawl_slice name, crawl_buf *out)
{
    crawl_err err = cw_append_lower(out, name);
    for (size_t i = 0; i < request->header_count && !err; i++)
        if (cw_equal_nocase(request->headers[i].name, name))
            err = crawl_buf_append(out, request->headers[i].value.data, request->headers[i].value.size);
    return err;
}

static crawl_err write_26(const cw_fingerprint_scrapy_request *request, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, request->method.data, request->method.size);
    if (!err)
        err = crawl_buf_append(out, request->url.data, request->url.size);
    if (!err)
        err = crawl_buf_append(out, request->body.data, request->body.size);
    for (size_t i = 0; i < request->include_count && !err; i++)
        if (has_header(request, request->include[i]))
            err = append_values_26(request, request->include[i], out);
    return err;
}

/* "HEX(name)": ["HEX(value)", ...] */
static crawl_err append_values_27(const cw_fingerprint_scrapy_request *request, crawl_slice name, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_char(out, '"');
    if (!err)
        err = append_hex_lower(name, out);
    const char *before = "\": [\"";
    for (size_t i = 0; i < request->header_count && !err; i++) {
        if (!cw_equal_nocase(request->headers[i].name, name))
            continue;
        err = crawl_buf_append_text(out, before);
        if (!err)
            err = append_hex(request->headers[i].value, out);
        before = "\", \"";
    }
    return err ? err : crawl_buf_append_text(out, "\"]");
}

static crawl_err append_headers_27(const cw_fingerprint_scrapy_request *request, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    const char *before = "";
    for (size_t i = 0; i < request->include_count && !err; i++) {
        if (!is_first(request, i) || !has_header(request, request->include[i]))
            continue;
        err = crawl_buf_append_text(out, before);
        if (!err)
            err = append_values_27(request, request->include[i], out);
        before = ", ";
    }
    return err;
}

/* Writes what json.dumps(..., sort_keys=True) of Python writes. */
static crawl_err write_json(const cw_fingerprint_scrapy_request *request, bool has_headers, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, "{\"body\": \"");
    if (!err)
        err = append_hex(request->body, out);
    if (!err)
        err = crawl_buf_append_text(out, has_headers ? "\", \"headers\": {" : "\"");
    if (!err && has_headers)
        err = append_headers_27(request, out);
    if (!err)
        err = crawl_buf_append_text(out, has_headers ? "}, \"method\": " : ", \"method\": ");
    if (!err)
        err = append_json(request->method, out);
    if (!err)
        err = crawl_buf_append_text(out, ", \"url\": ");
    if (!err)
        err = append_json(request->url, out);
    return err ? err : crawl_buf_append_char(out, '}');
}

crawl_err cw_fingerprint_scrapy_write(cw_fingerprint_scrapy_request *request, crawl_fingerprint_kind kind,
                                      crawl_buf *out)
{
    const crawl_slice *given = request->include;
    crawl_slice *sorted = NULL;
    if (request->include_count) {
        sorted = calloc(request->include_count, sizeof *sorted);
        if (!sorted)
            return CRAWL_ENOMEM;
        memcpy(sorted, given, request->include_count * sizeof *sorted);
        /* Scrapy 2.6 sorted the names as given, and hashed one again that was given twice. */
        qsort(sorted, request->include_count, sizeof *sorted,
              kind == CRAWL_FINGERPRINT_SCRAPY_26 ? fingerprint_scrapy_compare_given
                                                  : fingerprint_scrapy_compare_names);
        request->include = sorted;
    }
    crawl_err err = kind == CRAWL_FINGERPRINT_SCRAPY_26 ? write_26(request, out)
                                                        : write_json(request, kind == CRAWL_FINGERPRINT_SCRAPY_27, out);
    request->include = given;
    free(sorted);
    return err;
}
