/* See pick.h. One function for each kind of value of the grammar (RFC 8259). Where jansson is stricter than the
 * grammar, so is this: no NUL and no unpaired surrogate in strings, no number beyond a double, at most 2048 levels. */
#include "base/json/pick.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "base/utf8.h"

#include <endian.h>
#include <stdio.h>

/* Levels that jansson accepts; a scalar counts as one too. */
#define MAX_LEVELS 2048u

/* A number of at most this many bytes, without an exponent, is below the largest double, which has 309 digits. */
#define SAFE_BYTES 300u

typedef struct json_walk {
    const char *at;
    const char *end;
    unsigned levels;
} json_walk;

static bool pass_value(json_walk *w, cw_json_value *value);

static void pick_skip_space(json_walk *w)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r'))
        w->at++;
}

/* Returns the next byte; at the end NUL, which valid JSON never has outside strings. */
static char pick_next_of(const json_walk *w)
{
    return w->at < w->end ? *w->at : '\0';
}

static bool pick_take(json_walk *w, char c)
{
    if (pick_next_of(w) != c)
        return false;
    w->at++;
    return true;
}

static crawl_slice pick_since(const json_walk *w, const char *from)
{
    return crawl_slice_of(from, (size_t)(w->at - from));
}

/* ---- strings ---- */

/* Returns how many of eight bytes precede the first quote, backslash or control character; 8: there is none. Each term
 * is the usual test for "has a byte below n", the first with n = 32, the others with n = 1. Its lowest bit is exact;
 * bits above may be set by a borrow. */
static inline size_t pick_plain_of_8(const char *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = UINT64_C(0x8080808080808080);
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word = le64toh(word);
    uint64_t quotes = word ^ (ones * '"');
    uint64_t slashes = word ^ (ones * '\\');
    uint64_t below = ((word - ones * ' ') & ~word) | ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes);
    return below & highs ? (size_t)__builtin_ctzll(below & highs) / 8 : 8;
}

static void skip_plain(json_walk *w)
{
    while (w->end - w->at >= 8) {
        size_t plain = pick_plain_of_8(w->at);
        w->at += plain;
        if (plain < 8)
            return;
    }
    while (w->at < w->end && (unsigned char)*w->at >= ' ' && *w->at != '"' && *w->at != '\\')
        w->at++;
}

/* Returns the value of four hexadecimal digits; -1: invalid. */
static int take_unit(json_walk *w)
{
    int unit = 0;
    if (w->end - w->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = cw_hex_value((unsigned char)*w->at++);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* Returns the character after "\u", which takes two escapes above U+FFFF; 0: invalid. */
static uint32_t take_unicode(json_walk *w)
{
    int high = take_unit(w);
    if (high <= 0 || (high >= 0xdc00 && high < 0xe000))
        return 0;
    if (high < 0xd800 || high >= 0xe000)
        return (uint32_t)high;
    int low = pick_take(w, '\\') && pick_take(w, 'u') ? take_unit(w) : -1;
    return low >= 0xdc00 && low < 0xe000 ? (uint32_t)(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)) : 0;
}

/* Returns the character after a backslash; 0: invalid. */
static uint32_t pick_take_escape(json_walk *w)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (pick_take(w, 'u'))
        return take_unicode(w);
    const char *found = pick_next_of(w) ? strchr(letters, *w->at) : NULL;
    w->at += found != NULL;
    return found ? (unsigned char)meant[found - letters] : 0;
}

static bool pass_string(json_walk *w, cw_json_value *value)
{
    const char *from = ++w->at;
    *value = (cw_json_value){.kind = CW_JSON_STRING};
    for (;;) {
        skip_plain(w);
        value->bytes = pick_since(w, from);
        if (pick_take(w, '"'))
            return true;
        if (!pick_take(w, '\\') || !pick_take_escape(w))
            return false;
        value->has_escapes = true;
    }
}

/* ---- numbers and words ---- */

static bool pick_skip_digits(json_walk *w)
{
    const char *from = w->at;
    while (cw_is_digit((unsigned char)pick_next_of(w)))
        w->at++;
    return w->at > from;
}

