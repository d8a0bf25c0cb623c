/* Operations on one line of a table, and where a key belongs; see table.h. */
#pragma once

#include "bloom/table/table.h"

/* Returns the number that stands for a key. Its low half combines both halves of the hash, since filters of many
 * threads choose their parts by the lowest bits of the place. 0 is an empty slot of the spill, so the key of that
 * number shares another one. */
static inline uint64_t cw_table_key_of(cw_bloom_hash hash)
{
    uint64_t key = hash.place ^ hash.bits >> 32;
    return key ? key : 1;
}

typedef struct cw_table_spot {
    uint64_t line;
    uint16_t finger; /* an entry with all bits */
    uint8_t split;   /* 1: the line has been split already */
} cw_table_spot;

static inline cw_table_spot cw_table_spot_of(const cw_table_tags *tags, uint64_t key)
{
    uint64_t line;
    uint64_t fraction = cw_bloom_multiply(key, tags->lines, &line);
    unsigned split = line >= tags->edge;
    line = (line << split) + (fraction >> 63 & split);
    return (cw_table_spot){.line = line, .finger = (uint16_t)(fraction << split >> 48 | 1), .split = (uint8_t)split};
}

/* Returns how many bits an entry has given to the number of its line since it was made. */
static inline unsigned cw_table_finger_age(uint16_t finger)
{
    return (unsigned)__builtin_ctz(finger);
}

static inline unsigned cw_table_line_spilled(const cw_table_line *line)
{
    return (unsigned)(line->word[7] >> 58);
}

static inline void cw_table_line_set_spilled(cw_table_line *line, unsigned spilled)
{
    line->word[7] = (line->word[7] << 6 >> 6) | (uint64_t)spilled << 58;
}

static inline bool cw_table_check_fits(const cw_table_line_shape *shape, const cw_table_line *line, unsigned lane,
                                       uint64_t key)
{
    cw_table_check check = shape->check[lane];
    uint64_t word;
    memcpy(&word, line->byte + check.byte, sizeof word);
    return ((word >> check.shift ^ key) & check.mask) == 0;
}

/* Writes an entry to `to`, which is `line` or a line that takes its place, with the bytes around it from `line`. */
static inline void cw_table_line_put(const cw_table_line_shape *shape, const cw_table_line *line, cw_table_line *to,
                                     unsigned lane, uint16_t finger, uint64_t key)
{
    cw_table_check check = shape->check[lane];
    uint64_t word;
    memcpy(&word, line->byte + check.byte, sizeof word);
    word = (word & ~((uint64_t)check.mask << check.shift)) | (key & check.mask) << check.shift;
    memcpy(to->byte + check.byte, &word, sizeof word);
    to->lane[lane] = finger;
}

/* The result of a look at a line, one bit per word: matching lanes in the low half, used lanes in the high half.
 * Words that are not lanes may be in either. */
typedef uint64_t cw_table_sight;

typedef uint16_t cw_words8 __attribute__((vector_size(16), may_alias));
typedef uint64_t cw_words2 __attribute__((vector_size(16), may_alias));

/* Returns the lowest bits of eight words as a byte. Each word must be all ones or 0. */
static inline uint32_t cw_table_eight_bits(cw_words8 words)
{
    const cw_words8 weights = {1, 2, 4, 8, 16, 32, 64, 128};
    cw_words2 halves = (cw_words2)(words & weights);
    return (uint32_t)((halves[0] | halves[1]) * 0x0001000100010001 >> 48);
}

static inline cw_table_sight cw_table_line_look(const cw_table_line *line, uint16_t finger)
{
    const cw_words8 *words = (const cw_words8 *)line;
    uint32_t fits = 0, taken = 0;
    for (unsigned i = 0; i < CW_TABLE_LANES / 8; i++) {
        cw_words8 entry = words[i];
        cw_words8 differs = (entry ^ finger) & ~(entry ^ (entry - 1));
        cw_words8 full = (cw_words8)(entry != 0);
        fits |= cw_table_eight_bits((cw_words8)(differs == 0) & full) << 8 * i;
        taken |= cw_table_eight_bits(full) << 8 * i;
    }
    return fits | (uint64_t)taken << 32;
}

/* Returns those of the lanes whose check bits match too. */
static inline uint32_t cw_table_line_confirm(const cw_table_line_shape *shape, const cw_table_line *line,
                                             uint32_t lanes, uint64_t key)
{
    uint32_t sure = 0;
    for (lanes &= shape->mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        sure |= (uint32_t)cw_table_check_fits(shape, line, lane, key) << lane;
    }
    return sure;
}

static inline uint32_t cw_table_line_free(const cw_table_line_shape *shape, cw_table_sight sight)
{
    return ~(uint32_t)(sight >> 32) & shape->mask;
}

/* Puts a new entry into a free lane. No entry of the line may match the key. */
static inline void cw_table_tags_put(cw_table_tags *tags, cw_table_spot spot, unsigned lane, uint64_t key)
{
    cw_table_line *line = &tags->line[spot.line];
    cw_table_line_put(&tags->shape, line, line, lane, spot.finger, key);
    tags->born[tags->level + spot.split][lane < tags->shape.wider]++;
}
