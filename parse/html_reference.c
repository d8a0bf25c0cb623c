/* See html_reference.h. */
#include "parse/html_reference.h"

#include "parse/charset_decode.h"
#include "parse/utf8.h"

#include "base/bytes.h"

#include <stdlib.h>

/* Longest name of a reference that is looked at; the standard's longest is CounterClockwiseContourIntegral. */
enum { LONGEST_NAME = 32, LONGEST_LEGACY = 6 };

typedef struct named_reference {
    const char *name;
    const char *text;
} named_reference;

/* Sorted. Names of the standard (13.5) that stand for ASCII and that libxml2 does not know, and the few others that it
 * knows under another case or code. */
static const named_reference own_names[] = {
    {"AMP", "&"},
    {"COPY", "\xc2\xa9"},
    {"DiacriticalGrave", "`"},
    {"GT", ">"},
    {"Hat", "^"},
    {"LT", "<"},
    {"NewLine", "\n"},
    {"QUOT", "\""},
    {"REG", "\xc2\xae"},
    {"Tab", "\t"},
    {"UnderBar", "_"},
    {"VerticalLine", "|"},
    {"ast", "*"},
    {"bsol", "\\"},
    {"colon", ":"},
    {"comma", ","},
    {"commat", "@"},
    {"dollar", "$"},
    {"equals", "="},
    {"excl", "!"},
    {"fjlig", "fj"},
    {"grave", "`"},
    {"lang", "\xe2\x9f\xa8"},
    {"lbrace", "{"},
    {"lbrack", "["},
    {"lcub", "{"},
    {"lowbar", "_"},
    {"lpar", "("},
    {"lsqb", "["},
    {"midast", "*"},
    {"num", "#"},
    {"percnt", "%"},
    {"period", "."},
    {"plus", "+"},
    {"quest", "?"},
    {"rang", "\xe2\x9f\xa9"},
    {"rbrace", "}"},
    {"rbrack", "]"},
    {"rcub", "}"},
    {"rpar", ")"},
    {"rsqb", "]"},
    {"semi", ";"},
    {"sol", "/"},
    {"verbar", "|"},
    {"vert", "|"},
};

/* Sorted. The names that are references without a semicolon too. */
static const char *const legacy_names[] = {
    "AElig",  "AMP",    "Aacute", "Acirc",  "Agrave", "Aring",  "Atilde", "Auml",   "COPY",  "Ccedil", "ETH",    "Eacute",
    "Ecirc",  "Egrave", "Euml",   "GT",     "Iacute", "Icirc",  "Igrave", "Iuml",   "LT",    "Ntilde", "Oacute", "Ocirc",
    "Ograve", "Oslash", "Otilde", "Ouml",   "QUOT",   "REG",    "THORN",  "Uacute", "Ucirc", "Ugrave", "Uuml",   "Yacute",
    "aacute", "acirc",  "acute",  "aelig",  "agrave", "amp",    "aring",  "atilde", "auml",  "brvbar", "ccedil", "cedil",
    "cent",   "copy",   "curren", "deg",    "divide", "eacute", "ecirc",  "egrave", "eth",   "euml",   "frac12", "frac14",
    "frac34", "gt",     "iacute", "icirc",  "iexcl",  "igrave", "iquest", "iuml",   "laquo", "lt",     "macr",   "micro",
    "middot", "nbsp",   "not",    "ntilde", "oacute", "ocirc",  "ograve", "ordf",   "ordm",  "oslash", "otilde", "ouml",
    "para",   "plusmn", "pound",  "quot",   "raquo",  "reg",    "sect",   "shy",    "sup1",  "sup2",   "sup3",   "szlig",
    "thorn",  "times",  "uacute", "ucirc",  "ugrave", "uml",    "uuml",   "yacute", "yen",   "yuml",
};

/* A reference at the start of some text. */
typedef struct reference {
    size_t size;      /* bytes that it takes up; 0: the "&" is text */
    crawl_slice name; /* of a named one; size 0: it is numeric */
    uint32_t code;    /* of a numeric one */
} reference;

static int compare_own(const void *key, const void *row)
{
    return strcmp(key, ((const named_reference *)row)->name);
}

