/* The kinds "exact" and "digest": hashes of 16 or 8 bytes in a growing sorted array with gaps (slots.h). Both share
 * this code: functions with a constant width, and a cw_kind of each.
 *
 * Growth is spread over the following adds. The old array is emptied into the new one in slot order; since homes
 * increase with the place, the new one is filled from end to end as well. Its memory is faulted in ahead of the
 * filling, a huge page at a time, and that of the old one is released behind the emptying: no access waits for many
 * pages, and both together hold hardly more than the new one will.
 *
 * During growth (old.size is not 0):
 * 1. The slots of old before `moved` are moved, and the run at which moving stopped is whole: hashes from `moved` on
 *    have their home there or later.
 * 2. So a hash whose home in old is before `moved` is in now, or nowhere; any other is in old, or nowhere. New ones go
 *    where they would be looked for: every hash has one array, and no search visits two.
 * 3. A moved hash is larger than those already in now: it goes behind the run of its home.
 *
 * A hash of place 0 counts as one of place 1, since 0 means "empty": this changes the rate by 1 in 2^64. */
#include "bloom/kinds/set.h"

#include <math.h>

/* After this many new keys this many slots are moved: the old array is emptied while the set gains 3 % of its slots in
 * keys. */
#define MOVE_EVERY 16
#define MOVE_SLOTS 512

static cw_kind_set *set_of(crawl_bloom *bloom)
{
    return (cw_kind_set *)bloom;
}

static const cw_kind_set *set_at(const crawl_bloom *bloom)
{
    return (const cw_kind_set *)bloom;
}

static cw_bloom_hash stored(cw_bloom_hash hash)
{
    hash.place += hash.place == 0;
    return hash;
}

/* Returns the only array that can hold the hash. */
CW_KIND_INLINE const cw_kind_slots *slots_for(const cw_kind_set *set, cw_bloom_hash hash)
{
    const cw_kind_slots *old = &set->old;
    if (old->size && cw_kind_slots_home(old, hash.place) >= set->moved)
        return old;
    return &set->now;
}

/* Appends a hash that is larger than all others of its run, at slot `least` or later; returns the slot after it. Drops
 * a hash that would be too far from its home, which happens only with crafted files. */
CW_KIND_INLINE uint64_t set_append(unsigned width, cw_kind_slots *slots, const uint64_t *from, uint64_t least)
{
    uint64_t home = cw_kind_slots_home(slots, from[0]);
    uint64_t end = home + 2 * CW_KIND_REACH;
    end = end < slots->all - 1 ? end : slots->all - 1;
    uint64_t to = home > least ? home : least;
    while (to < end && cw_kind_slot(width, slots, to)[0])
        to++;
    if (to >= end)
        return least;
    memcpy(cw_kind_slot(width, slots, to), from, width * sizeof *from);
    return to + 1;
}

/* Moves MOVE_SLOTS slots, and the rest of the run in which they end. */
CW_KIND_INLINE void move_some(unsigned width, cw_kind_set *set)
{
    const cw_kind_slots *old = &set->old;
    uint64_t i = set->moved;
    uint64_t end = i + MOVE_SLOTS;
    uint64_t behind = 0;
    cw_kind_set_touch_ahead(set, end);
    for (; i < old->all; i++) {
        const uint64_t *slot = cw_kind_slot(width, old, i);
        if (i >= end && (slot[0] == 0 || cw_kind_slots_home(old, slot[0]) >= i))
            break;
        if (slot[0])
            behind = set_append(width, &set->now, slot, behind);
    }
    set->moved = i;
    set->owed = 0;
    cw_kind_set_drop_behind(set);
}

/* Makes room for one more hash. CRAWL_ENOMEM: there is none. */
CW_KIND_INLINE crawl_err set_make_room(unsigned width, cw_kind_set *set)
{
    while (set->old.size)
        move_some(width, set);
    if (cw_kind_set_begin_growth(set) == CRAWL_OK)
        return CRAWL_OK;
    uint64_t most = cw_kind_set_fullest(set->now.size);
    if (set->count >= most)
        return CRAWL_ENOMEM;
    set->limit += set->now.size / 64 + 1; /* not at every add, which would ask the kernel each time */
    if (set->limit > most)
        set->limit = most;
    return CRAWL_OK;
}

/* Returns true if something is due before a new hash is added. */
CW_KIND_INLINE bool is_due(cw_kind_set *set)
{
    return set->count >= set->limit || (set->old.size && ++set->owed >= MOVE_EVERY);
}

CW_KIND_INLINE crawl_err do_due(unsigned width, cw_kind_set *set)
{
    if (set->count >= set->limit)
        return set_make_room(width, set);
    move_some(width, set);
    return CRAWL_OK;
}

CW_KIND_INLINE crawl_err set_add(unsigned width, cw_kind_set *set, cw_bloom_hash hash)
{
    hash = stored(hash);
    const cw_kind_slots *slots = slots_for(set, hash);
    uint64_t index = cw_kind_slots_search(width, slots, hash);
    if (cw_kind_slot_holds(width, cw_kind_slot(width, slots, index), hash))
        return CRAWL_EXISTS;
    if (is_due(set)) {
        crawl_err err = do_due(width, set);
        if (err)
            return err;
        slots = slots_for(set, hash);
        index = cw_kind_slots_search(width, slots, hash);
    }
    if (!cw_kind_slots_put(width, slots, index, hash))
        return CRAWL_ENOMEM;
    set->lost += (double)set->count;
    set->count++;
    return CRAWL_OK;
}

