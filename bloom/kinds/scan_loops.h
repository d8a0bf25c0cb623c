/* The loops of scan.h for one instruction set: a template, included by scan.c once for each, with
 *
 *   ISA(name)                      the name of a function for it
 *   TARGET                         the attribute that lets a function use it
 *   HAS, SET, COUNT, TAKE          the functions that cells.h calls cw_kind_key_in, ...
 *
 * A batch is searched in waves: all its keys in the newest filter, which holds about half of the chain's keys; then the
 * keys not found there in the next older one, and so on. A key that is not found at once prefetches its block in the
 * older filter, so that by the next wave the cache misses of all keys have overlapped. The processor cannot predict
 * whether a key is found, so nothing branches on it. */

TARGET CW_KIND_INLINE void ISA(ask)(cw_kind_cells cells, const uint64_t *block)
{
    for (unsigned line = 0; line < cw_kind_lines(cells); line++)
        __builtin_prefetch(block + line * CW_KIND_LINE_WORDS);
}

/* Searches a filter for the keys of `pending`; keeps the keys that were not found, and returns their number. older is
 * NULL in the last wave. */
TARGET CW_KIND_INLINE size_t ISA(wave)(cw_kind_cells cells, bool twice, const cw_kind_filter *filter,
                                       const cw_kind_filter *older, const cw_bloom_hash *hashes, uint8_t *pending,
                                       size_t left)
{
    size_t kept = 0;
    for (size_t n = 0; n < left; n++) {
        uint8_t i = pending[n];
        const uint64_t *block = cw_kind_filter_block(cells, filter, hashes[i]);
        bool found = HAS(cells, twice, block, hashes[i]);
        pending[kept] = i;
        kept += !found;
        if (older) /* a key that was found repeats the present block */
            ISA(ask)(cells, cw_kind_choose(found, block, cw_kind_filter_block(cells, older, hashes[i])));
    }
    return kept;
}

TARGET CW_KIND_INLINE size_t ISA(find_absent)(cw_kind_cells cells, const cw_kind_chain *chain,
                                              const cw_bloom_hash *hashes, size_t count, uint8_t *absent)
{
    const cw_kind_filter *filter = &chain->filter[chain->filters - 1];
    for (size_t i = 0; i < count; i++) {
        ISA(ask)(cells, cw_kind_filter_block(cells, filter, hashes[i]));
        absent[i] = (uint8_t)i;
    }
    size_t left = count;
    for (; filter >= chain->filter && left > 0; filter--) {
        const cw_kind_filter *older = filter > chain->filter ? filter - 1 : NULL;
        if (filter->twice)
            left = ISA(wave)(cells, true, filter, older, hashes, absent, left);
        else
            left = ISA(wave)(cells, false, filter, older, hashes, absent, left);
    }
    return left;
}

/* Counts the new keys that went into the target. */
TARGET CW_KIND_INLINE void ISA(note)(cw_kind_chain *chain, uint64_t keys, uint64_t saturated)
{
    chain->filter[chain->target].count += keys;
    chain->filter[chain->target].saturated += saturated;
    chain->losses.adds += keys;
    chain->quiet -= keys;
}

TARGET CW_KIND_INLINE void ISA(put_batch)(cw_kind_cells cells, bool twice, cw_kind_chain *chain, cw_kind_batch *batch)
{
    const cw_kind_filter *filter = &chain->filter[chain->target];
    const uint64_t room = chain->quiet;
    uint64_t keys = 0, saturated = 0;
    size_t n = batch->done;
    for (; n < batch->left && keys < room; n++) {
        uint8_t i = batch->absent[n];
        uint64_t *block = cw_kind_filter_block(cells, filter, batch->hashes[i]);
        if (__builtin_expect(HAS(cells, twice, block, batch->hashes[i]), 0))
            continue;
        if (cells == CW_BITS)
            SET(twice, block, batch->hashes[i], true);
        else
            saturated += COUNT(twice, block, batch->hashes[i]);
        batch->fresh[i] = 1;
        batch->where[i] = chain->target;
        keys++;
    }
    batch->done = n;
    ISA(note)(chain, keys, saturated);
}

