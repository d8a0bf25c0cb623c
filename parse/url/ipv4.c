/* See ipv4.h. */
#include "parse/url/ipv4.h"

#include "base/bytes.h"

#define TOO_LARGE (UINT64_C(1) << 32)

static bool is_hexadecimal(crawl_slice part)
{
    return part.size >= 2 && part.data[0] == '0' && (part.data[1] | 0x20) == 'x';
}

/* The standard's "IPv4 number parser". Anything too large for 32 bits is TOO_LARGE; -1: no number. */
static int64_t parse_number(crawl_slice part)
{
    int base = 10;
    size_t at = 0;
    if (part.size == 0)
        return -1;
    if (is_hexadecimal(part)) {
        base = 16;
        at = 2;
    } else if (part.size >= 2 && part.data[0] == '0') {
        base = 8;
        at = 1;
    }
    uint64_t value = 0;
    for (; at < part.size; at++) {
        int digit = cw_hex_value((unsigned char)part.data[at]);
        if (digit < 0 || digit >= base)
            return -1;
        value = value * (uint64_t)base + (uint64_t)digit;
        if (value > TOO_LARGE)
            value = TOO_LARGE;
    }
    return (int64_t)value;
}

static crawl_slice without_final_dot(crawl_slice host)
{
    if (host.size > 1 && host.data[host.size - 1] == '.')
        host.size--;
    return host;
}

bool cw_ipv4_ends_in_number(crawl_slice host)
{
    host = without_final_dot(host);
    const char *dot = memrchr(host.data, '.', host.size);
    const char *last = dot ? dot + 1 : host.data;
    crawl_slice part = crawl_slice_of(last, (size_t)(host.data + host.size - last));
    if (part.size == 0 || !cw_is_digit((unsigned char)part.data[0]))
        return false;
    size_t digits = 0;
    while (digits < part.size && cw_is_digit((unsigned char)part.data[digits]))
        digits++;
    return digits == part.size || (is_hexadecimal(part) && parse_number(part) >= 0);
}

crawl_err cw_ipv4_parse(crawl_slice host, uint32_t *address)
{
    host = without_final_dot(host);
    const char *end = host.data + host.size;
    uint64_t high = 0;
    unsigned parts = 0;
    for (const char *at = host.data;;) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        int64_t number = parse_number(crawl_slice_of(at, (size_t)((dot ? dot : end) - at)));
        if (number < 0 || parts == 4)
            return CRAWL_EPARSE;
        parts++;
        if (!dot) {
            /* The last part fills what the others left. */
            uint64_t room = TOO_LARGE >> (8 * (parts - 1));
            if ((uint64_t)number >= room)
                return CRAWL_EPARSE;
            *address = (uint32_t)(high * room + (uint64_t)number);
            return CRAWL_OK;
        }
        if (number > 255)
            return CRAWL_EPARSE;
        high = high << 8 | (uint64_t)number;
        at = dot + 1;
    }
}

static char *write_octet(char *to, unsigned value)
{
    if (value >= 100)
        *to++ = (char)('0' + value / 100);
    if (value >= 10)
        *to++ = (char)('0' + value / 10 % 10);
    *to++ = (char)('0' + value % 10);
    return to;
}

size_t cw_ipv4_write(uint32_t address, char *to)
{
    char *at = to;
    for (int shift = 24; shift >= 0; shift -= 8) {
        at = write_octet(at, address >> shift & 0xff);
        if (shift)
            *at++ = '.';
    }
    return (size_t)(at - to);
}
