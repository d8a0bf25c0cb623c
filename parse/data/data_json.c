/* See data_json.h. One function for each kind of value, as in the grammar. */
#include "parse/data/data_json.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <crawl/data.h>

/* Digits of an integer that all readers keep in 64 bits. */
#define SAFE_DIGITS 18

/* The magnitude of the largest double, 1.8e308, less one: so no number comes near. */
#define MAX_MAGNITUDE 308

typedef struct json_reader {
    const char *at;
    const char *end;
    cw_writer *out;
    unsigned levels;
} json_reader;

static bool copy_value(json_reader *r);

static void data_json_skip_space(json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Returns the next byte; at the end NUL, which JSON never has outside strings. */
static char data_json_next_of(const json_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

/* Takes c, if it comes next. */
static bool data_json_take(json_reader *r, char c)
{
    if (data_json_next_of(r) != c)
        return false;
    r->at++;
    cw_put_char(r->out, c);
    return true;
}

/* ---- strings ---- */

/* Takes the four digits of an escape. -1: they are not digits. */
static int take_hex(json_reader *r)
{
    int value = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = cw_hex_value((unsigned char)r->at[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    r->at += 4;
    return value;
}

static bool is_low_surrogate(int unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Copies an escape, after its "\u". */
static bool copy_unicode(json_reader *r)
{
    const char *from = r->at;
    int unit = take_hex(r);
    if (unit < 0)
        return false;
    bool is_high = unit >= 0xd800 && unit < 0xdc00;
    if (is_high && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        const char *behind = r->at;
        r->at += 2;
        is_high = !is_low_surrogate(take_hex(r));
        r->at = is_high ? behind : r->at;
    }
    bool is_bad = unit == 0 || is_high || is_low_surrogate(unit);
    cw_put_text(r->out, is_bad ? CW_UTF8_REPLACEMENT_TEXT : "\\u");
    if (!is_bad)
        cw_put(r->out, crawl_slice_of(from, (size_t)(r->at - from)));
    return true;
}

/* Copies an escape, from its backslash on. */
static bool copy_escape(json_reader *r)
{
    r->at++;
    char letter = data_json_next_of(r);
    if (!letter || !strchr("\"\\/bfnrtu", letter))
        return false;
    r->at++;
    if (letter == 'u')
        return copy_unicode(r);
    cw_put_char(r->out, '\\');
    cw_put_char(r->out, letter);
    return true;
}

/* Escapes a control character, as JSON requires: many pages have line ends in their texts. */
static void put_control(json_reader *r)
{
    unsigned char c = (unsigned char)*r->at++;
    if (c)
        cw_put_format(r->out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\u%04x", c);
    else
        cw_put_text(r->out, CW_UTF8_REPLACEMENT_TEXT);
}

static bool copy_string(json_reader *r)
{
    if (!data_json_take(r, '"'))
        return false;
    while (r->at < r->end) {
        if ((unsigned char)*r->at < ' ') {
            put_control(r);
            continue;
        }
        const char *from = r->at;
        while (r->at < r->end && (unsigned char)*r->at >= ' ' && *r->at != '"' && *r->at != '\\')
            r->at++;
        cw_put(r->out, crawl_slice_of(from, (size_t)(r->at - from)));
        if (data_json_take(r, '"'))
            return true;
        if (data_json_next_of(r) == '\\' && !copy_escape(r))
            return false;
    }
    return false;
}

/* ---- numbers and words ---- */

static size_t data_json_take_digits(json_reader *r)
{
    const char *from = r->at;
    while (cw_is_digit((unsigned char)data_json_next_of(r)))
        r->at++;
    return (size_t)(r->at - from);
}

/* Takes the exponent, if there is one. MAX_MAGNITUDE + 1: it is too large, or has no digits. */
static int take_exponent(json_reader *r)
{
    int value = 0;
    if (data_json_next_of(r) != 'e' && data_json_next_of(r) != 'E')
        return 0;
    r->at++;
    bool is_negative = data_json_next_of(r) == '-';
    r->at += is_negative || data_json_next_of(r) == '+';
    const char *from = r->at;
    if (!data_json_take_digits(r))
        return MAX_MAGNITUDE + 1;
    for (const char *at = from; at < r->at && value <= MAX_MAGNITUDE; at++)
        value = value * 10 + (*at - '0');
    return is_negative ? 0 : value;
}

static bool copy_number(json_reader *r)
{
    const char *from = r->at;
    r->at += *r->at == '-';
    const char *first = r->at;
    size_t digits = data_json_take_digits(r);
    bool is_whole = data_json_next_of(r) != '.';
    if (!digits || (digits > 1 && *first == '0'))
        return false;
    r->at += !is_whole;
    if (!is_whole && !data_json_take_digits(r))
        return false;
    is_whole = is_whole && data_json_next_of(r) != 'e' && data_json_next_of(r) != 'E';
    int exponent = take_exponent(r);
    if (digits > MAX_MAGNITUDE || exponent + (int)digits > MAX_MAGNITUDE)
        return false;
    cw_put(r->out, crawl_slice_of(from, (size_t)(r->at - from)));
    cw_put_text(r->out, is_whole && digits > SAFE_DIGITS ? ".0" : "");
    return true;
}

static bool copy_word(json_reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    crawl_slice rest = crawl_slice_of(r->at, (size_t)(r->end - r->at));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cw_starts_with(rest, words[i])) {
            r->at += strlen(words[i]);
            cw_put_text(r->out, words[i]);
            return true;
        }
    return false;
}

/* ---- lists and objects ---- */

static bool copy_member(json_reader *r, bool has_name)
{
    data_json_skip_space(r);
    if (!has_name)
        return copy_value(r);
    if (!copy_string(r))
        return false;
    data_json_skip_space(r);
    return data_json_take(r, ':') && copy_value(r);
}

/* Copies the members of a list or object, after its opening bracket. */
static bool copy_members(json_reader *r, char last)
{
    data_json_skip_space(r);
    if (data_json_take(r, last))
        return true;
    while (copy_member(r, last == '}')) {
        data_json_skip_space(r);
        if (data_json_take(r, last))
            return true;
        if (!data_json_take(r, ','))
            return false;
    }
    return false;
}

static bool copy_nested(json_reader *r)
{
    if (++r->levels > CRAWL_DATA_MAX_LEVELS)
        return false;
    bool is_right = data_json_take(r, '{') ? copy_members(r, '}') : data_json_take(r, '[') && copy_members(r, ']');
    r->levels--;
    return is_right;
}

static bool copy_value(json_reader *r)
{
    data_json_skip_space(r);
    char c = data_json_next_of(r);
    if (c == '{' || c == '[')
        return copy_nested(r);
    if (c == '"')
        return copy_string(r);
    return c == '-' || cw_is_digit((unsigned char)c) ? copy_number(r) : copy_word(r);
}

bool cw_data_json_copy(crawl_slice text, cw_writer *out)
{
    json_reader r = {.at = text.data, .end = text.data + text.size, .out = out};
    data_json_skip_space(&r);
    char first = data_json_next_of(&r);
    if ((first != '{' && first != '[') || !copy_value(&r))
        return false;
    data_json_skip_space(&r);
    return r.at == r.end;
}