static int compare_legacy(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

static const named_reference *own_named(const char *name)
{
    return bsearch(name, own_names, sizeof own_names / sizeof own_names[0], sizeof own_names[0], compare_own);
}

static bool is_legacy(crawl_slice name)
{
    char text[LONGEST_LEGACY + 1];
    if (name.size > LONGEST_LEGACY)
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    return bsearch(text, legacy_names, sizeof legacy_names / sizeof legacy_names[0], sizeof legacy_names[0], compare_legacy);
}

static bool is_alphanumeric(unsigned char c)
{
    return cw_is_alpha(c) || cw_is_digit(c);
}

/* --- numeric references --- */

static int digit_value(char c, bool hexadecimal)
{
    return hexadecimal || cw_is_digit((unsigned char)c) ? cw_hex_value((unsigned char)c) : -1;
}

/* 13.2.5.80 "numeric character reference end state". */
static uint32_t meant_code(uint32_t code)
{
    if (code >= 0x80 && code < 0xa0)
        return cw_windows_1252[code - 0x80];
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code == 0 || code > 0x10ffff || surrogate ? CW_UTF8_REPLACEMENT : code;
}

static reference numeric_reference(crawl_slice text)
{
    size_t at = 2;
    bool hexadecimal = text.size > 2 && (text.data[2] | 0x20) == 'x';
    at += hexadecimal;
    size_t digits = at;
    uint32_t code = 0;
    for (int value; at < text.size && (value = digit_value(text.data[at], hexadecimal)) >= 0; at++)
        if (code <= 0x10ffff)
            code = code * (hexadecimal ? 16 : 10) + (uint32_t)value;
    if (at == digits)
        return (reference){0};
    at += at < text.size && text.data[at] == ';';
    return (reference){at, {0}, meant_code(code)};
}

/* --- named references --- */

/* In text the longest legacy name that the letters begin with is one, whatever follows it. */
static reference legacy_prefix(crawl_slice name)
{
    for (size_t size = name.size < LONGEST_LEGACY ? name.size : LONGEST_LEGACY; size >= 2; size--)
        if (is_legacy(crawl_slice_of(name.data, size)))
            return (reference){size + 1, crawl_slice_of(name.data, size), 0};
    return (reference){0};
}

/* Is it one that the standard or libxml2 may know? Which of them are is left to libxml2. */
static reference named_reference_at(crawl_slice text, bool attribute)
{
    size_t size = 0;
    while (size < LONGEST_NAME && size + 1 < text.size && is_alphanumeric((unsigned char)text.data[size + 1]))
        size++;
    crawl_slice name = crawl_slice_of(text.data + 1, size);
    bool more = size + 1 < text.size;
    if (size && more && text.data[size + 1] == ';')
        return (reference){size + 2, name, 0};
    if (!attribute)
        return legacy_prefix(name);
    if (is_legacy(name) && !(more && text.data[size + 1] == '='))
        return (reference){size + 1, name, 0};
    return (reference){0};
}

static reference reference_at(crawl_slice text, bool attribute)
{
    if (text.size > 2 && text.data[1] == '#')
        return numeric_reference(text);
    return text.size > 1 ? named_reference_at(text, attribute) : (reference){0};
}

/* --- output --- */

/* Characters, with those escaped that would end a value or begin a tag or a reference. */
static crawl_err put_escaped(crawl_buf *out, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        char c = text.data[i];
        if (c == '&')
            err = crawl_buf_append_text(out, "&amp;");
        else if (c == '"')
            err = crawl_buf_append_text(out, "&quot;");
        else if (c == '<')
            err = crawl_buf_append_text(out, "&lt;");
        else if (c == '\0')
            err = crawl_buf_append_text(out, CW_UTF8_REPLACEMENT_TEXT);
        else
            err = crawl_buf_append_char(out, c);
    }
    return err;
}

/* name stands after its "&". */
static crawl_err put_named(crawl_buf *out, crawl_slice name)
{
    char text[LONGEST_NAME + 1];
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    const named_reference *own = own_named(text);
    if (own)
        return put_escaped(out, crawl_slice_from(own->text));
    crawl_err err = crawl_buf_append(out, name.data - 1, name.size + 1);
    return err ? err : crawl_buf_append_char(out, ';');
}

static crawl_err put_reference(crawl_buf *out, const reference *r)
{
    if (r->name.size)
        return put_named(out, r->name);
    char bytes[4];
    return put_escaped(out, crawl_slice_of(bytes, cw_utf8_encode(r->code, bytes)));
}

static bool is_plain(char c)
{
    return c != '&' && c != '"' && c != '<' && c != '\0';
}

/* Takes one special character or one reference off the front of raw. */
static crawl_err put_special(crawl_buf *out, crawl_slice *raw, bool attribute)
{
    reference r = *raw->data == '&' ? reference_at(*raw, attribute) : (reference){0};
    size_t size = r.size ? r.size : 1;
    crawl_err err = r.size ? put_reference(out, &r) : put_escaped(out, crawl_slice_of(raw->data, 1));
    raw->data += size;
    raw->size -= size;
    return err;
}

static crawl_err put(crawl_buf *out, crawl_slice raw, bool attribute)
{
    crawl_err err = CRAWL_OK;
    while (raw.size && !err) {
        size_t plain = 0;
        while (plain < raw.size && is_plain(raw.data[plain]))
            plain++;
        err = crawl_buf_append(out, raw.data, plain);
        raw.data += plain;
        raw.size -= plain;
        if (raw.size && !err)
            err = put_special(out, &raw, attribute);
    }
    return err;
}

crawl_err cw_html_put_value(crawl_buf *out, crawl_slice raw)
{
    return put(out, raw, true);
}

crawl_err cw_html_put_text(crawl_buf *out, crawl_slice raw)
{
    return put(out, raw, false);
}
