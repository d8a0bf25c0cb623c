/* The blocks of a chain and the operations on one: find the cells of a key, test, take and release them.
 *
 * A block has 8 lanes of 64 cells each, and a key takes one or two cells of every lane. A cell is
 *
 *   a bit                 a block is one cache line, a lane one 64-bit word of it
 *   a counter of 4 bits   a block is four lines; cell 16 w + c of a lane is counter c in the lane's word of line w
 *
 * so that all lanes are treated alike, as vector instructions require; see cells_x86.h. This file has the portable
 * operations, first for a hash, then for a run of bit blocks with the bits of a key computed once. The functions are
 * inlined with constant `cells` and `twice` (two cells of every lane).
 *
 * Counters have four lines because one line holds only 128 counters, and so few keys that the uneven filling of blocks
 * costs more than the neighbouring lines do: 78 bits per key for a rate of 1e-3 instead of 63, 222 for 1e-5 instead of
 * 120. */
#pragma once

#include "bloom/hash.h"

#define CW_KIND_INLINE static inline __attribute__((always_inline))

typedef enum cw_kind_cells { CW_BITS, CW_COUNTERS } cw_kind_cells;

#define CW_KIND_LANES 8
#define CW_KIND_LANE_CELLS 64
#define CW_KIND_LINE_WORDS 8
#define CW_KIND_LINES_MAX 4
#define CW_KIND_SATURATED 15u

/* Chooses one of two values without a branch, for conditions that the processor cannot predict. */
CW_KIND_INLINE void *cw_kind_choose(bool first, const void *one, const void *other)
{
    return (void *)((uintptr_t)other ^ (((uintptr_t)one ^ (uintptr_t)other) & -(uintptr_t)first));
}

/* Returns the cache lines of a block. */
CW_KIND_INLINE unsigned cw_kind_lines(cw_kind_cells cells)
{
    return cells == CW_BITS ? 1 : CW_KIND_LINES_MAX;
}

CW_KIND_INLINE unsigned cw_kind_block_words(cw_kind_cells cells)
{
    return cw_kind_lines(cells) * CW_KIND_LINE_WORDS;
}

/* Returns the cell in a lane: the low six bits of the lane's byte. */
CW_KIND_INLINE unsigned cw_kind_cell(uint64_t bits, unsigned lane)
{
    return bits >> (8 * lane) & (CW_KIND_LANE_CELLS - 1);
}

/* Return, for a counter, the index of its word in the block, and its bit position there. */
CW_KIND_INLINE unsigned cw_kind_counter_word(unsigned lane, unsigned cell)
{
    return (cell >> 4) * CW_KIND_LINE_WORDS + lane;
}

CW_KIND_INLINE unsigned cw_kind_counter_shift(unsigned cell)
{
    return (cell & 15) * 4;
}

CW_KIND_INLINE unsigned cw_kind_counter(const uint64_t *block, unsigned lane, unsigned cell)
{
    return block[cw_kind_counter_word(lane, cell)] >> cw_kind_counter_shift(cell) & 15;
}

/* Returns true if one cell of every lane is taken. */
CW_KIND_INLINE bool cw_kind_cells_taken(cw_kind_cells cells, const uint64_t *block, uint64_t bits)
{
    bool taken = true;
    for (unsigned lane = 0; lane < CW_KIND_LANES; lane++) {
        unsigned cell = cw_kind_cell(bits, lane);
        taken &= cells == CW_BITS ? block[lane] >> cell & 1 : cw_kind_counter(block, lane, cell) != 0;
    }
    return taken;
}

CW_KIND_INLINE bool cw_kind_key_in(cw_kind_cells cells, bool twice, const uint64_t *block, cw_bloom_hash hash)
{
    bool has = cw_kind_cells_taken(cells, block, hash.bits);
    return has && (!twice || cw_kind_cells_taken(cells, block, cw_bloom_hash_more(hash)));
}

/* Sets the bits of a key if it is wanted, without a branch. */
CW_KIND_INLINE void cw_kind_key_set(bool twice, uint64_t *block, cw_bloom_hash hash, bool wanted)
{
    uint64_t more = twice ? cw_bloom_hash_more(hash) : hash.bits;
    for (unsigned lane = 0; lane < CW_KIND_LANES; lane++)
        block[lane] |= (uint64_t)wanted << cw_kind_cell(hash.bits, lane) | (uint64_t)wanted << cw_kind_cell(more, lane);
}

