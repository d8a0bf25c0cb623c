#include "parse/url/ip.h"

#include "base/bytes.h"

/* --- IPv4 --- */

#define TOO_LARGE (UINT64_C(1) << 32)

static bool is_hexadecimal(crawl_slice part)
{
    return part.size >= 2 && part.data[0] == '0' && (part.data[1] | 0x20) == 'x';
}

/* The standard's "IPv4 number parser". Anything too large for 32 bits is TOO_LARGE. -1: not a number. */
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

bool cw_url_ends_in_number(crawl_slice host)
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

crawl_err cw_url_ipv4_parse(crawl_slice host, uint32_t *address)
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

size_t cw_url_ipv4_write(uint32_t address, char *to)
{
    char *at = to;
    for (int shift = 24; shift >= 0; shift -= 8) {
        at = write_octet(at, address >> shift & 0xff);
        if (shift)
            *at++ = '.';
    }
    return (size_t)(at - to);
}

/* --- IPv6: the parser walks the text once, a piece at a time, with the pieces so far and the place of "::" as its
 * state --- */

typedef struct ipv6_run {
    const char *at;
    const char *end;
    uint16_t *pieces;
    int count;    /* pieces read */
    int compress; /* pieces up to and including the first zero of "::"; -1: none seen */
} ipv6_run;

static int peek(const ipv6_run *run)
{
    return run->at < run->end ? (unsigned char)*run->at : -1;
}

/* Reads a decimal number up to 255 without leading zeros. -1: there is none. */
static int read_octet(ipv6_run *run)
{
    int value = -1;
    while (run->at < run->end && cw_is_digit((unsigned char)*run->at)) {
        if (value == 0)
            return -1;
        value = (value < 0 ? 0 : value * 10) + (*run->at++ - '0');
        if (value > 255)
            return -1;
    }
    return value;
}

/* Reads the IPv4 address at the end, which takes two pieces. */
static bool read_ipv4_tail(ipv6_run *run)
{
    if (run->count > 6)
        return false;
    uint32_t address = 0;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && (peek(run) != '.' || ++run->at == run->end))
            return false;
        int octet = read_octet(run);
        if (octet < 0)
            return false;
        address = address << 8 | (uint32_t)octet;
    }
    run->pieces[run->count++] = (uint16_t)(address >> 16);
    run->pieces[run->count++] = (uint16_t)address;
    return run->at == run->end;
}

/* Reads one piece with the colon after it, or "::", or an IPv4 address. */
static bool ip_read_piece(ipv6_run *run)
{
    if (run->count == 8)
        return false;
    if (peek(run) == ':') {
        if (run->compress >= 0)
            return false;
        run->at++;
        run->pieces[run->count++] = 0;
        run->compress = run->count;
        return true;
    }
    const char *start = run->at;
    unsigned value = 0;
    for (int digit; run->at < run->end && run->at - start < 4; run->at++) {
        digit = cw_hex_value((unsigned char)*run->at);
        if (digit < 0)
            break;
        value = value << 4 | (unsigned)digit;
    }
    if (peek(run) == '.') {
        bool some = run->at > start;
        run->at = start;
        return some && read_ipv4_tail(run);
    }
    /* A piece without digits cannot get past here: the colon of "::" was taken above. */
    if (run->at < run->end && (*run->at++ != ':' || run->at == run->end))
        return false;
    run->pieces[run->count++] = (uint16_t)value;
    return true;
}

/* Moves the pieces read after "::" to the end. */
static void ip_expand(ipv6_run *run)
{
    int after = run->count - run->compress;
    memmove(run->pieces + 8 - after, run->pieces + run->compress, sizeof *run->pieces * (size_t)after);
    memset(run->pieces + run->compress, 0, sizeof *run->pieces * (size_t)(8 - run->count));
}

crawl_err cw_url_ipv6_parse(crawl_slice text, uint16_t pieces[8])
{
    ipv6_run run = {text.data, text.data + text.size, pieces, 0, -1};
    if (text.size >= 1 && text.data[0] == ':') {
        if (text.size < 2 || text.data[1] != ':')
            return CRAWL_EPARSE;
        run.at++;
    }
    while (run.at < run.end)
        if (!ip_read_piece(&run))
            return CRAWL_EPARSE;
    if (run.compress < 0)
        return run.count == 8 ? CRAWL_OK : CRAWL_EPARSE;
    ip_expand(&run);
    return CRAWL_OK;
}

/* Returns the start of the first longest run of two or more zero pieces, and its length. -1: there is none. */
static int longest_zeros(const uint16_t pieces[8], int *length)
{
    int best = -1;
    *length = 1;
    for (int i = 0; i < 8; i++) {
        int size = 0;
        while (i + size < 8 && pieces[i + size] == 0)
            size++;
        if (size > *length) {
            best = i;
            *length = size;
        }
        i += size;
    }
    return best;
}

static char *write_piece(char *to, unsigned value)
{
    static const char digits[] = "0123456789abcdef";
    int shift = 12;
    while (shift > 0 && !(value >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *to++ = digits[value >> shift & 15];
    return to;
}

size_t cw_url_ipv6_write(const uint16_t pieces[8], char *to)
{
    int length;
    int zeros = longest_zeros(pieces, &length);
    char *at = to;
    for (int i = 0; i < 8; i++) {
        if (i == zeros) {
            *at++ = ':';
            if (i == 0)
                *at++ = ':';
            i += length - 1;
            continue;
        }
        at = write_piece(at, pieces[i]);
        if (i < 7)
            *at++ = ':';
    }
    return (size_t)(at - to);
}
