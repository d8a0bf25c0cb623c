/* See table_loops.h. Finds, adds and forgets keys. A line is searched as a whole; plain code handles the few lanes
 * that match. */
#include "bloom/table/table_loops.h"
#include "bloom/table/table_spill.h"

/* Lines prefetched ahead of the current key. More than the processor can wait for at once only delay it: 32 are 5 to
 * 10 % faster than all 128 of a batch. */
#define AHEAD 32

#define TEMPLATE static inline __attribute__((always_inline))

typedef enum isa { PLAIN, AVX2, AVX512 } isa;

/* --- looking: one function for each instruction set --- */

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define TARGET_AVX512 __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw")))

TARGET_AVX2 static inline uint32_t bits_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8));
}

TARGET_AVX2 static inline __m256i fits_avx2(__m256i entry, __m256i finger)
{
    __m256i known = _mm256_xor_si256(entry, _mm256_add_epi16(entry, _mm256_set1_epi16(-1)));
    return _mm256_cmpeq_epi16(_mm256_andnot_si256(known, _mm256_xor_si256(entry, finger)), _mm256_setzero_si256());
}

TARGET_AVX2 static inline cw_table_sight look_avx2(const cw_table_line *line, uint16_t finger)
{
    __m256i low = _mm256_load_si256((const __m256i *)line), high = _mm256_load_si256((const __m256i *)line + 1);
    __m256i all = _mm256_set1_epi16((short)finger), zero = _mm256_setzero_si256();
    uint32_t empty = bits_of(_mm256_cmpeq_epi16(low, zero), _mm256_cmpeq_epi16(high, zero));
    uint32_t fits = bits_of(fits_avx2(low, all), fits_avx2(high, all));
    return (fits & ~empty) | (uint64_t)~empty << 32;
}

/* The three operands of a bitwise function, as the instruction's truth table needs them. */
#define A 0xf0
#define B 0xcc
#define C 0xaa

TARGET_AVX512 static inline cw_table_sight look_avx512(const cw_table_line *line, uint16_t finger)
{
    __m512i entry = _mm512_load_si512(line);
    __m512i less = _mm512_add_epi16(entry, _mm512_set1_epi16(-1));
    __m512i differs =
        _mm512_ternarylogic_epi64(entry, less, _mm512_set1_epi16((short)finger), (A ^ C) & ~(A ^ B) & 0xff);
    uint32_t taken = _mm512_test_epi16_mask(entry, entry);
    uint32_t fits = _mm512_mask_testn_epi16_mask(taken, differs, differs);
    return fits | (uint64_t)taken << 32;
}

#else
#define look_avx2 cw_table_line_look
#define look_avx512 cw_table_line_look
#endif

TEMPLATE cw_table_sight table_loops_look(isa set, const cw_table_line *line, uint16_t finger)
{
    return set == AVX512 ? look_avx512(line, finger)
           : set == AVX2 ? look_avx2(line, finger)
                         : cw_table_line_look(line, finger);
}

/* --- operations on a key --- */

TEMPLATE bool table_loops_has(isa set, const cw_table_tags *tags, uint64_t key)
{
    cw_table_spot spot = cw_table_spot_of(tags, key);
    const cw_table_line *line = &tags->line[spot.line];
    uint32_t lanes = (uint32_t)table_loops_look(set, line, spot.finger);
    return cw_table_line_confirm(&tags->shape, line, lanes, key) ||
           (cw_table_line_spilled(line) && cw_table_spill_has(tags, spot.line, key));
}

/* Counts a new key, if one was added. */
TEMPLATE void count_new(cw_table_tags *tags, bool added)
{
    tags->entries += added;
    tags->quiet -= added;
    if (tags->quiet == 0)
        cw_table_tags_attend(tags);
}

TEMPLATE crawl_err table_loops_put(isa set, cw_table_tags *tags, uint64_t key)
{
    cw_table_spot spot = cw_table_spot_of(tags, key);
    const cw_table_line *line = &tags->line[spot.line];
    cw_table_sight seen = table_loops_look(set, line, spot.finger);
    if (cw_table_line_confirm(&tags->shape, line, (uint32_t)seen, key) ||
        (cw_table_line_spilled(line) && cw_table_spill_has(tags, spot.line, key)))
        return CRAWL_EXISTS;
    uint32_t free = cw_table_line_free(&tags->shape, seen);
    if (free)
        cw_table_tags_put(tags, spot, (unsigned)__builtin_ctz(free), key);
    else if (!cw_table_spill_put(tags, spot.line, key))
        return CRAWL_ENOMEM;
    count_new(tags, true);
    return CRAWL_OK;
}

