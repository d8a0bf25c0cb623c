#include "base/utf8.h"

#include "base/bytes.h"

/* Properties of the first byte of a character: the number of following bytes, its own bits, and the range of the second
 * byte, which by itself excludes overlong forms, surrogates and code points above U+10FFFF (Unicode, table 3-7). */
typedef struct lead {
    uint8_t following;
    uint8_t bits;
    uint8_t least;
    uint8_t most;
} lead;

static inline lead lead_of(unsigned char byte)
{
    if (byte >= 0xc2 && byte < 0xe0)
        return (lead){1, byte & 0x1f, 0x80, 0xbf};
    if (byte >= 0xe0 && byte < 0xf0)
        return (lead){2, byte & 0x0f, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    if (byte >= 0xf0 && byte < 0xf5)
        return (lead){3, byte & 0x07, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
    return (lead){0};
}

static inline cw_utf8 next_at(const char *at, const char *end)
{
    unsigned char first = (unsigned char)*at;
    if (first < 0x80)
        return (cw_utf8){first, 1, false, false};
    lead sequence = lead_of(first);
    if (!sequence.following)
        return (cw_utf8){CW_UTF8_REPLACEMENT, 1, true, false};
    uint32_t code = sequence.bits;
    uint8_t size = 1;
    for (; size <= sequence.following; size++) {
        if (at + size == end)
            return (cw_utf8){CW_UTF8_REPLACEMENT, size, true, true};
        unsigned char next = (unsigned char)at[size];
        if (next < sequence.least || next > sequence.most)
            return (cw_utf8){CW_UTF8_REPLACEMENT, size, true, false};
        code = code << 6 | (next & 0x3f);
        sequence.least = 0x80;
        sequence.most = 0xbf;
    }
    return (cw_utf8){code, size, false, false};
}

cw_utf8 cw_utf8_next(const char *at, const char *end)
{
    return next_at(at, end);
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

static crawl_err utf8_replace(crawl_slice, crawl_buf *out)
{
    return crawl_buf_append_text(out, CW_UTF8_REPLACEMENT_TEXT);
}

static crawl_err utf8_replace_bytes(crawl_slice broken, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < broken.size && !err; i++)
        err = utf8_replace(broken, out);
    return err;
}

static crawl_err utf8_escape(crawl_slice broken, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < broken.size && !err; i++)
        err = crawl_buf_printf(out, "%%%02X", (unsigned char)broken.data[i]);
    return err;
}

/* Appends text with each broken sequence written by `put`. */
static crawl_err utf8_mend(crawl_slice text, crawl_err (*put)(crawl_slice broken, crawl_buf *out), crawl_buf *out)
{
    const char *end = text.data + text.size;
    crawl_err err = crawl_buf_reserve(out, text.size);
    for (const char *at = text.data; at < end && !err;) {
        crawl_slice good = crawl_slice_of(at, cw_utf8_valid_prefix(crawl_slice_of(at, (size_t)(end - at))));
        err = crawl_buf_append(out, good.data, good.size);
        at += good.size;
        if (at == end || err)
            break;
        crawl_slice broken = crawl_slice_of(at, cw_utf8_next(at, end).size);
        err = put(broken, out);
        at += broken.size;
    }
    return err;
}

crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out)
{
    return utf8_mend(text, utf8_replace, out);
}

crawl_err cw_utf8_repair_bytes(crawl_slice text, crawl_buf *out)
{
    return utf8_mend(text, utf8_replace_bytes, out);
}

crawl_err cw_utf8_escape(crawl_slice text, crawl_buf *out)
{
    return utf8_mend(text, utf8_escape, out);
}

size_t cw_utf8_count(crawl_slice text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

bool cw_utf8_is_ascii(crawl_slice text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.size; i++)
        all |= (unsigned char)text.data[i];
    return all < 0x80;
}

size_t cw_utf8_valid_prefix(crawl_slice text)
{
    const char *end = text.size ? text.data + text.size : text.data; /* data of an empty text may be NULL */
    for (size_t at = 0;;) {
        at += cw_ascii_prefix(cw_drop(text, at));
        if (at == text.size)
            return at;
        while (at < text.size && (unsigned char)text.data[at] >= 0x80) {
            cw_utf8 next = next_at(text.data + at, end);
            if (next.broken)
                return at;
            at += next.size;
        }
    }
}

bool cw_utf8_plausible(crawl_slice text)
{
    size_t at = cw_utf8_valid_prefix(text);
    return at == text.size || cw_utf8_next(text.data + at, text.data + text.size).cut;
}

crawl_slice cw_utf8_cut(crawl_slice text, size_t most)
{
    if (text.size <= most)
        return text;
    while (most && ((unsigned char)text.data[most] & 0xc0) == 0x80)
        most--;
    return crawl_slice_of(text.data, most);
}

enum { BLOCK = 64, WORD = 8 };

/* The highest bit of each of eight bytes; ASCII sets none. */
static const uint64_t highs = UINT64_C(0x8080808080808080);

/* Sixteen bytes, in a register if the processor has one that wide. */
typedef uint64_t two_words __attribute__((vector_size(16)));

static inline bool is_ascii_block(const char *at)
{
    two_words part[4];
    memcpy(part, at, sizeof part);
    two_words all = (part[0] | part[1]) | (part[2] | part[3]);
    return !((all[0] | all[1]) & highs);
}

static inline bool is_ascii_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return !(word & highs);
}

/* Continues at the byte `at`. */
static inline size_t go_on_portably(crawl_slice text, size_t at)
{
    while (text.size - at >= BLOCK && is_ascii_block(text.data + at))
        at += BLOCK;
    while (text.size - at >= WORD && is_ascii_word(text.data + at))
        at += WORD;
    while (at < text.size && (unsigned char)text.data[at] < 0x80)
        at++;
    return at;
}

size_t cw_ascii_prefix_portably(crawl_slice text)
{
    return go_on_portably(text, 0);
}

#ifdef __SSE2__
#include <immintrin.h>

/* Each load yields one bit per byte, so the first non-ASCII byte is found at once. */
__attribute__((target("avx2"))) static size_t prefix_by_avx2(crawl_slice text)
{
    size_t at = 0;
    for (; text.size - at >= BLOCK; at += BLOCK) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(text.data + at));
        __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(text.data + at + 32));
        if (_mm256_testz_si256(_mm256_or_si256(low, high), _mm256_set1_epi8((char)0x80)))
            continue;
        uint64_t bits = (unsigned)_mm256_movemask_epi8(low) | (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32;
        return at + (size_t)__builtin_ctzll(bits);
    }
    return go_on_portably(text, at);
}

size_t cw_ascii_prefix(crawl_slice text)
{
    return __builtin_cpu_supports("avx2") ? prefix_by_avx2(text) : cw_ascii_prefix_portably(text);
}
#else
size_t cw_ascii_prefix(crawl_slice text)
{
    return cw_ascii_prefix_portably(text);
}
#endif