/* Parses a number as jansson does; NULL: beyond a double. */
static json_t *pick_read_number(crawl_slice bytes)
{
    return json_loadb(bytes.data, bytes.size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
}

static bool pass_number(json_walk *w, cw_json_value *value)
{
    const char *from = w->at;
    pick_take(w, '-');
    if (!pick_take(w, '0') && !pick_skip_digits(w))
        return false;
    if (pick_take(w, '.') && !pick_skip_digits(w))
        return false;
    bool has_exponent = pick_take(w, 'e') || pick_take(w, 'E');
    if (has_exponent && !pick_take(w, '-'))
        pick_take(w, '+');
    if (has_exponent && !pick_skip_digits(w))
        return false;
    *value = (cw_json_value){.kind = CW_JSON_NUMBER, .bytes = pick_since(w, from)};
    if (!has_exponent && value->bytes.size <= SAFE_BYTES)
        return true;
    json_t *number = pick_read_number(value->bytes);
    json_decref(number);
    return number;
}

static bool pass_word(json_walk *w, cw_json_value *value)
{
    static const char *const words[] = {[CW_JSON_NULL] = "null", [CW_JSON_FALSE] = "false", [CW_JSON_TRUE] = "true"};
    crawl_slice rest = crawl_slice_of(w->at, (size_t)(w->end - w->at));
    for (cw_json_kind kind = CW_JSON_NULL; kind <= CW_JSON_TRUE; kind++)
        if (cw_starts_with(rest, words[kind])) {
            *value = (cw_json_value){.kind = kind, .bytes = cw_take(&rest, strlen(words[kind]))};
            w->at = rest.data;
            return true;
        }
    return false;
}

/* ---- arrays and objects ---- */

/* Starts at the name. */
static bool pass_member(json_walk *w, cw_json_value *name, cw_json_value *value)
{
    pick_skip_space(w);
    if (pick_next_of(w) != '"' || !pass_string(w, name))
        return false;
    pick_skip_space(w);
    return pick_take(w, ':') && pass_value(w, value);
}

/* Starts after the opening bracket; last is the closing one. */
static bool pass_parts(json_walk *w, char last)
{
    cw_json_value name, part;
    pick_skip_space(w);
    if (pick_take(w, last))
        return true;
    while (last == '}' ? pass_member(w, &name, &part) : pass_value(w, &part)) {
        pick_skip_space(w);
        if (pick_take(w, last))
            return true;
        if (!pick_take(w, ','))
            return false;
    }
    return false;
}

static bool pass_nested(json_walk *w, cw_json_value *value)
{
    const char *from = w->at++;
    bool is_object = *from == '{';
    bool passed = pass_parts(w, is_object ? '}' : ']');
    *value = (cw_json_value){.kind = is_object ? CW_JSON_OBJECT : CW_JSON_ARRAY, .bytes = pick_since(w, from)};
    return passed;
}

static bool pass_value(json_walk *w, cw_json_value *value)
{
    pick_skip_space(w);
    char c = pick_next_of(w);
    if (w->levels == MAX_LEVELS)
        return false;
    w->levels++;
    bool passed = c == '"'                                    ? pass_string(w, value)
                  : c == '{' || c == '['                      ? pass_nested(w, value)
                  : c == '-' || cw_is_digit((unsigned char)c) ? pass_number(w, value)
                                                              : pass_word(w, value);
    w->levels--;
    return passed;
}

/* ---- picking ---- */

/* Returns true if this is the wanted name. A name with escapes is compared character by character. */
static bool pick_is_name(const cw_json_value *name, crawl_slice wanted)
{
    char text[4];
    if (!name->has_escapes)
        return crawl_slice_equal(name->bytes, wanted);
    json_walk w = {.at = name->bytes.data, .end = name->bytes.data + name->bytes.size};
    while (w.at < w.end && wanted.size) {
        char c = *w.at++;
        size_t size = c == '\\' ? cw_utf8_encode(pick_take_escape(&w), text) : 1;
        if (c != '\\')
            *text = c;
        if (size > wanted.size || memcmp(wanted.data, text, size) != 0)
            return false;
        wanted = cw_drop(wanted, size);
    }
    return w.at == w.end && !wanted.size;
}

/* Returns the index of the name among the wanted ones; count: not found. The search begins after the last match, since
 * most texts have their members in the order of the names. */
static size_t pick_place_of(const cw_json_value *name, const crawl_slice *names, size_t count, size_t from)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = from + i < count ? from + i : from + i - count;
        if (pick_is_name(name, names[place]))
            return place;
    }
    return count;
}

static bool pick_members(json_walk *w, const crawl_slice *names, size_t count, cw_json_value *values)
{
    cw_json_value name, value;
    size_t next = 0;
    pick_skip_space(w);
    if (pick_take(w, '}'))
        return true;
    while (pass_member(w, &name, &value)) {
        size_t place = pick_place_of(&name, names, count, next);
        if (place < count) {
            values[place] = value;
            next = place + 1;
        }
        pick_skip_space(w);
        if (pick_take(w, '}'))
            return true;
        if (!pick_take(w, ','))
            return false;
    }
    return false;
}

