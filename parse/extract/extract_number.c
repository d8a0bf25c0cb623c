/* Numbers as pages write them. See extract_text.h. */
#include "parse/extract/extract_text.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

crawl_err cw_extract_collapse(crawl_slice text, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    const char *space = "";
    for (crawl_slice word = cw_take_word(&text, false); !err && word.size; word = cw_take_word(&text, false)) {
        err = crawl_buf_append_text(out, space);
        if (!err)
            err = crawl_buf_append(out, word.data, word.size);
        space = " ";
    }
    return err;
}

/* Returns what a full-width or Arabic digit or mark of a number is in ASCII; 0: it is neither. */
static char extract_number_plain_of(uint32_t code)
{
    static const uint32_t zeros[] = {0xff10, 0x660, 0x6f0};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (code >= zeros[i] && code <= zeros[i] + 9)
            return (char)('0' + (code - zeros[i]));
    return code == 0xff0c || code == 0x66c ? ',' : code == 0xff0e || code == 0x66b ? '.' : code == 0xff0d ? '-' : 0;
}

size_t cw_extract_plain(crawl_slice text, char *to, size_t room)
{
    size_t size = 0;
    while (text.size) {
        cw_utf8 next = cw_utf8_next(text.data, text.data + text.size);
        char plain = next.broken ? '\0' : extract_number_plain_of(next.code);
        size_t added = plain ? 1 : next.size;
        if (size + added > room)
            break;
        memcpy(to + size, plain ? &plain : text.data, added);
        size += added;
        text = cw_drop(text, next.size);
    }
    return size;
}

/* Returns the place of the first digit that is not ASCII; text.size: there is none. */
static size_t extract_number_find_foreign(crawl_slice text)
{
    for (size_t at = 0; at < text.size; at++) {
        if ((unsigned char)text.data[at] < 0x80)
            continue;
        cw_utf8 next = cw_utf8_next(text.data + at, text.data + text.size);
        char plain = next.broken ? '\0' : extract_number_plain_of(next.code);
        if (cw_is_digit((unsigned char)plain))
            return at;
        at += next.size - 1u;
    }
    return text.size;
}

