/* The operations of cells.h on a block, in x86 vector instructions. They return the same results and leave the same
 * memory. */
#pragma once

#include <immintrin.h>

#include "bloom/kinds/cells.h"

#define CW_KIND_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define CW_KIND_AVX512 __attribute__((target("avx512f,avx512dq,avx2,bmi2,popcnt")))

/* ---- AVX2: four lanes in a register; lanes 4 to 7 are the high half ---- */

/* Returns `value` at the cells of four lanes. */
CW_KIND_AVX2 CW_KIND_INLINE __m256i cw_kind_256_bits(uint64_t bits, bool high, long long value)
{
    const __m256i bytes = high ? _mm256_set_epi64x(56, 48, 40, 32) : _mm256_set_epi64x(24, 16, 8, 0);
    __m256i cells = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)bits), bytes);
    cells = _mm256_and_si256(cells, _mm256_set1_epi64x(CW_KIND_LANE_CELLS - 1));
    return _mm256_sllv_epi64(_mm256_set1_epi64x(value), cells);
}

/* Returns true if these bits are all set in half a block. */
CW_KIND_AVX2 CW_KIND_INLINE bool cw_kind_256_all(const uint64_t *block, bool high, __m256i bits)
{
    return _mm256_testc_si256(_mm256_load_si256((const __m256i *)block + high), bits) != 0;
}

CW_KIND_AVX2 CW_KIND_INLINE __m256i cw_kind_256_key(bool twice, cw_bloom_hash hash, bool high, long long value)
{
    __m256i bits = cw_kind_256_bits(hash.bits, high, value);
    return twice ? _mm256_or_si256(bits, cw_kind_256_bits(cw_bloom_hash_more(hash), high, value)) : bits;
}

CW_KIND_AVX2 CW_KIND_INLINE bool cw_kind_256_has(cw_kind_cells cells, bool twice, const uint64_t *block,
                                                 cw_bloom_hash hash)
{
    if (cells == CW_COUNTERS)
        return cw_kind_key_in(cells, twice, block, hash);
    bool low = cw_kind_256_all(block, false, cw_kind_256_key(twice, hash, false, 1));
    bool high = cw_kind_256_all(block, true, cw_kind_256_key(twice, hash, true, 1));
    return (int)low & (int)high; /* no branch */
}

CW_KIND_AVX2 CW_KIND_INLINE void cw_kind_256_set(bool twice, uint64_t *block, cw_bloom_hash hash, bool wanted)
{
    __m256i *halves = (__m256i *)block;
    for (unsigned half = 0; half < 2; half++) {
        __m256i bits = cw_kind_256_key(twice, hash, half, wanted);
        _mm256_store_si256(halves + half, _mm256_or_si256(_mm256_load_si256(halves + half), bits));
    }
}

/* ---- AVX-512: a line is a register ---- */

CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_cells(uint64_t bits)
{
    const __m512i bytes = _mm512_set_epi64(56, 48, 40, 32, 24, 16, 8, 0);
    __m512i cells = _mm512_srlv_epi64(_mm512_set1_epi64((long long)bits), bytes);
    return _mm512_and_si512(cells, _mm512_set1_epi64(CW_KIND_LANE_CELLS - 1));
}

CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_bits(uint64_t bits, long long value)
{
    return _mm512_sllv_epi64(_mm512_set1_epi64(value), cw_kind_512_cells(bits));
}

/* Returns `value` at the positions of counters in their words. */
CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_at(__m512i cells, long long value)
{
    __m512i shift = _mm512_slli_epi64(_mm512_and_si512(cells, _mm512_set1_epi64(15)), 2);
    return _mm512_sllv_epi64(_mm512_set1_epi64(value), shift);
}

CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_line(const uint64_t *block, unsigned line)
{
    return _mm512_load_si512(block + line * CW_KIND_LINE_WORDS);
}

/* Returns true if none of these counters is 0. First gathers the word of every lane from the four lines. */
CW_KIND_AVX512 CW_KIND_INLINE bool cw_kind_512_counted(const uint64_t *block, uint64_t bits)
{
    __m512i cells = cw_kind_512_cells(bits);
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i odd = _mm512_srli_epi64(_mm512_and_si512(cells, _mm512_set1_epi64(16)), 1); /* 8 selects the second of two
                                                                                           lines */
    __m512i from = _mm512_or_si512(lanes, odd);
    __m512i low = _mm512_permutex2var_epi64(cw_kind_512_line(block, 0), from, cw_kind_512_line(block, 1));
    __m512i high = _mm512_permutex2var_epi64(cw_kind_512_line(block, 2), from, cw_kind_512_line(block, 3));
    __m512i words = _mm512_mask_mov_epi64(low, _mm512_test_epi64_mask(cells, _mm512_set1_epi64(32)), high);
    return _mm512_test_epi64_mask(words, cw_kind_512_at(cells, 15)) == 0xff;
}