/* Increments one counter if it is wanted. A saturated counter is unchanged, because the number of keys that share it is
 * no longer known. Returns whether it has become saturated. */
CW_KIND_INLINE unsigned cw_kind_counter_up(uint64_t *block, unsigned lane, unsigned cell, bool wanted)
{
    unsigned before = cw_kind_counter(block, lane, cell);
    wanted = wanted && before < CW_KIND_SATURATED;
    block[cw_kind_counter_word(lane, cell)] += (uint64_t)wanted << cw_kind_counter_shift(cell);
    return wanted && before + 1 == CW_KIND_SATURATED;
}

/* Increments the counters of a key, each once even if the key names it twice. Returns how many have become
 * saturated. */
CW_KIND_INLINE unsigned cw_kind_key_count(bool twice, uint64_t *block, cw_bloom_hash hash)
{
    uint64_t more = twice ? cw_bloom_hash_more(hash) : hash.bits;
    unsigned saturated = 0;
    for (unsigned lane = 0; lane < CW_KIND_LANES; lane++) {
        unsigned first = cw_kind_cell(hash.bits, lane), second = cw_kind_cell(more, lane);
        saturated += cw_kind_counter_up(block, lane, first, true);
        if (twice)
            saturated += cw_kind_counter_up(block, lane, second, second != first);
    }
    return saturated;
}

CW_KIND_INLINE void cw_kind_counter_down(uint64_t *block, unsigned lane, unsigned cell, bool wanted)
{
    wanted = wanted && cw_kind_counter(block, lane, cell) < CW_KIND_SATURATED;
    block[cw_kind_counter_word(lane, cell)] -= (uint64_t)wanted << cw_kind_counter_shift(cell);
}

/* Decrements the counters of a key, except for saturated ones. None of them may be 0. */
CW_KIND_INLINE void cw_kind_key_take(bool twice, uint64_t *block, cw_bloom_hash hash)
{
    uint64_t more = twice ? cw_bloom_hash_more(hash) : hash.bits;
    for (unsigned lane = 0; lane < CW_KIND_LANES; lane++) {
        unsigned first = cw_kind_cell(hash.bits, lane), second = cw_kind_cell(more, lane);
        cw_kind_counter_down(block, lane, first, true);
        if (twice)
            cw_kind_counter_down(block, lane, second, second != first);
    }
}

/* ---- The bits of a key, computed once ---- */

/* Four lanes, in the vector extension of GCC and Clang, which compiles to the widest registers of the target, or to
 * plain words. */
typedef uint64_t cw_four __attribute__((vector_size(32), may_alias));

typedef struct cw_kind_mask {
    cw_four of[2];
} cw_kind_mask;

/* cells: CW_BITS, here and below. */
CW_KIND_INLINE void cw_kind_mask_make(cw_kind_cells, bool twice, cw_bloom_hash hash, cw_kind_mask *mask)
{
    const cw_four one = {1, 1, 1, 1};
    const cw_four low = {0, 8, 16, 24}, high = {32, 40, 48, 56};
    mask->of[0] = one << (hash.bits >> low & 63);
    mask->of[1] = one << (hash.bits >> high & 63);
    if (!twice)
        return;
    uint64_t more = cw_bloom_hash_more(hash);
    mask->of[0] |= one << (more >> low & 63);
    mask->of[1] |= one << (more >> high & 63);
}

CW_KIND_INLINE bool cw_kind_block_has(cw_kind_cells, const uint64_t *block, const cw_kind_mask *mask)
{
    const cw_four *lanes = (const cw_four *)block;
    cw_four missing = (mask->of[0] & ~lanes[0]) | (mask->of[1] & ~lanes[1]);
    return (missing[0] | missing[1] | missing[2] | missing[3]) == 0;
}

CW_KIND_INLINE void cw_kind_block_put(cw_kind_cells, uint64_t *block, const cw_kind_mask *mask)
{
    cw_four *lanes = (cw_four *)block;
    lanes[0] |= mask->of[0];
    lanes[1] |= mask->of[1];
}
