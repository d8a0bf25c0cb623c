/* Bytes to text and back: hexadecimal, base32, base64, ASCII classes. */
#ifndef CW_BYTES_H
#define CW_BYTES_H

#include <crawl/base.h>

/* 2 * size lower-case digits and a NUL. */
void cw_hex_encode(const void *bytes, size_t size, char *out);

/* Appends the bytes of an even number of hexadecimal digits. CRAWL_EPARSE: it is none; out is as it was. */
crawl_err cw_hex_decode(crawl_slice digits, crawl_buf *out);

/* RFC 4648 base32 without padding: ceil(size * 8 / 5) upper-case digits and a NUL. */
void cw_base32_encode(const void *bytes, size_t size, char *out);

/* Appends RFC 4648 base64, padded. CRAWL_ENOMEM. */
crawl_err cw_base64_append(crawl_slice bytes, crawl_buf *out);

/* Value of a hexadecimal digit; -1: none. */
static inline int cw_hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool cw_is_alpha(unsigned char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static inline bool cw_is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* White space of HTML and of the URL standard: tab, LF, FF, CR, space. */
static inline bool cw_is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static inline unsigned char cw_lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

/* The lowest bytes of a number, the lowest first; what follows them. */
static inline char *cw_le_put(char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (char)(value >> (8 * i));
    return at;
}

/* The number that so many bytes (8 at most) make; *at moves behind them. */
static inline uint64_t cw_le_get(const char **at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)*(*at)++ << (8 * i);
    return value;
}

static inline bool cw_starts_with(crawl_slice text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.data, start, size) == 0;
}

/* Equal but for ASCII case. */
bool cw_equal_nocase(crawl_slice a, crawl_slice b);

/* Without the white space around it. */
crawl_slice cw_trim(crawl_slice text);

#endif