/* The separators of groups of three digits besides "," and ".": a space, no-break spaces, apostrophes. */
static const char *const group_signs[] = {" ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "'", "\xe2\x80\x99"};

/* Returns the size of such a separator at the start of text that is followed by exactly three digits. 0: there is
 * none. */
static size_t group_sign_size(crawl_slice text)
{
    for (size_t i = 0; i < sizeof group_signs / sizeof *group_signs; i++)
        if (cw_starts_with(text, group_signs[i]) && cw_count_digits(cw_drop(text, strlen(group_signs[i]))) == 3)
            return strlen(group_signs[i]);
    return 0;
}

/* A number: its digits, and the places of commas and points among them. */
typedef struct number {
    char digits[CW_EXTRACT_MAX_DIGITS];
    size_t count;
    size_t marks[2]; /* how many commas, how many points */
    size_t last[2];  /* digits before the last of each */
    size_t first[2]; /* and before the first */
} number;

/* Reads digits and separators, and leaves *rest after them. false: there are too many. */
static bool read_digits(crawl_slice *rest, number *out)
{
    crawl_slice text = *rest;
    while (text.size) {
        size_t sign = out->count ? group_sign_size(text) : 0;
        bool is_mark = (text.data[0] == ',' || text.data[0] == '.') && cw_count_digits(cw_drop(text, 1)) > 0;
        if (cw_is_digit((unsigned char)text.data[0])) {
            if (out->count == CW_EXTRACT_MAX_DIGITS)
                return false;
            out->digits[out->count++] = text.data[0];
        } else if (is_mark) {
            int which = text.data[0] == '.';
            out->first[which] = out->marks[which]++ ? out->first[which] : out->count;
            out->last[which] = out->count;
        } else if (!sign) {
            break;
        }
        text = cw_drop(text, sign ? sign : 1);
    }
    *rest = text;
    return true;
}

/* Returns true if a double holds the number with this exponent. It has no point here, which depends on the locale. */
static bool is_double(const number *n, size_t whole, long exponent)
{
    char text[CW_EXTRACT_NUMBER_SIZE];
    exponent -= (long)(n->count - whole);
    snprintf(text, sizeof text, "%.*se%ld", (int)n->count, n->digits, exponent);
    return !isinf(strtod(text, NULL));
}

/* Appends an exponent, as the values of meter, progress and data may have one (HTML standard, 2.3.4.3), unless it is
 * the beginning of a word, or makes the number larger than a double. whole: how many digits precede the decimal mark.
 */
static char *put_exponent(crawl_slice text, const number *n, size_t whole, char *to)
{
    enum { DIGITS_MAX = 3 }; /* of a double */
    if (!text.size || (text.data[0] | 0x20) != 'e')
        return to;
    size_t sign = text.size > 1 && (text.data[1] == '-' || text.data[1] == '+');
    crawl_slice rest = cw_drop(text, 1 + sign);
    size_t digits = cw_count_digits(rest);
    crawl_slice behind = cw_drop(rest, digits);
    if (!digits || digits > DIGITS_MAX || (behind.size && cw_is_alnum((unsigned char)behind.data[0])))
        return to;
    memcpy(to, text.data, 1 + sign + digits);
    *to = 'e';
    to[1 + sign + digits] = '\0';
    return is_double(n, whole, strtol(to + 1, NULL, 10)) ? to + 1 + sign + digits : to;
}

/* Returns how many of the digits precede the decimal mark. With both commas and points, it is the kind that comes last,
 * if it occurs once; with only one kind, it is a point, or a comma not followed by exactly three digits ("0,125" groups
 * nothing). */
static size_t count_whole(const number *n)
{
    int last = n->marks[1] && (!n->marks[0] || n->last[1] > n->last[0]);
    bool is_alone = !n->marks[!last];
    bool may_group = n->last[0] && n->digits[0] != '0' && n->count - n->last[0] == 3;
    bool is_grouping = n->marks[last] != 1 || (is_alone && last == 0 && may_group);
    return is_grouping ? n->count : n->last[last];
}

/* Returns true if text ends in a letter, a digit, or a mark after which no number begins with a point. Of characters
 * beyond ASCII, those of C2 and E2 are signs: of currencies, of mathematics and the like. */
static bool ends_in_word(crawl_slice text)
{
    size_t at = text.size;
    while (at && ((unsigned char)text.data[at - 1] & 0xc0) == 0x80)
        at--;
    unsigned char lead = at ? (unsigned char)text.data[at - 1] : ' ';
    return cw_is_alnum(lead) || lead == '.' || lead == '/' || (lead >= 0x80 && lead != 0xc2 && lead != 0xe2);
}

/* Returns the size of a currency sign at the end of text: U+00A2 to U+00A5, or U+20A0 to U+20BF. 0: there is none. */
static size_t symbol_size(crawl_slice text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    unsigned char last = text.size ? bytes[text.size - 1] : ' ';
    if (text.size >= 2 && bytes[text.size - 2] == 0xc2 && last >= 0xa2 && last <= 0xa5)
        return 2;
    return text.size >= 3 && memcmp(bytes + text.size - 3, "\xe2\x82", 2) == 0 && last >= 0xa0 ? 3 : 0;
}

/* Returns true if the point before these digits is their decimal mark. In "₹.500" it ends an abbreviation of the
 * currency; of "₿.00015" it is one. */
static bool is_decimal_point(crawl_slice before, crawl_slice digits)
{
    number n = {0};
    return !ends_in_word(before) && read_digits(&digits, &n) && !n.marks[0] && !n.marks[1] &&
           (n.count <= 2 || n.digits[0] == '0' || !symbol_size(before));
}

/* Returns the place of the first digit, or of the mark before it in ".5"; text.size: there is none. */
static size_t find_number(crawl_slice text)
{
    size_t at = cw_find_any(text, "0123456789");
    bool has_point = at < text.size && at > 0 && text.data[at - 1] == '.';
    return at - (has_point && is_decimal_point(crawl_slice_of(text.data, at - 1), cw_drop(text, at)));
}

/* Removes this text from the end of *text, if it is there. */
static bool extract_number_take_end(crawl_slice *text, const char *end)
{
    if (!cw_ends_with(*text, end))
        return false;
    text->size -= strlen(end);
    return true;
}

/* Removes capital letters from the end that are a word of their own: three, as in "EUR", or at most two, as "US" in
 * "US$". */
static void extract_number_take_capitals(crawl_slice *text, bool is_code)
{
    size_t size = 0;
    while (size < text->size && text->data[text->size - size - 1] >= 'A' && text->data[text->size - size - 1] <= 'Z')
        size++;
    if (is_code ? size == 3 : size < 3)
        text->size -= size;
}

/* Returns the text before the number without a currency sign: the minus of "-$5" and "-kr 5" is before that. */
static crawl_slice before_currency(crawl_slice before)
{
    static const char *const signs[] = {
        "$",  "kr", "Kr", "Fr",           "Rs",           "z\xc5\x82",    "K\xc4\x8d",    "Ft", "lei", "Rp",
        "RM", "TL", "R",  "\xe0\xb8\xbf", "\xef\xbc\x84", "\xef\xbf\xa1", "\xef\xbf\xa5", "S/", "B/"};
    crawl_slice text = before;
    while (text.size && cw_is_space((unsigned char)text.data[text.size - 1]))
        text.size--;
    extract_number_take_end(&text, "\xc2\xa0");
    size_t size = text.size;
    extract_number_take_capitals(&text, true);
    if (text.size == size) {
        extract_number_take_end(&text, "."); /* of an abbreviation */
        size = text.size;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs && text.size == size; i++)
        extract_number_take_end(&text, signs[i]);
    if (text.size == size)
        text.size -= symbol_size(text);
    if (text.size < size && text.data[text.size] == '$')
        extract_number_take_capitals(&text, false);
    return text.size < size ? text : before;
}

/* Returns true for a hyphen or minus sign directly before the number or its currency, with no letter or digit before
 * it: "a-5" and "1-5" have none. */
static bool is_negative(crawl_slice before)
{
    if (!cw_ends_with(before, "-") && !cw_ends_with(before, "\xe2\x88\x92"))
        before = before_currency(before);
    bool is_minus = cw_ends_with(before, "\xe2\x88\x92");
    size_t sign = is_minus ? 3 : cw_ends_with(before, "-") ? 1 : 0;
    if (!sign)
        return false;
    unsigned char previous = before.size > sign ? (unsigned char)before.data[before.size - sign - 1] : ' ';
    return !cw_is_alnum(previous);
}

bool cw_extract_number(crawl_slice text, char out[CW_EXTRACT_NUMBER_SIZE])
{
    enum { BEFORE = 16 }; /* bytes: a currency and a minus */
    number n = {0};
    char plain[256];
    size_t foreign = extract_number_find_foreign(text);
    if (foreign < cw_find_any(text, "0123456789")) {
        text = cw_drop(text, foreign > BEFORE ? foreign - BEFORE : 0);
        text = crawl_slice_of(plain, cw_extract_plain(text, plain, sizeof plain));
    }
    size_t at = find_number(text);
    crawl_slice rest = cw_drop(text, at);
    if (at == text.size || !read_digits(&rest, &n))
        return false;
    size_t whole = count_whole(&n);
    size_t zeros = 0;
    char *to = out;
    if (is_negative(crawl_slice_of(text.data, at)))
        *to++ = '-';
    while (zeros + 1 < whole && n.digits[zeros] == '0')
        zeros++;
    if (!whole)
        *to++ = '0';
    for (size_t i = zeros; i < n.count; i++) {
        if (i == whole)
            *to++ = '.';
        *to++ = n.digits[i];
    }
    to = put_exponent(rest, &n, whole, to);
    *to = '\0';
    return true;
}
