#include "parse/html/html_marks.h"

/* --- any processor: eight bytes in a word --- */

enum { WORD = 8 };

static const uint64_t ones = UINT64_C(0x0101010101010101);
static const uint64_t highs = UINT64_C(0x8080808080808080);

/* Gathers the highest bit of each byte: bit i is of byte i. */
static inline uint64_t html_marks_gather(uint64_t high_bits)
{
    return (high_bits >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Returns the highest bit of each byte that is wanted. No byte borrows from another. */
static inline uint64_t equal(uint64_t word, char wanted)
{
    uint64_t other = word ^ ones * (unsigned char)wanted;
    return ~(((other & ~highs) + ~highs) | other) & highs;
}

/* Returns the highest bit of each byte that is a space or less, or beyond ASCII. */
static inline uint64_t is_low_or_high(uint64_t word)
{
    uint64_t above_space = (word & ~highs) + ones * (0x80 - 0x21);
    return (~above_space | word) & highs;
}

static inline uint64_t load_word(const char *at)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < WORD; i++)
        word |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return word;
}

void cw_html_mark_portably(const char *at, size_t blocks, cw_html_marks *out)
{
    for (; blocks; blocks--, out++) {
        cw_html_marks marks = {0};
        for (unsigned i = 0; i < CW_MARKS_BLOCK; i += WORD, at += WORD) {
            uint64_t word = load_word(at);
            marks.open |= html_marks_gather(equal(word, '<')) << i;
            marks.close |= html_marks_gather(equal(word, '>')) << i;
            marks.quote |= html_marks_gather(equal(word, '"')) << i;
            marks.apostrophe |= html_marks_gather(equal(word, '\'')) << i;
            marks.slash |= html_marks_gather(equal(word, '/')) << i;
            marks.stop |= html_marks_gather(equal(word, '=') | is_low_or_high(word)) << i;
        }
        *out = marks;
    }
}

#ifdef __SSE2__
#include <immintrin.h>

/* --- SSE2: sixteen bytes --- */

typedef struct quarters {
    __m128i part[4];
} quarters;

static inline uint64_t bits_of_quarters(quarters bytes)
{
    uint64_t low = (unsigned)_mm_movemask_epi8(bytes.part[0]) | (unsigned)_mm_movemask_epi8(bytes.part[1]) << 16;
    uint64_t high = (unsigned)_mm_movemask_epi8(bytes.part[2]) | (unsigned)_mm_movemask_epi8(bytes.part[3]) << 16;
    return low | high << 32;
}

static inline uint64_t equal_in_quarters(quarters bytes, char wanted)
{
    for (unsigned i = 0; i < 4; i++)
        bytes.part[i] = _mm_cmpeq_epi8(bytes.part[i], _mm_set1_epi8(wanted));
    return bits_of_quarters(bytes);
}

/* Bytes beyond ASCII are negative. */
static inline uint64_t stops_in_quarters(quarters bytes)
{
    for (unsigned i = 0; i < 4; i++)
        bytes.part[i] = _mm_or_si128(_mm_cmplt_epi8(bytes.part[i], _mm_set1_epi8(' ' + 1)),
                                     _mm_cmpeq_epi8(bytes.part[i], _mm_set1_epi8('=')));
    return bits_of_quarters(bytes);
}

static void mark_by_sse2(const char *at, size_t blocks, cw_html_marks *out)
{
    for (; blocks; blocks--, at += CW_MARKS_BLOCK, out++) {
        quarters bytes;
        for (unsigned i = 0; i < 4; i++)
            bytes.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(at + (size_t)16 * i));
        out->open = equal_in_quarters(bytes, '<');
        out->close = equal_in_quarters(bytes, '>');
        out->quote = equal_in_quarters(bytes, '"');
        out->apostrophe = equal_in_quarters(bytes, '\'');
        out->slash = equal_in_quarters(bytes, '/');
        out->stop = stops_in_quarters(bytes);
    }
}

/* --- AVX2: thirty-two bytes --- */

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline uint64_t bits_of_halves(__m256i low, __m256i high)
{
    return (unsigned)_mm256_movemask_epi8(low) | (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32;
}

AVX2 static inline uint64_t equal_in_halves(__m256i low, __m256i high, char wanted)
{
    __m256i all = _mm256_set1_epi8(wanted);
    return bits_of_halves(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

AVX2 static inline __m256i stops_in_half(__m256i bytes)
{
    return _mm256_or_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(' ' + 1), bytes),
                           _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('=')));
}

AVX2 static void mark_by_avx2(const char *at, size_t blocks, cw_html_marks *out)
{
    for (; blocks; blocks--, at += CW_MARKS_BLOCK, out++) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
        __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
        out->open = equal_in_halves(low, high, '<');
        out->close = equal_in_halves(low, high, '>');
        out->quote = equal_in_halves(low, high, '"');
        out->apostrophe = equal_in_halves(low, high, '\'');
        out->slash = equal_in_halves(low, high, '/');
        out->stop = bits_of_halves(stops_in_half(low), stops_in_half(high));
    }
}

/* --- AVX-512: all sixty-four bytes, whose comparisons give bits directly --- */

#define AVX512 __attribute__((target("avx512bw")))

AVX512 static inline uint64_t equal_in_all(__m512i bytes, char wanted)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(wanted));
}

AVX512 static void mark_by_avx512(const char *at, size_t blocks, cw_html_marks *out)
{
    for (; blocks; blocks--, at += CW_MARKS_BLOCK, out++) {
        __m512i bytes = _mm512_loadu_si512(at);
        out->open = equal_in_all(bytes, '<');
        out->close = equal_in_all(bytes, '>');
        out->quote = equal_in_all(bytes, '"');
        out->apostrophe = equal_in_all(bytes, '\'');
        out->slash = equal_in_all(bytes, '/');
        out->stop = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(' ' + 1)) | equal_in_all(bytes, '=');
    }
}
#endif

/* --- */

size_t cw_html_all_markers(cw_html_marker markers[CW_HTML_MARKERS])
{
    size_t count = 0;
    markers[count++] = cw_html_mark_portably;
#ifdef __SSE2__
    markers[count++] = mark_by_sse2;
    if (__builtin_cpu_supports("avx2"))
        markers[count++] = mark_by_avx2;
    if (__builtin_cpu_supports("avx512bw"))
        markers[count++] = mark_by_avx512;
#endif
    return count;
}

cw_html_marker cw_html_best_marker(void)
{
    cw_html_marker markers[CW_HTML_MARKERS];
    return markers[cw_html_all_markers(markers) - 1];
}
