#include "parse/html/html_reference.h"

#include "base/bytes.h"
#include "base/text/escape.h"
#include "base/utf8.h"
#include "parse/charset/charset.h"
#include "parse/html/html_find.h"
#include "parse/html/html_reference_table.h"

/* A reference at the start of some text. */
typedef struct reference {
    size_t size;      /* bytes of the reference; 0: the "&" is text */
    crawl_slice text; /* the meaning of a named one; size 0: it is numeric */
    uint32_t code;    /* code point of a numeric one */
} reference;

/* --- numeric references --- */

static int html_reference_digit_value(char c, bool hexadecimal)
{
    return hexadecimal || cw_is_digit((unsigned char)c) ? cw_hex_value((unsigned char)c) : -1;
}

/* Returns the code point that a number means (13.2.5.80 "numeric character reference end state"). */
static uint32_t meant_code(uint32_t code)
{
    bool is_c1 = code >= 0x80 && code < 0xa0;
    bool surrogate = code >= 0xd800 && code < 0xe000;
    if (is_c1)
        return cw_charset_windows_1252[code - 0x80];
    return code == 0 || code > 0x10ffff || surrogate ? CW_UTF8_REPLACEMENT : code;
}

static reference numeric_reference(crawl_slice text)
{
    size_t at = 2;
    bool hexadecimal = text.size > 2 && (text.data[2] | 0x20) == 'x';
    at += hexadecimal;
    size_t digits = at;
    uint32_t code = 0;
    for (int value; at < text.size && (value = html_reference_digit_value(text.data[at], hexadecimal)) >= 0; at++)
        if (code <= 0x10ffff)
            code = code * (hexadecimal ? 16 : 10) + (uint32_t)value;
    if (at == digits)
        return (reference){0};
    at += at < text.size && text.data[at] == ';';
    return (reference){at, {0}, meant_code(code)};
}

/* --- named references --- */

/* Compares a name with the name at the start of a record. */
static int html_reference_compare(crawl_slice name, const char *record)
{
    for (size_t i = 0; i < name.size; i++) {
        bool ended = !cw_is_alnum((unsigned char)record[i]);
        if (ended || name.data[i] != record[i])
            return ended || name.data[i] > record[i] ? 1 : -1;
    }
    return cw_is_alnum((unsigned char)record[name.size]) ? -1 : 0;
}

/* Returns the part of a record after its name: ";" or "&", then the text. NULL: there is no such name. */
static const char *html_reference_record_of(crawl_slice name)
{
    if (!name.size || !cw_is_alpha((unsigned char)*name.data))
        return NULL;
    const uint16_t *letter = &cw_reference_letters[*name.data - 'A'];
    size_t low = letter[0];
    for (size_t high = letter[1]; low < high;) { /* both are starts of records */
        size_t middle = low + (high - low) / 2;
        const char *end = memrchr(cw_reference_records + low, '\0', middle - low); /* of the previous record */
        middle = end ? (size_t)(end + 1 - cw_reference_records) : low;
        const char *record = cw_reference_records + middle;
        int order = html_reference_compare(name, record);
        if (order == 0)
            return record + name.size;
        if (order < 0)
            high = middle;
        else
            low = middle + strlen(record) + 1;
    }
    return NULL;
}

/* Returns the reference of a name that needs no semicolon; size 0: the name is not one of these. */
static reference legacy_reference(crawl_slice name)
{
    const char *record = name.size <= CW_REFERENCE_LONGEST_LEGACY ? html_reference_record_of(name) : NULL;
    return record && *record == '&' ? (reference){name.size + 1, crawl_slice_from(record + 1), 0} : (reference){0};
}

/* Returns the longest name without a semicolon at the start of the letters: in text it is a reference, whatever follows
 * it. */
static reference legacy_prefix(crawl_slice name)
{
    reference found = {0};
    if (name.size > CW_REFERENCE_LONGEST_LEGACY)
        name.size = CW_REFERENCE_LONGEST_LEGACY;
    for (; name.size >= 2 && !found.size; name.size--)
        found = legacy_reference(name);
    return found;
}

/* Returns the letters and digits at the start of text, after a "&", at most one more than the longest name has. */
static crawl_slice name_at(crawl_slice text)
{
    crawl_slice name = {text.data + 1, 0};
    while (name.size <= CW_REFERENCE_LONGEST && name.size + 1 < text.size &&
           cw_is_alnum((unsigned char)name.data[name.size]))
        name.size++;
    return name;
}

static reference named_reference(crawl_slice text, cw_html_place place)
{
    crawl_slice name = name_at(text);
    char next = name.size + 1 < text.size ? name.data[name.size] : '\0';
    const char *record = next == ';' ? html_reference_record_of(name) : NULL;
    if (record)
        return (reference){name.size + 2, crawl_slice_from(record + 1), 0};
    if (place != CW_IN_ATTRIBUTE)
        return legacy_prefix(name);
    return next == '=' ? (reference){0} : legacy_reference(name);
}

