#include "base/json/json_write.h"

#include "base/utf8.h"

#include <locale.h>
#include <stdio.h>

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Returns true if one of the eight bytes is below `least` (at most 128). Ignores bytes above 0x7f. */
static inline bool has_below(uint64_t word, uint8_t least)
{
    return ((word - EACH_BYTE(least)) & ~word & EACH_BYTE(0x80)) != 0;
}

static inline bool has_byte(uint64_t word, char byte)
{
    return has_below(word ^ EACH_BYTE((uint8_t)byte), 1);
}

static inline bool json_write_is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static inline bool are_plain(const char *eight)
{
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    return !(word & EACH_BYTE(0x80)) && !has_below(word, ' ') && !has_byte(word, '"') && !has_byte(word, '\\');
}

/* Returns the end of the bytes that need no escape. */
static const char *plain_end(const char *at, const char *end)
{
    while (end - at >= 8 && are_plain(at))
        at += 8;
    while (at < end && json_write_is_plain((unsigned char)*at))
        at++;
    return at;
}

static void put_escape(cw_writer *writer, unsigned char c)
{
    static const char letters[128] = {
        ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    };
    char escape[8];
    snprintf(escape, sizeof escape, letters[c] ? "\\%c" : "\\u%04X", letters[c] ? letters[c] : c);
    cw_put_text(writer, escape);
}

/* Writes the next special part: an escape, a character of several bytes, or U+FFFD for an invalid byte. Returns the
 * position after it. */
static const char *put_special(cw_writer *writer, const char *at, const char *end)
{
    if ((unsigned char)*at < 0x80) {
        put_escape(writer, (unsigned char)*at);
        return at + 1;
    }
    cw_utf8 next = cw_utf8_next(at, end);
    if (!next.broken) {
        cw_put(writer, crawl_slice_of(at, next.size));
        return at + next.size;
    }
    cw_put_text(writer, CW_UTF8_REPLACEMENT_TEXT);
    return at + 1;
}

void cw_json_put_text(cw_writer *writer, crawl_slice text)
{
    const char *at = text.size ? text.data : "";
    const char *end = at + text.size;
    cw_put_char(writer, '"');
    while (at < end) {
        const char *stop = plain_end(at, end);
        cw_put(writer, crawl_slice_of(at, (size_t)(stop - at)));
        at = stop < end ? put_special(writer, stop, end) : stop;
    }
    cw_put_char(writer, '"');
}

void cw_json_put_int(cw_writer *writer, int64_t number)
{
    char digits[24];
    char *end = digits + sizeof digits;
    char *at = end;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0)
        *--at = '-';
    cw_put(writer, crawl_slice_of(at, (size_t)(end - at)));
}

/* Shortens an exponent as jansson does: no '+', no leading zeros. */
static void shorten_exponent(char *exponent)
{
    char *digits = exponent + 1;
    char *to = digits + (*digits == '-');
    digits += *digits == '-' || *digits == '+';
    digits += strspn(digits, "0");
    memmove(to, digits, strlen(digits) + 1);
}

void cw_json_put_real(cw_writer *writer, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", number);
    char *point = strchr(text, *localeconv()->decimal_point);
    char *exponent = strchr(text, 'e');
    if (point)
        *point = '.';
    if (exponent)
        shorten_exponent(exponent);
    cw_put_text(writer, text);
    if (!point && !exponent)
        cw_put_text(writer, ".0");
}