CW_KIND_INLINE void set_prefetch(unsigned width, const cw_kind_set *set, cw_bloom_hash hash)
{
    const cw_kind_slots *slots = slots_for(set, hash);
    const uint64_t *home = cw_kind_slot(width, slots, cw_kind_slots_home(slots, hash.place));
    __builtin_prefetch(home, 1, 3);
    __builtin_prefetch(home + 3 * width, 1, 3);
}

CW_KIND_INLINE crawl_err set_add_many(unsigned width, cw_kind_set *set, const cw_bloom_hash *hashes, size_t count,
                                      uint8_t *fresh, uint32_t *where)
{
    memset(fresh, 0, count);
    for (size_t i = 0; i < count; i++)
        set_prefetch(width, set, hashes[i]);
    for (size_t i = 0; i < count; i++) {
        crawl_err err = set_add(width, set, hashes[i]);
        if (err == CRAWL_EXISTS)
            continue;
        if (err)
            return err;
        fresh[i] = 1;
        where[i] = 0;
    }
    return CRAWL_OK;
}

CW_KIND_INLINE bool set_test(unsigned width, const cw_kind_set *set, cw_bloom_hash hash)
{
    hash = stored(hash);
    const cw_kind_slots *slots = slots_for(set, hash);
    return cw_kind_slot_holds(width, cw_kind_slot(width, slots, cw_kind_slots_search(width, slots, hash)), hash);
}

CW_KIND_INLINE void set_test_many(unsigned width, const cw_kind_set *set, const cw_bloom_hash *hashes, size_t count,
                                  uint8_t *present)
{
    for (size_t i = 0; i < count; i++)
        set_prefetch(width, set, hashes[i]);
    for (size_t i = 0; i < count; i++)
        present[i] = set_test(width, set, hashes[i]);
}

CW_KIND_INLINE crawl_err set_forget(unsigned width, cw_kind_set *set, cw_bloom_hash hash, uint32_t where)
{
    if (where != 0)
        return CRAWL_EINVAL;
    hash = stored(hash);
    const cw_kind_slots *slots = slots_for(set, hash);
    uint64_t index = cw_kind_slots_search(width, slots, hash);
    if (set->count == 0 || !cw_kind_slot_holds(width, cw_kind_slot(width, slots, index), hash) ||
        !cw_kind_slots_take(width, slots, index)) {
        set->refused++;
        return CRAWL_ABSENT;
    }
    set->count--;
    return CRAWL_OK;
}

static void set_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_kind_set *set = set_at(bloom);
    int bits = 64 * (int)set->width;
    uint64_t size = set->now.size > set->wanted ? set->now.size : set->wanted;
    double rate = ldexp((double)set->count, -bits);
    *out = (crawl_bloom_stats){
        .count = set->count,
        .capacity = cw_kind_set_limit(size),
        .bytes = cw_kind_set_bytes(set),
        .fill = fmin((double)set->count / (double)set->now.size, 1),
        .fpr_now = rate,
        .fpr_by_count = rate,
        .expected_false = ldexp(set->lost, -bits),
        .refused = set->refused,
        .filters = 1,
    };
}

/* The functions above for one width, as a cw_kind. */
#define KIND(kind, width)                                                                                           \
    static crawl_err kind##_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)                            \
    {                                                                                                               \
        crawl_err err = set_add(width, set_of(bloom), hash);                                                        \
        if (err == CRAWL_OK)                                                                                        \
            *where = 0;                                                                                             \
        return err;                                                                                                 \
    }                                                                                                               \
    static crawl_err kind##_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh, \
                                     uint32_t *where)                                                               \
    {                                                                                                               \
        return set_add_many(width, set_of(bloom), hashes, count, fresh, where);                                     \
    }                                                                                                               \
    static bool kind##_test(const crawl_bloom *bloom, cw_bloom_hash hash)                                           \
    {                                                                                                               \
        return set_test(width, set_at(bloom), hash);                                                                \
    }                                                                                                               \
    static void kind##_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count,               \
                                 uint8_t *present)                                                                  \
    {                                                                                                               \
        set_test_many(width, set_at(bloom), hashes, count, present);                                                \
    }                                                                                                               \
    static crawl_err kind##_forget(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)                          \
    {                                                                                                               \
        return set_forget(width, set_of(bloom), hash, where);                                                       \
    }                                                                                                               \
    const cw_kind cw_kind_##kind = {                                                                                \
        .name = #kind,                                                                                              \
        .create = cw_kind_set_create,                                                                               \
        .destroy = cw_kind_set_destroy,                                                                             \
        .add = kind##_add,                                                                                          \
        .add_many = kind##_add_many,                                                                                \
        .test = kind##_test,                                                                                        \
        .test_many = kind##_test_many,                                                                              \
        .forget = kind##_forget,                                                                                    \
        .save = cw_kind_set_save,                                                                                   \
        .load = cw_kind_set_load,                                                                                   \
        .validate = cw_kind_set_validate,                                                                           \
        .stats = set_stats,                                                                                         \
    };

KIND(exact, 2)
KIND(digest, 1)
