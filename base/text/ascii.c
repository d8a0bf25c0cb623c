#include "base/text/ascii.h"

enum { BLOCK = 64, WORD = 8 };

/* The highest bits of eight bytes: ASCII has none of them. */
static const uint64_t highs = UINT64_C(0x8080808080808080);

/* Sixteen bytes in a register, if the processor has one that wide. */
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

/* From the byte `at` on. */
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

/* Each load has a bit for each of its bytes, so the first that is not ASCII is found at once. */
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
