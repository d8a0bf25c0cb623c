/* The blocks of a chain and what is done with one: the cells a key takes, whether they are taken, taking them and giving
 * them back.
 *
 *   bits      one cache line:   8 lanes of 64 bits; a key takes one or two bits of every lane
 *   counters  two cache lines: 16 lanes of 16 counters of 4 bits; a key takes one counter of every lane
 *
 * A lane is one 64-bit word, and every lane is treated alike, so compilers turn the loops into a few vector
 * instructions; the layout is the same whatever the machine has. The functions are inlined with constant `cells`.
 *
 * Why counters have twice the lines: 4 bits a cell leave 128 cells in one, and so few keys that the uneven filling of
 * blocks costs more than the second, neighbouring line: 222 against 149 bits per key for a rate of 1e-5. */
#ifndef CW_BLOOM_CELLS_H
#define CW_BLOOM_CELLS_H

#include "bloom/hash.h"

#define CW_INLINE static inline __attribute__((always_inline))

typedef enum cw_cells { CW_BITS, CW_COUNTERS } cw_cells;

#define CW_LANES_MAX 16
#define CW_LOWEST 0x1111111111111111u /* the lowest bit of every counter of a lane */

CW_INLINE unsigned cw_lanes(cw_cells cells)
{
    return cells == CW_BITS ? 8 : 16;
}

CW_INLINE unsigned cw_cells_per_lane(cw_cells cells)
{
    return cells == CW_BITS ? 64 : 16;
}

/* Two and four lanes, in the vector extension of GCC and Clang: it becomes what the target has, down to plain words. */
typedef uint64_t cw_two __attribute__((vector_size(16)));
typedef uint64_t cw_four __attribute__((vector_size(32), may_alias));

#define CW_FOURS_MAX (CW_LANES_MAX / 4)

/* The cells of a key: the bit, or the lowest bit of the counter, of each. */
typedef struct cw_mask {
    cw_four of[CW_FOURS_MAX];
} cw_mask;

/* Of a lane of counters, or of four lanes: those that are not 0, those that stand at 15. In the form of a mask. */
#define CW_NOT_ZERO(lane) (((lane) | (lane) >> 1 | (lane) >> 2 | (lane) >> 3) & CW_LOWEST)
#define CW_SATURATED(lane) ((lane) & (lane) >> 1 & (lane) >> 2 & (lane) >> 3 & CW_LOWEST)

/* twice: two bits a lane. */
CW_INLINE void cw_mask_make(cw_cells cells, bool twice, cw_hash hash, cw_mask *mask)
{
    const cw_four one = {1, 1, 1, 1};
    if (cells == CW_COUNTERS) {
        for (uint64_t i = 0; i < 4; i++) {
            const cw_four shift = {16 * i, 16 * i + 4, 16 * i + 8, 16 * i + 12};
            mask->of[i] = one << (hash.bits >> shift << 2 & 60);
        }
        return;
    }
    const cw_four low = {0, 8, 16, 24}, high = {32, 40, 48, 56};
    mask->of[0] = one << (hash.bits >> low & 63);
    mask->of[1] = one << (hash.bits >> high & 63);
    if (!twice)
        return;
    uint64_t more = cw_hash_more(hash);
    mask->of[0] |= one << (more >> low & 63);
    mask->of[1] |= one << (more >> high & 63);
}

CW_INLINE bool cw_block_has(cw_cells cells, const uint64_t *block, const cw_mask *mask)
{
    const cw_four *lanes = (const cw_four *)block;
    cw_four missing = {0};
    for (unsigned i = 0; i < cw_lanes(cells) / 4; i++) {
        cw_four taken = lanes[i];
        if (cells == CW_COUNTERS)
            taken = CW_NOT_ZERO(taken);
        missing |= mask->of[i] & ~taken;
    }
    cw_two half = (cw_two){missing[0], missing[1]} | (cw_two){missing[2], missing[3]};
    return (half[0] | half[1]) == 0;
}

/* Takes the cells. Returns how many counters became saturated: from then on they stand still, since nobody knows any
 * more how many keys share them. */
CW_INLINE unsigned cw_block_put(cw_cells cells, uint64_t *block, const cw_mask *mask)
{
    cw_four *lanes = (cw_four *)block;
    cw_four saturated = {0};
    for (unsigned i = 0; i < cw_lanes(cells) / 4; i++) {
        if (cells == CW_BITS) {
            lanes[i] |= mask->of[i];
            continue;
        }
        cw_four moves = mask->of[i] & ~CW_SATURATED(lanes[i]);
        lanes[i] += moves;
        cw_four now = moves & CW_SATURATED(lanes[i]);
        saturated -= (cw_four)(now != 0); /* true is -1 */
    }
    return (unsigned)(saturated[0] + saturated[1] + saturated[2] + saturated[3]);
}

/* Counts the cells of a key down, but for saturated ones. None of them may be 0. */
CW_INLINE void cw_block_take(uint64_t *block, const cw_mask *mask)
{
    cw_four *lanes = (cw_four *)block;
    for (unsigned i = 0; i < cw_lanes(CW_COUNTERS) / 4; i++)
        lanes[i] -= mask->of[i] & ~CW_SATURATED(lanes[i]);
}

#endif
