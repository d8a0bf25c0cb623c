#include "base/text/escape.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <stdio.h>

size_t cw_escape_take(crawl_slice *rest, char piece[CW_ESCAPE_PIECE])
{
    cw_utf8 next = cw_utf8_next(rest->data, rest->data + rest->size);
    bool control = next.code < ' ' || (next.code >= 0x7f && next.code < 0xa0);
    crawl_slice taken = cw_take(rest, next.size);
    if (!next.broken && !control) {
        memcpy(piece, taken.data, taken.size);
        return taken.size;
    }
    size_t size = 0;
    for (size_t i = 0; i < taken.size; i++)
        size += (size_t)snprintf(piece + size, CW_ESCAPE_PIECE - size, "\\x%02x", (unsigned char)taken.data[i]);
    return size;
}

crawl_err cw_escape(crawl_slice text, crawl_buf *out)
{
    char piece[CW_ESCAPE_PIECE];
    crawl_err err = crawl_buf_reserve(out, text.size);
    while (text.size && !err) {
        size_t size = cw_escape_take(&text, piece);
        err = crawl_buf_append(out, piece, size);
    }
    return err;
}

cw_excerpt cw_excerpt_of(crawl_slice text)
{
    cw_excerpt excerpt;
    char piece[CW_ESCAPE_PIECE];
    size_t shown = 0;
    while (text.size) {
        size_t size = cw_escape_take(&text, piece);
        if (shown + size > CW_EXCERPT) {
            memcpy(excerpt.text + shown, "...", 4);
            return excerpt;
        }
        memcpy(excerpt.text + shown, piece, size);
        shown += size;
    }
    excerpt.text[shown] = '\0';
    return excerpt;
}

typedef const char *instead_of(char c);

const char *cw_escape_html_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static bool is_line_space(char c)
{
    return c == '\n' || c == '\r' || c == '\t';
}

static const char *csv_of(char c)
{
    return c == '"' ? "\"\"" : is_line_space(c) ? " " : NULL; /* a row must be one line */
}

/* Returns what replaces a character that must not be visible; NULL: it may be. The embeddings and isolates of direction
 * (UAX #9) and the byte order mark are dropped; line and paragraph separators are spaces; C0, DEL, C1, overrides of
 * direction and noncharacters are U+FFFD. Marks of direction stay: they cannot reverse letters. */
static const char *escape_instead_of(uint32_t code)
{
    if ((code >= 0x202a && code <= 0x202c) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff)
        return "";
    if (code == 0x2028 || code == 0x2029)
        return " ";
    bool is_hidden = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x202d || code == 0x202e ||
                     (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe;
    return is_hidden ? CW_UTF8_REPLACEMENT_TEXT : NULL;
}

static void escape_form(cw_writer *out, crawl_slice text, instead_of *of)
{
    const char *end = text.data + text.size;
    const char *plain = text.data; /* start of the part that needs no change */
    for (const char *at = text.data; at < end;) {
        cw_utf8 next = cw_utf8_next(at, end);
        const char *instead = next.size == 1 && !next.broken ? of(*at) : NULL;
        if (!instead)
            instead = next.broken ? CW_UTF8_REPLACEMENT_TEXT : escape_instead_of(next.code);
        if (instead) {
            cw_put(out, crawl_slice_of(plain, (size_t)(at - plain)));
            cw_put(out, crawl_slice_from(instead));
            plain = at + next.size;
        }
        at += next.size;
    }
    if (plain < end)
        cw_put(out, crawl_slice_of(plain, (size_t)(end - plain)));
}

void cw_escape_html(cw_writer *out, crawl_slice text)
{
    if (text.size)
        escape_form(out, text, cw_escape_html_of);
}

/* Returns true for what is dropped or becomes a space, which spreadsheets may skip, and for marks of direction. */
static bool escape_is_passed(uint32_t code)
{
    const char *instead = escape_instead_of(code);
    return (instead && (!*instead || *instead == ' ')) || (code < 0x80 && is_line_space((char)code)) || code == 0x61c ||
           code == 0x200e || code == 0x200f;
}

/* Some spreadsheets split cells at ";", and accept the wide forms of the signs too. */
bool cw_escape_is_formula(crawl_slice text)
{
    static const char *const wide[] = {"\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\x9d", "\xef\xbc\xa0"};
    while (text.size) {
        cw_utf8 next = cw_utf8_next(text.data, text.data + text.size);
        if (next.broken || !escape_is_passed(next.code))
            break;
        text = cw_drop(text, next.size);
    }
    bool is_formula = text.size && cw_find_any(crawl_slice_of(text.data, 1), "=+-@;") == 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide && !is_formula; i++)
        is_formula = cw_starts_with(text, wide[i]);
    return is_formula;
}

void cw_escape_csv(cw_writer *out, crawl_slice text)
{
    bool is_quoted = cw_find_any(text, ",;\"") < text.size;
    if (!text.size)
        return;
    cw_put(out, crawl_slice_from(is_quoted ? "\"" : ""));
    cw_put(out, crawl_slice_from(cw_escape_is_formula(text) ? "'" : ""));
    escape_form(out, text, csv_of);
    cw_put(out, crawl_slice_from(is_quoted ? "\"" : ""));
}