CW_KIND_AVX512 CW_KIND_INLINE bool cw_kind_512_has(cw_kind_cells cells, bool twice, const uint64_t *block,
                                                   cw_bloom_hash hash)
{
    if (cells == CW_COUNTERS)
        return cw_kind_512_counted(block, hash.bits) &&
               (!twice || cw_kind_512_counted(block, cw_bloom_hash_more(hash)));
    __m512i taken = cw_kind_512_line(block, 0);
    __mmask8 all = _mm512_test_epi64_mask(taken, cw_kind_512_bits(hash.bits, 1));
    if (twice)
        all &= _mm512_test_epi64_mask(taken, cw_kind_512_bits(cw_bloom_hash_more(hash), 1));
    return all == 0xff;
}

CW_KIND_AVX512 CW_KIND_INLINE void cw_kind_512_set(bool twice, uint64_t *block, cw_bloom_hash hash, bool wanted)
{
    __m512i bits = cw_kind_512_bits(hash.bits, wanted);
    if (twice)
        bits = _mm512_or_si512(bits, cw_kind_512_bits(cw_bloom_hash_more(hash), wanted));
    _mm512_store_si512(block, _mm512_or_si512(cw_kind_512_line(block, 0), bits));
}

/* The counters of a key: the cells, and 1 at their positions, for any line. */
typedef struct cw_kind_512_counters {
    __m512i cells, ones;
} cw_kind_512_counters;

CW_KIND_AVX512 CW_KIND_INLINE cw_kind_512_counters cw_kind_512_counters_of(uint64_t bits)
{
    __m512i cells = cw_kind_512_cells(bits);
    return (cw_kind_512_counters){_mm512_srli_epi64(cells, 4), cw_kind_512_at(cells, 1)};
}

CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_in_line(const cw_kind_512_counters *counters, unsigned line)
{
    __mmask8 here = _mm512_cmpeq_epi64_mask(counters->cells, _mm512_set1_epi64(line));
    return _mm512_maskz_mov_epi64(here, counters->ones);
}

/* Returns 1 at the positions of counters that are 15. */
CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_saturated(__m512i line)
{
    __m512i pairs = _mm512_and_si512(line, _mm512_srli_epi64(line, 1));
    __m512i all = _mm512_and_si512(pairs, _mm512_srli_epi64(pairs, 2));
    return _mm512_and_si512(all, _mm512_set1_epi64(0x1111111111111111));
}

/* Returns 1 for each unsaturated counter of the key in a line. */
CW_KIND_AVX512 CW_KIND_INLINE __m512i cw_kind_512_moves(bool twice, const cw_kind_512_counters key[2], unsigned line,
                                                        __m512i counters)
{
    __m512i ones = cw_kind_512_in_line(&key[0], line);
    if (twice)
        ones = _mm512_or_si512(ones, cw_kind_512_in_line(&key[1], line));
    return _mm512_andnot_si512(cw_kind_512_saturated(counters), ones);
}

CW_KIND_AVX512 CW_KIND_INLINE unsigned cw_kind_512_popcount(__m512i line)
{
    uint64_t words[CW_KIND_LINE_WORDS];
    unsigned count = 0;
    memcpy(words, &line, sizeof words);
    for (unsigned i = 0; i < CW_KIND_LINE_WORDS; i++)
        count += (unsigned)__builtin_popcountll(words[i]);
    return count;
}

CW_KIND_AVX512 CW_KIND_INLINE unsigned cw_kind_512_count(bool twice, uint64_t *block, cw_bloom_hash hash)
{
    const cw_kind_512_counters key[2] = {cw_kind_512_counters_of(hash.bits),
                                         cw_kind_512_counters_of(twice ? cw_bloom_hash_more(hash) : hash.bits)};
    unsigned saturated = 0;
    for (unsigned line = 0; line < CW_KIND_LINES_MAX; line++) {
        __m512i counters = cw_kind_512_line(block, line);
        __m512i moves = cw_kind_512_moves(twice, key, line, counters);
        counters = _mm512_add_epi64(counters, moves);
        _mm512_store_si512(block + line * CW_KIND_LINE_WORDS, counters);
        __m512i full = _mm512_and_si512(moves, cw_kind_512_saturated(counters));
        if (__builtin_expect(_mm512_test_epi64_mask(full, full) != 0, 0))
            saturated += cw_kind_512_popcount(full);
    }
    return saturated;
}

CW_KIND_AVX512 CW_KIND_INLINE void cw_kind_512_take(bool twice, uint64_t *block, cw_bloom_hash hash)
{
    const cw_kind_512_counters key[2] = {cw_kind_512_counters_of(hash.bits),
                                         cw_kind_512_counters_of(twice ? cw_bloom_hash_more(hash) : hash.bits)};
    for (unsigned line = 0; line < CW_KIND_LINES_MAX; line++) {
        __m512i counters = cw_kind_512_line(block, line);
        counters = _mm512_sub_epi64(counters, cw_kind_512_moves(twice, key, line, counters));
        _mm512_store_si512(block + line * CW_KIND_LINE_WORDS, counters);
    }
}