static reference reference_at(crawl_slice text, cw_html_place place)
{
    if (text.size > 2 && text.data[1] == '#')
        return numeric_reference(text);
    return named_reference(text, place);
}

/* --- decoding --- */

bool cw_html_is_literal(crawl_slice raw)
{
    return !raw.size || !cw_html_has_any(raw.data, raw.data + raw.size, '&', '\0', '\r');
}

/* Decodes one special character or one reference at the front of raw, and removes it there. */
static crawl_err decode_special(crawl_buf *out, crawl_slice *raw, cw_html_place place)
{
    char bytes[4];
    crawl_slice text = crawl_slice_of(raw->data, 1);
    reference r = *raw->data == '&' ? reference_at(*raw, place) : (reference){0};
    if (*raw->data == '\0')
        text = crawl_slice_from(place == CW_IN_TEXT ? "" : CW_UTF8_REPLACEMENT_TEXT);
    else if (r.text.size)
        text = r.text;
    else if (r.size)
        text = crawl_slice_of(bytes, cw_utf8_encode(r.code, bytes));
    size_t size = r.size ? r.size : 1;
    raw->data += size;
    raw->size -= size;
    return crawl_buf_append(out, text.data, text.size);
}

/* Normalizes line ends to line feeds, from a place on (HTML standard, 13.2.3.5). */
static void normalize_newlines(crawl_buf *out, size_t from)
{
    size_t to = from;
    for (size_t at = from; at < out->size; at++) {
        bool is_pair = out->data[at] == '\r' && at + 1 < out->size && out->data[at + 1] == '\n';
        if (!is_pair)
            out->data[to++] = out->data[at] == '\r' ? '\n' : out->data[at];
    }
    out->size = to;
}

crawl_err cw_html_decode(crawl_buf *out, crawl_slice raw, cw_html_place place)
{
    crawl_err err = CRAWL_OK;
    while (raw.size && !err) {
        size_t plain = (size_t)(cw_html_find_either(raw.data, raw.data + raw.size, '&', '\0') - raw.data);
        err = crawl_buf_append(out, raw.data, plain);
        if (!err)
            normalize_newlines(out, out->size - plain);
        raw.data += plain;
        raw.size -= plain;
        if (raw.size && !err)
            err = decode_special(out, &raw, place);
    }
    return err;
}

crawl_err cw_html_decode_markup(crawl_buf *out, crawl_slice raw)
{
    static const char begin[] = "<![CDATA[", end[] = "]]>";
    crawl_err err = CRAWL_OK;
    while (raw.size && !err) {
        err = cw_html_decode(out, cw_take(&raw, cw_find_text(raw, begin)), CW_IN_TEXT);
        if (err || !cw_take_text(&raw, begin))
            break;
        crawl_slice section = cw_take(&raw, cw_find_text(raw, end));
        err = crawl_buf_append(out, section.data, section.size);
        cw_take_text(&raw, end);
    }
    return err;
}

/* --- escaping --- */

crawl_err cw_html_escape(crawl_buf *out, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    size_t done = 0;
    for (size_t i = 0; i < text.size && !err; i++) {
        const char *escape = cw_escape_html_of(text.data[i]);
        if (!escape)
            continue;
        err = crawl_buf_append(out, text.data + done, i - done);
        if (!err)
            err = crawl_buf_append_text(out, escape);
        done = i + 1;
    }
    return err || done == text.size ? err : crawl_buf_append(out, text.data + done, text.size - done);
}

/* --- attributes --- */

/* Reserves room for all values before the first is decoded, so that none moves in memory. */
static crawl_err html_reference_reserve(const cw_html_values *raw, unsigned coded, crawl_buf *storage)
{
    size_t size = 0;
    for (; coded; coded &= coded - 1)
        size += raw->value[__builtin_ctz(coded)].size * CW_HTML_DECODED_GROWTH;
    crawl_buf_clear(storage);
    return crawl_buf_reserve(storage, size);
}

static crawl_err decode_value(crawl_slice raw, crawl_buf *storage, crawl_slice *value)
{
    size_t start = storage->size;
    crawl_err err = cw_html_decode(storage, raw, CW_IN_ATTRIBUTE);
    *value = crawl_slice_of(storage->data + start, storage->size - start);
    return err;
}

crawl_err cw_html_decode_values(const cw_html_values *raw, crawl_buf *storage, cw_html_values *values)
{
    unsigned coded = 0;
    values->found = 0;
    for (unsigned left = raw->found; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (raw->value[i].size > CW_HTML_MAX_RAW_VALUE)
            continue;
        values->found |= left & -left;
        values->value[i] = raw->value[i];
        if (!cw_html_is_literal(raw->value[i]))
            coded |= left & -left;
    }
    crawl_err err = coded ? html_reference_reserve(raw, coded, storage) : CRAWL_OK;
    for (; coded && !err; coded &= coded - 1)
        err = decode_value(raw->value[__builtin_ctz(coded)], storage, &values->value[__builtin_ctz(coded)]);
    return err;
}