/* The last word: it is never a lane, and has no check bits. */
#define NO_LANE ((uint32_t)1 << (CW_TABLE_LANES - 1))

/* Returns true if the lane that matches, at most one, is the key's. */
TEMPLATE bool only_lane_fits(const cw_table_tags *tags, const cw_table_line *line, uint32_t lanes, uint64_t key)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes | NO_LANE);
    return (lanes != 0) & cw_table_check_fits(&tags->shape, line, lane, key);
}

/* The same as put for nearly all keys, without a branch on the answer, which the processor cannot predict: the entry
 * of a known key is written to a line that is never read. False: another case; nothing was done. */
TEMPLATE bool put_quickly(isa set, cw_table_tags *tags, uint64_t key, cw_table_line *nowhere, uint8_t *fresh)
{
    cw_table_spot spot = cw_table_spot_of(tags, key);
    cw_table_line *line = &tags->line[spot.line];
    cw_table_sight seen = table_loops_look(set, line, spot.finger);
    uint32_t lanes = (uint32_t)seen & tags->shape.mask, free = cw_table_line_free(&tags->shape, seen);
    if ((lanes & (lanes - 1)) || !free) /* with a free lane, a spilled key of the line matches some other lane */
        return false;
    bool known = only_lane_fits(tags, line, lanes, key);
    unsigned lane = (unsigned)__builtin_ctz(free);
    /* a mask, since compilers make a branch of a condition */
    uintptr_t to = (uintptr_t)line ^ (((uintptr_t)line ^ (uintptr_t)nowhere) & -(uintptr_t)known);
    cw_table_line *put_at = (cw_table_line *)to; /* NOLINT(performance-no-int-to-ptr) */
    cw_table_line_put(&tags->shape, line, put_at, lane, spot.finger, key);
    tags->born[tags->level + spot.split][lane < tags->shape.wider] += !known;
    *fresh = !known;
    count_new(tags, !known);
    return true;
}

/* Empties a lane, for a spilled key of the line if there is one. */
static void clear_lane(cw_table_tags *tags, cw_table_spot spot, unsigned lane)
{
    cw_table_line *line = &tags->line[spot.line];
    unsigned level = tags->level + spot.split, age = cw_table_finger_age(line->lane[lane]);
    if (age < CW_TABLE_FINGER_BITS && age <= level) { /* copies of an entry without bits remain */
        uint64_t *born = &tags->born[level - age][lane < tags->shape.wider];
        *born -= *born > 0; /* a file may contain anything */
    }
    line->lane[lane] = 0;
    if (cw_table_line_spilled(line))
        cw_table_tags_unspill(tags, spot.line);
}

/* Removes the entry of a key; see table.h. */
TEMPLATE bool table_loops_take(isa set, cw_table_tags *tags, uint64_t key)
{
    cw_table_spot spot = cw_table_spot_of(tags, key);
    const cw_table_line *line = &tags->line[spot.line];
    if (cw_table_line_spilled(line) && cw_table_spill_take(tags, spot.line, key))
        return true;
    uint32_t lanes = cw_table_line_confirm(&tags->shape, line, (uint32_t)table_loops_look(set, line, spot.finger), key);
    if (!lanes)
        return false;
    unsigned oldest = (unsigned)__builtin_ctz(lanes); /* among those of one age, the one with more check bits */
    for (lanes &= lanes - 1; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        if (cw_table_finger_age(line->lane[lane]) > cw_table_finger_age(line->lane[oldest]))
            oldest = lane;
    }
    clear_lane(tags, spot, oldest);
    return true;
}

/* --- functions of the kind --- */

TEMPLATE crawl_err table_loops_forget(isa set, crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)
{
    cw_table_tags *tags = (cw_table_tags *)bloom;
    if (where != 0)
        return CRAWL_EINVAL;
    if (tags->entries == tags->copies || !table_loops_take(set, tags, cw_table_key_of(hash))) {
        tags->refused++;
        return CRAWL_ABSENT;
    }
    tags->entries--;
    return CRAWL_OK;
}

