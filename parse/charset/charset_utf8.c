/* See charset_utf8.h. */
#include "parse/charset/charset_utf8.h"

/* One sequence at the start of p: its length, and whether it is a character. A broken one is as long as the bytes that
 * a character could begin with, at least one. */
typedef struct sequence {
    size_t size;
    bool valid;
    bool cut; /* broken only because the text ends */
} sequence;

/* The range that the second byte of a sequence must be in. */
typedef struct byte_range {
    unsigned char low;
    unsigned char high;
} byte_range;

static size_t length_by_lead(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (lead < 0xf0)
        return 3;
    return lead < 0xf5 ? 4 : 0;
}

static byte_range second_byte(unsigned char lead)
{
    switch (lead) {
    case 0xe0:
        return (byte_range){0xa0, 0xbf}; /* no overlong forms */
    case 0xed:
        return (byte_range){0x80, 0x9f}; /* no surrogates */
    case 0xf0:
        return (byte_range){0x90, 0xbf}; /* no overlong forms */
    case 0xf4:
        return (byte_range){0x80, 0x8f}; /* nothing beyond U+10FFFF */
    default:
        return (byte_range){0x80, 0xbf};
    }
}

static sequence sequence_at(const unsigned char *p, size_t left)
{
    size_t size = length_by_lead(p[0]);
    if (size <= 1)
        return (sequence){1, size == 1, false};
    byte_range range = second_byte(p[0]);
    for (size_t i = 1; i < size; i++) {
        if (i == left)
            return (sequence){i, false, true};
        if (p[i] < range.low || p[i] > range.high)
            return (sequence){i, false, false};
        range = (byte_range){0x80, 0xbf};
    }
    return (sequence){size, true, false};
}

/* Steps over ASCII, 32 bytes at a time: pages are mostly that. */
static size_t skip_ascii(const unsigned char *p, size_t at, size_t size)
{
    for (uint64_t words[4]; size - at >= sizeof words; at += sizeof words) {
        memcpy(words, p + at, sizeof words);
        if ((words[0] | words[1] | words[2] | words[3]) & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < size && p[at] < 0x80)
        at++;
    return at;
}

size_t cw_utf8_valid_prefix(crawl_slice text)
{
    const unsigned char *p = (const unsigned char *)text.data;
    for (size_t at = 0;;) {
        at = skip_ascii(p, at, text.size);
        if (at == text.size)
            return at;
        sequence next = sequence_at(p + at, text.size - at);
        if (!next.valid)
            return at;
        at += next.size;
    }
}

bool cw_utf8_plausible(crawl_slice text)
{
    size_t at = cw_utf8_valid_prefix(text);
    return at == text.size || sequence_at((const unsigned char *)text.data + at, text.size - at).cut;
}
