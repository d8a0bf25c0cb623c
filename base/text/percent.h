/* Percent-encoding (URL standard, 1.3): the standard's sets as bits of one table, one lookup per byte. */
#pragma once

#include "base/bytes.h"

#include <crawl/base.h>

enum {
    CW_SET_C0 = 1 << 0, /* C0 control percent-encode set; the others follow by name */
    CW_SET_FRAGMENT = 1 << 1,
    CW_SET_QUERY = 1 << 2,
    CW_SET_SPECIAL_QUERY = 1 << 3,
    CW_SET_PATH = 1 << 4,
    CW_SET_USERINFO = 1 << 5,
    CW_UNRESERVED = 1 << 6 /* not a set to encode: the unreserved characters of RFC 3986, 2.3 */
};

extern const uint8_t cw_percent_sets[256];

/* Writes "%XX" at `to` and returns the byte after it. */
static inline char *cw_percent_escape(char *to, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    to[0] = '%';
    to[1] = digits[byte >> 4];
    to[2] = digits[byte & 15];
    return to + 3;
}

/* Returns the first byte of at..end whose class in the table has a bit of mask; end: there is none. */
static inline const char *cw_find_class(const uint8_t table[256], unsigned mask, const char *at, const char *end)
{
    while (at < end && !(table[(unsigned char)*at] & mask))
        at++;
    return at;
}

/* Writes the bytes from..end to `to`, escaping those in the set, and returns the byte after them. `to` needs room for
 * three times as many bytes. */
static inline char *cw_percent_write(char *to, const char *from, const char *end, unsigned set)
{
    for (;;) {
        const char *next = cw_find_class(cw_percent_sets, set, from, end);
        memcpy(to, from, (size_t)(next - from));
        to += next - from;
        if (next == end)
            return to;
        to = cw_percent_escape(to, (unsigned char)*next);
        from = next + 1;
    }
}

/* Returns the byte encoded by the "%XX" at `at`; -1: not an escape. */
static inline int cw_percent_value(const char *at, const char *end)
{
    if (end - at < 3 || *at != '%')
        return -1;
    int high = cw_hex_value((unsigned char)at[1]);
    int low = cw_hex_value((unsigned char)at[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Appends text with its escapes decoded. CRAWL_ENOMEM. */
crawl_err cw_percent_decode(crawl_slice text, crawl_buf *out);

/* Writes one side of a form pair (application/x-www-form-urlencoded), decoded and escaped again: unreserved bytes as
 * they are, a space as "+", all others as "%XX". `to` needs room for three times as many bytes. Returns its end. */
char *cw_percent_form(char *to, const char *from, const char *end);