static bool pick_object(json_walk *w, const crawl_slice *names, size_t count, cw_json_value *values)
{
    memset(values, 0, count * sizeof *values);
    pick_skip_space(w);
    bool is_object = pick_take(w, '{') && pick_members(w, names, count, values);
    pick_skip_space(w);
    return is_object;
}

bool cw_json_pick(crawl_slice text, const crawl_slice *names, size_t count, cw_json_value *values)
{
    json_walk w = {.at = text.data, .end = text.size ? text.data + text.size : text.data, .levels = 1};
    return pick_object(&w, names, count, values) && w.at == w.end;
}

/* Skips the separator before an element of an array. */
static bool pick_take_separator(json_walk *w)
{
    pick_skip_space(w);
    return pick_take(w, '[') || pick_take(w, ',');
}

bool cw_json_next_pick(crawl_slice *rest, const crawl_slice *names, size_t count, cw_json_value *values)
{
    json_walk w = {.at = rest->data, .end = rest->size ? rest->data + rest->size : rest->data, .levels = 1};
    bool is_there = pick_take_separator(&w) && pick_object(&w, names, count, values);
    *rest = crawl_slice_of(w.at, (size_t)(w.end - w.at));
    return is_there;
}

bool cw_json_next_element(crawl_slice *rest, cw_json_value *element)
{
    json_walk w = {.at = rest->data, .end = rest->size ? rest->data + rest->size : rest->data};
    bool is_there = pick_take_separator(&w) && pass_value(&w, element);
    *rest = crawl_slice_of(w.at, (size_t)(w.end - w.at));
    return is_there;
}

/* ---- values ---- */

crawl_slice cw_json_decoded(const cw_json_value *value, crawl_buf *decoded)
{
    if (value->kind != CW_JSON_STRING)
        return (crawl_slice){0};
    if (!value->has_escapes)
        return value->bytes;
    if (decoded->capacity - decoded->size <= value->bytes.size)
        return (crawl_slice){0};
    json_walk w = {.at = value->bytes.data, .end = value->bytes.data + value->bytes.size};
    char *begin = decoded->data + decoded->size;
    char *to = begin;
    while (w.at < w.end) {
        const char *from = w.at;
        skip_plain(&w);
        memcpy(to, from, (size_t)(w.at - from));
        to += w.at - from;
        if (pick_take(&w, '\\'))
            to += cw_utf8_encode(pick_take_escape(&w), to);
    }
    *to = '\0';
    decoded->size = (size_t)(to - decoded->data);
    return crawl_slice_of(begin, (size_t)(to - begin));
}

/* Parses digits with or without a point. Returns true if they are few enough that they and their power of ten are exact
 * in a double, which makes the quotient the nearest one. */
static bool read_few_digits(crawl_slice bytes, double *out)
{
    enum { EXACT_DIGITS = 15 };
    double whole = 0, scale = 1;
    bool is_fraction = false;
    for (size_t i = 0; i < bytes.size; i++) {
        char c = bytes.data[i];
        if (c != '.' && !cw_is_digit((unsigned char)c))
            return false;
        whole = c == '.' ? whole : whole * 10 + (c - '0');
        scale *= is_fraction ? 10 : 1;
        is_fraction |= c == '.';
    }
    *out = whole / scale;
    return bytes.size <= EXACT_DIGITS;
}

double cw_json_number(const cw_json_value *value)
{
    double nearest;
    if (value->kind != CW_JSON_NUMBER)
        return 0;
    bool is_negative = *value->bytes.data == '-';
    if (read_few_digits(cw_drop(value->bytes, is_negative), &nearest))
        return is_negative ? -nearest : nearest;
    json_t *number = pick_read_number(value->bytes);
    nearest = json_number_value(number);
    json_decref(number);
    return nearest;
}

/* Refuses a NUL, which jansson ignores after a number. */
static json_t *refuse_nul(json_error_t *why)
{
    if (why) {
        *why = (json_error_t){.line = 1};
        snprintf(why->text, sizeof why->text, "a NUL byte");
    }
    return NULL;
}

json_t *cw_json_read(crawl_slice line, json_error_t *why)
{
    const char *text = line.data ? line.data : "";
    if (memchr(text, '\0', line.size))
        return refuse_nul(why);
    json_t *value = json_loadb(text, line.size, 0, why);
    return value ? value : json_loadb(text, line.size, JSON_DECODE_INT_AS_REAL, why);
}
