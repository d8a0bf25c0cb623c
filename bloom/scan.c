/* See scan.h.
 *
 * A batch is searched in waves: all its keys in the newest filter, which holds about half of what the chain holds; then the
 * keys not found there in the next older one, and so on. Each wave begins by asking for the blocks of all its keys, so
 * that their cache misses overlap. A key has the same mask in every filter, computed once. */
#include "bloom/scan.h"

CW_INLINE void prefetch(cw_cells cells, const cw_filter *filter, cw_hash hash)
{
    const uint64_t *block = cw_filter_block(cells, filter, hash);
    __builtin_prefetch(block, 1, 3);
    if (cells == CW_COUNTERS)
        __builtin_prefetch(block + 8, 1, 3);
}

CW_INLINE bool filter_has(cw_cells cells, const cw_chain *chain, const cw_filter *filter, cw_hash hash)
{
    cw_mask mask;
    cw_mask_make(cells, chain->twice, hash, &mask);
    return cw_block_has(cells, cw_filter_block(cells, filter, hash), &mask);
}

CW_INLINE crawl_err filter_put(cw_cells cells, const cw_chain *chain, cw_filter *filter, cw_hash hash)
{
    cw_mask mask;
    cw_mask_make(cells, chain->twice, hash, &mask);
    uint64_t *block = cw_filter_block(cells, filter, hash);
    if (cw_block_has(cells, block, &mask))
        return CRAWL_EXISTS;
    filter->saturated += cw_block_put(cells, block, &mask);
    filter->count++;
    return CRAWL_OK;
}

CW_INLINE bool find(cw_cells cells, const cw_chain *chain, cw_hash hash)
{
    cw_mask mask;
    for (uint32_t f = chain->filters; f-- > 0;)
        prefetch(cells, &chain->filter[f], hash);
    cw_mask_make(cells, chain->twice, hash, &mask);
    for (uint32_t f = chain->filters; f-- > 0;) {
        if (cw_block_has(cells, cw_filter_block(cells, &chain->filter[f], hash), &mask))
            return true;
    }
    return false;
}

/* The keys of a batch not found so far, by their index in it. */
typedef struct batch {
    const cw_hash *hashes;
    uint8_t *present;
    size_t left;
    uint8_t pending[CW_BATCH];
    cw_mask masks[CW_BATCH];
} batch;

/* Without a branch on the answer: it is a coin toss to the processor. */
CW_INLINE void wave(cw_cells cells, const cw_filter *filter, batch *b)
{
    for (size_t n = 0; n < b->left; n++)
        prefetch(cells, filter, b->hashes[b->pending[n]]);
    size_t kept = 0;
    for (size_t n = 0; n < b->left; n++) {
        uint8_t i = b->pending[n];
        bool found = cw_block_has(cells, cw_filter_block(cells, filter, b->hashes[i]), &b->masks[i]);
        b->present[i] = found;
        b->pending[kept] = i;
        kept += !found;
    }
    b->left = kept;
}

CW_INLINE void find_many(cw_cells cells, const cw_chain *chain, const cw_hash *hashes, size_t count, uint8_t *present)
{
    batch b;
    b.hashes = hashes;
    b.present = present;
    b.left = count;
    for (size_t i = 0; i < count; i++) {
        b.pending[i] = (uint8_t)i;
        cw_mask_make(cells, chain->twice, hashes[i], &b.masks[i]);
    }
    for (uint32_t f = chain->filters; f-- > 0 && b.left > 0;)
        wave(cells, &chain->filter[f], &b);
}

/* The loops above for one kind of cells and one instruction set, as a cw_scan. */
/* NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none */
#define SCAN(name, cells, target)                                                                                     \
    target static bool name##_find(const cw_chain *chain, cw_hash hash)                                               \
    {                                                                                                                 \
        return find(cells, chain, hash);                                                                              \
    }                                                                                                                 \
    target static void name##_find_many(const cw_chain *chain, const cw_hash *hashes, size_t count, uint8_t *present) \
    {                                                                                                                 \
        find_many(cells, chain, hashes, count, present);                                                              \
    }                                                                                                                 \
    target static bool name##_filter_has(const cw_chain *chain, const cw_filter *filter, cw_hash hash)                \
    {                                                                                                                 \
        return filter_has(cells, chain, filter, hash);                                                                \
    }                                                                                                                 \
    target static crawl_err name##_filter_put(const cw_chain *chain, cw_filter *filter, cw_hash hash)                 \
    {                                                                                                                 \
        return filter_put(cells, chain, filter, hash);                                                                \
    }                                                                                                                 \
    static const cw_scan name = {name##_find, name##_find_many, name##_filter_has, name##_filter_put};

/* NOLINTEND(bugprone-macro-parentheses) */

SCAN(bits_portable, CW_BITS, )
SCAN(counters_portable, CW_COUNTERS, )

const cw_scan *cw_scan_portable(cw_cells cells)
{
    return cells == CW_BITS ? &bits_portable : &counters_portable;
}

#if defined(__x86_64__) && defined(__GNUC__)

#define AVX2 __attribute__((target("avx2,bmi2,popcnt")))
SCAN(bits_avx2, CW_BITS, AVX2)
SCAN(counters_avx2, CW_COUNTERS, AVX2)

const cw_scan *cw_scan_for(cw_cells cells)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return cw_scan_portable(cells);
    return cells == CW_BITS ? &bits_avx2 : &counters_avx2;
}

#else

const cw_scan *cw_scan_for(cw_cells cells)
{
    return cw_scan_portable(cells);
}

#endif
