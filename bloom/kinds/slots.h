/* A sorted array with gaps, which holds the hashes of the kinds exact and digest. It is an open-addressing table with
 * linear probing, whose runs are kept in order.
 *
 * A slot has `width` words: the place of a hash or, with two words, its place and its bits. A slot whose first word is
 * 0 is empty. The home of a hash is its place scaled to `size`, so homes increase with the place. Invariants:
 *
 * 1. Taken slots are in increasing order, by their first word and then by their second.
 * 2. A hash is in its home or after it, and no slot in between is empty.
 * 3. The last of all slots is empty, whatever else was read from a file: no search runs beyond it.
 *
 * From 1 and 2: a search starts at the home, passes smaller hashes, and ends at the hash, at a larger one or at an
 * empty slot. Because of the order, a search for an absent hash is short even in a full table, and one array is moved
 * into a larger one by reading and writing both from end to end.
 *
 * Runs at the end continue into `spare` slots after the last home. The distance of a hash from its home is bounded: see
 * CW_KIND_REACH. Functions are inlined with a constant width. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/hash.h"

#define CW_KIND_INLINE static inline __attribute__((always_inline))

/* Maximum distance of a hash from its home, and so the most that one call examines: 1 MiB of 16-byte slots. With
 * uniform hashes, 15/16 full, the probability that one is ever half as far away is below 1e-900: it takes knowledge of
 * the seed, or a crafted file. Searches go twice as far, since in a larger array a hash may be one slot farther from
 * its home. */
#define CW_KIND_REACH ((uint64_t)1 << 15)

/* Slots at the end that only moving uses, for the same reason: the number of times that an array can grow. */
#define CW_KIND_SPARE_FOR_MOVES 32

typedef struct cw_kind_slots {
    uint64_t *words;
    uint64_t size; /* homes; 0: no array */
    uint64_t all;  /* slots */
    cw_bloom_pages pages;
} cw_kind_slots;

/* Returns the slots after the last home. Runs there are as short as elsewhere, so a few suffice, except in a small
 * table filled to the last slot. */
CW_KIND_INLINE uint64_t cw_kind_slots_spare(uint64_t size)
{
    uint64_t spare = 16 + size / 32;
    return spare < 4096 ? spare : 4096;
}

CW_KIND_INLINE uint64_t cw_kind_slots_all(uint64_t size)
{
    return size + cw_kind_slots_spare(size) + CW_KIND_SPARE_FOR_MOVES + 1;
}

/* Returns true if the slot holds a hash that precedes this one. An empty slot, minus one, is the largest of all. */
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

/* Returns the slot that holds the hash, or the one where it belongs. */
CW_KIND_INLINE uint64_t cw_kind_slots_search(unsigned width, const cw_kind_slots *slots, cw_bloom_hash hash)
{
    uint64_t i = cw_kind_slots_home(slots, hash.place);
    for (uint64_t end = i + 2 * CW_KIND_REACH; i < end; i++) {
        if (!cw_kind_slot_precedes(width, cw_kind_slot(width, slots, i), hash))
            break;
    }
    return i;
}

/* Inserts a hash at its slot, and shifts the hashes from there to the next empty slot by one. False: that slot is out
 * of reach; unchanged. */
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

/* Empties a slot, and shifts the following hashes that are not in their home back by one. False: too many to do at
 * once; unchanged. */
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
