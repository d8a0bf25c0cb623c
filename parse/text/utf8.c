/* See utf8.h. */
#include "parse/text/utf8.h"

/* What the first byte says: how many follow, its own bits, and the range of the second, which alone excludes overlong
 * forms, surrogates and what lies beyond U+10FFFF (Unicode, table 3-7). */
typedef struct lead {
    uint8_t following;
    uint8_t bits;
    uint8_t least;
    uint8_t most;
} lead;

static lead lead_of(unsigned char byte)
{
    if (byte >= 0xc2 && byte < 0xe0)
        return (lead){1, byte & 0x1f, 0x80, 0xbf};
    if (byte >= 0xe0 && byte < 0xf0)
        return (lead){2, byte & 0x0f, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    if (byte >= 0xf0 && byte < 0xf5)
        return (lead){3, byte & 0x07, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
    return (lead){0};
}

uint32_t cw_utf8_decode(const char *at, const char *end, size_t *size)
{
    unsigned char first = (unsigned char)*at;
    *size = 1;
    if (first < 0x80)
        return first;
    lead sequence = lead_of(first);
    if (!sequence.following)
        return CW_UTF8_REPLACEMENT;
    uint32_t code = sequence.bits;
    for (uint8_t i = 0; i < sequence.following; i++) {
        if (at + *size == end)
            return CW_UTF8_REPLACEMENT;
        unsigned char next = (unsigned char)at[*size];
        if (next < sequence.least || next > sequence.most)
            return CW_UTF8_REPLACEMENT;
        code = code << 6 | (next & 0x3f);
        sequence.least = 0x80;
        sequence.most = 0xbf;
        ++*size;
    }
    return code;
}

size_t cw_utf8_encode(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = following; i > 0; i--) {
        to[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    to[0] = (char)(marks[following] | code);
    return following + 1;
}

crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out)
{
    const char *end = text.data + text.size;
    crawl_err err = crawl_buf_reserve(out, text.size);
    for (const char *at = text.data; at < end && !err;) {
        size_t size;
        uint32_t code = cw_utf8_decode(at, end, &size);
        err = code == CW_UTF8_REPLACEMENT ? crawl_buf_append_text(out, CW_UTF8_REPLACEMENT_TEXT)
                                          : crawl_buf_append(out, at, size);
        at += size;
    }
    return err;
}

bool cw_utf8_is_ascii(crawl_slice text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.size; i++)
        all |= (unsigned char)text.data[i];
    return all < 0x80;
}