TARGET CW_KIND_INLINE void ISA(put_absent)(cw_kind_cells cells, cw_kind_chain *chain, cw_kind_batch *batch)
{
    if (chain->filter[chain->target].twice)
        ISA(put_batch)(cells, true, chain, batch);
    else
        ISA(put_batch)(cells, false, chain, batch);
}

TARGET CW_KIND_INLINE bool ISA(find)(cw_kind_cells cells, const cw_kind_chain *chain, cw_bloom_hash hash)
{
    bool found = false;
    for (const cw_kind_filter *filter = chain->filter + chain->filters; filter-- > chain->filter;)
        found |= HAS(cells, filter->twice, cw_kind_filter_block(cells, filter, hash), hash);
    return found;
}

TARGET CW_KIND_INLINE bool ISA(add)(cw_kind_cells cells, cw_kind_chain *chain, cw_bloom_hash hash)
{
    bool found = ISA(find)(cells, chain, hash);
    const cw_kind_filter *target = &chain->filter[chain->target];
    uint64_t *block = cw_kind_filter_block(cells, target, hash);
    uint64_t saturated = 0;
    if (cells == CW_BITS)
        SET(target->twice, block, hash, !found);
    else if (!found) /* too expensive to do without need */
        saturated = COUNT(target->twice, block, hash);
    ISA(note)(chain, !found, saturated);
    return !found;
}

TARGET CW_KIND_INLINE bool ISA(forget)(cw_kind_filter *filter, cw_bloom_hash hash)
{
    uint64_t *block = cw_kind_filter_block(CW_COUNTERS, filter, hash);
    if (filter->count == 0 || !HAS(CW_COUNTERS, filter->twice, block, hash)) {
        filter->refused++;
        return false;
    }
    TAKE(filter->twice, block, hash);
    filter->ghosts -= filter->ghosts / (double)filter->count; /* the keys that hid them are removed too */
    filter->count--;
    return true;
}

TARGET static void ISA(forget_many)(cw_kind_chain *chain, const cw_bloom_hash *hashes, size_t count,
                                    const uint32_t *where, uint8_t *gone)
{
    for (size_t i = 0; i < count; i++) {
        if (where[i] < chain->filters)
            ISA(ask)(CW_COUNTERS, cw_kind_filter_block(CW_COUNTERS, &chain->filter[where[i]], hashes[i]));
    }
    for (size_t i = 0; i < count; i++)
        gone[i] = where[i] < chain->filters && ISA(forget)(&chain->filter[where[i]], hashes[i]);
}

/* The same as functions with constant cells. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names */
#define CW_KIND_FUNCTIONS(name, cells)                                                                    \
    TARGET static bool ISA(name##_find)(const cw_kind_chain *chain, cw_bloom_hash hash)                   \
    {                                                                                                     \
        return ISA(find)(cells, chain, hash);                                                             \
    }                                                                                                     \
    TARGET static bool ISA(name##_add)(cw_kind_chain * chain, cw_bloom_hash hash)                         \
    {                                                                                                     \
        return ISA(add)(cells, chain, hash);                                                              \
    }                                                                                                     \
    TARGET static size_t ISA(name##_find_absent)(const cw_kind_chain *chain, const cw_bloom_hash *hashes, \
                                                 size_t count, uint8_t *absent)                           \
    {                                                                                                     \
        return ISA(find_absent)(cells, chain, hashes, count, absent);                                     \
    }                                                                                                     \
    TARGET static void ISA(name##_put_absent)(cw_kind_chain * chain, cw_kind_batch * batch)               \
    {                                                                                                     \
        ISA(put_absent)(cells, chain, batch);                                                             \
    }

CW_KIND_FUNCTIONS(bits, CW_BITS)
CW_KIND_FUNCTIONS(counters, CW_COUNTERS)

static const cw_kind_scan ISA(scans)[] = {
    [CW_BITS] = {ISA(bits_find), ISA(bits_find_absent), ISA(bits_add), ISA(bits_put_absent), NULL},
    [CW_COUNTERS] = {ISA(counters_find), ISA(counters_find_absent), ISA(counters_add), ISA(counters_put_absent),
                     ISA(forget_many)},
};
/* NOLINTEND(bugprone-macro-parentheses) */

#undef CW_KIND_FUNCTIONS