TEMPLATE void table_loops_prefetch(const cw_table_tags *tags, cw_bloom_hash hash)
{
    __builtin_prefetch(&tags->line[cw_table_spot_of(tags, cw_table_key_of(hash)).line], 1, 3);
}

TEMPLATE crawl_err table_loops_add_many(isa set, crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count,
                                        uint8_t *fresh, uint32_t *where)
{
    cw_table_tags *tags = (cw_table_tags *)bloom;
    cw_table_line nowhere = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && i < AHEAD; i++)
        table_loops_prefetch(tags, hashes[i]);
    memset(fresh, 0, count);
    for (size_t i = 0; i < count && err != CRAWL_ENOMEM; i++) {
        if (i + AHEAD < count)
            table_loops_prefetch(tags, hashes[i + AHEAD]);
        uint64_t key = cw_table_key_of(hashes[i]);
        if (put_quickly(set, tags, key, &nowhere, &fresh[i]))
            continue;
        err = table_loops_put(set, tags, key);
        fresh[i] = err == CRAWL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        if (fresh[i])
            where[i] = 0;
    }
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

TEMPLATE bool has_quickly(isa set, const cw_table_tags *tags, uint64_t key, uint8_t *present)
{
    cw_table_spot spot = cw_table_spot_of(tags, key);
    const cw_table_line *line = &tags->line[spot.line];
    uint32_t lanes = (uint32_t)table_loops_look(set, line, spot.finger) & tags->shape.mask;
    bool known = only_lane_fits(tags, line, lanes, key);
    *present = known;
    return !(lanes & (lanes - 1)) && (known | !cw_table_line_spilled(line));
}

TEMPLATE void table_loops_test_many(isa set, const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count,
                                    uint8_t *present)
{
    const cw_table_tags *tags = (const cw_table_tags *)bloom;
    for (size_t i = 0; i < count && i < AHEAD; i++)
        table_loops_prefetch(tags, hashes[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            table_loops_prefetch(tags, hashes[i + AHEAD]);
        uint64_t key = cw_table_key_of(hashes[i]);
        if (!has_quickly(set, tags, key, &present[i]))
            present[i] = table_loops_has(set, tags, key);
    }
}

/* The functions above for one instruction set. */
/* NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none */
#define LOOPS(name, set, target)                                                                             \
    target static crawl_err name##_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)              \
    {                                                                                                        \
        crawl_err err = table_loops_put(set, (cw_table_tags *)bloom, cw_table_key_of(hash));                 \
        if (err == CRAWL_OK)                                                                                 \
            *where = 0;                                                                                      \
        return err;                                                                                          \
    }                                                                                                        \
    target static crawl_err name##_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count,   \
                                            uint8_t *fresh, uint32_t *where)                                 \
    {                                                                                                        \
        return table_loops_add_many(set, bloom, hashes, count, fresh, where);                                \
    }                                                                                                        \
    target static bool name##_test(const crawl_bloom *bloom, cw_bloom_hash hash)                             \
    {                                                                                                        \
        return table_loops_has(set, (const cw_table_tags *)bloom, cw_table_key_of(hash));                    \
    }                                                                                                        \
    target static void name##_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, \
                                        uint8_t *present)                                                    \
    {                                                                                                        \
        table_loops_test_many(set, bloom, hashes, count, present);                                           \
    }                                                                                                        \
    target static crawl_err name##_forget(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)            \
    {                                                                                                        \
        return table_loops_forget(set, bloom, hash, where);                                                  \
    }                                                                                                        \
    static const cw_table_loops name = {name##_add, name##_add_many, name##_test, name##_test_many, name##_forget};

/* NOLINTEND(bugprone-macro-parentheses) */

LOOPS(plain, PLAIN, )

#if defined(__x86_64__) && defined(__GNUC__)

LOOPS(avx2, AVX2, TARGET_AVX2)
LOOPS(avx512, AVX512, TARGET_AVX512)

size_t cw_table_loops_all(const cw_table_loops *out[CW_TABLE_LOOPS])
{
    size_t count = 0;
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        out[count++] = &avx512;
    if (has_avx2)
        out[count++] = &avx2;
    out[count++] = &plain;
    return count;
}

#else

size_t cw_table_loops_all(const cw_table_loops *out[CW_TABLE_LOOPS])
{
    out[0] = &plain;
    return 1;
}

#endif
