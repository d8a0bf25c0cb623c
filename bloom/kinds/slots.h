/* A sorted array with gaps: what the kinds exact and digest keep their hashes in. It is an open-addressing table with
 * linear probing, whose runs are kept in order.
 *
 * A slot has `width` words: the place of a hash or, of two words, its place and its bits. A first word of 0 is an empty
 * slot. The home of a hash is its place scaled to `size`, so homes rise with the place. These hold at any time:
 *
 * 1. Taken slots rise, by their first word and then by their second.
 * 2. A hash stands in its home or behind it, and no slot in between is empty.
 * 3. The last of all slots is empty, whatever else was read from a file: no search runs beyond it.
 *
 * From 1 and 2: a search begins at the home, passes smaller hashes, and ends at the hash, at a larger one or at an
 * empty slot. Because of the order a search for what is not there is short even in a full table, and one array is moved
 * into a larger one by reading and writing both from end to end.
 *
 * Runs at the end go on into `spare` slots behind the last home. How far a hash may stand from its home is bounded: see
 * CW_KIND_REACH. Functions are inlined with a constant width. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/hash.h"

#define CW_KIND_INLINE static inline __attribute__((always_inline))

/* No hash is put farther than this from its home: the most one call looks at, 1 MiB of 16-byte slots. With uniform
 * hashes, 15/16 full, the probability that one ever stands half as far is below 1e-900: only who knows the seed, or
 * writes the file, gets there. Searches go twice as far, since a larger array may have a hash one slot farther from its
 * home. */
#define CW_KIND_REACH ((uint64_t)1 << 15)

/* Slots at the end that only moving uses, for the same reason: arrays grow at most so often. */
#define CW_KIND_SPARE_FOR_MOVES 32

typedef struct cw_kind_slots {
    uint64_t *words;
    uint64_t size; /* homes; 0: no array */
    uint64_t all;  /* slots */
    cw_bloom_pages pages;
} cw_kind_slots;

/* Behind the last home: runs there are as short as elsewhere, so a few do, but in a small table that is filled to the
 * last. */
CW_KIND_INLINE uint64_t cw_kind_slots_spare(uint64_t size)
{
    uint64_t spare = 16 + size / 32;
    return spare < 4096 ? spare : 4096;
}

CW_KIND_INLINE uint64_t cw_kind_slots_all(uint64_t size)
{
    return size + cw_kind_slots_spare(size) + CW_KIND_SPARE_FOR_MOVES + 1;
}

/* Is the slot taken by a hash that stands before this one? An empty one, less one, is the largest of all. */
CW_KIND_INLINE bool cw_kind_slot_precedes(unsigned width, const uint64_t *slot, cw_bloom_hash hash)
{
    if (width == 1)
        return slot[0] - 1 < hash.place - 1;
    return slot[0] - 1 < hash.place - 1 || (slot[0] == hash.place && slot[1] < hash.bits);
}

CW_KIND_INLINE bool cw_kind_slot_holds(unsigned width, const uint64_t *slot, cw_bloom_hash hash)
{
    return slot[0] == hash.place && (width == 1 || slot[1] == hash.bits);
}

CW_KIND_INLINE uint64_t *cw_kind_slot(unsigned width, const cw_kind_slots *slots, uint64_t index)
{
    return slots->words + index * width;
}

CW_KIND_INLINE uint64_t cw_kind_slots_home(const cw_kind_slots *slots, uint64_t place)
{
    return cw_bloom_hash_index((cw_bloom_hash){.place = place}, slots->size);
}

/* The slot that holds the hash, or the one where it would be put. */
CW_KIND_INLINE uint64_t cw_kind_slots_search(unsigned width, const cw_kind_slots *slots, cw_bloom_hash hash)
{
    uint64_t i = cw_kind_slots_home(slots, hash.place);
    for (uint64_t end = i + 2 * CW_KIND_REACH; i < end; i++) {
        if (!cw_kind_slot_precedes(width, cw_kind_slot(width, slots, i), hash))
            break;
    }
    return i;
}

/* Puts a hash into the slot where it belongs, and moves the hashes from there to the next empty slot on by one. False:
 * that slot is out of reach; nothing has changed. */
CW_KIND_INLINE bool cw_kind_slots_put(unsigned width, const cw_kind_slots *slots, uint64_t index, cw_bloom_hash hash)
{
    uint64_t end = cw_kind_slots_home(slots, hash.place) + CW_KIND_REACH;
    uint64_t last = slots->all - 1 - CW_KIND_SPARE_FOR_MOVES;
    end = end < last ? end : last;
    uint64_t gap = index;
    while (gap < end && cw_kind_slot(width, slots, gap)[0])
        gap++;
    if (gap >= end)
        return false;
    for (uint64_t *to = cw_kind_slot(width, slots, gap); gap > index; gap--, to -= width)
        memcpy(to, to - width, width * sizeof *to);
    uint64_t *slot = cw_kind_slot(width, slots, index);
    slot[0] = hash.place;
    if (width == 2)
        slot[1] = hash.bits;
    return true;
}

/* Empties a slot, and moves the hashes after it that are not in their home back by one. False: this is more than can be
 * done at once; nothing has changed. */
CW_KIND_INLINE bool cw_kind_slots_take(unsigned width, const cw_kind_slots *slots, uint64_t index)
{
    uint64_t end = index + 1;
    for (;; end++) {
        uint64_t place = cw_kind_slot(width, slots, end)[0];
        if (place == 0 || cw_kind_slots_home(slots, place) >= end)
            break;
        if (end - index > 2 * CW_KIND_REACH)
            return false;
    }
    uint64_t *slot = cw_kind_slot(width, slots, index);
    memmove(slot, slot + width, (end - index - 1) * width * sizeof *slot);
    memset(cw_kind_slot(width, slots, end - 1), 0, width * sizeof *slot);
    return true;
}
