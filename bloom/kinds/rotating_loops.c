/* The loops of a rotating filter over keys; see rotating.c. Compiled portably and for AVX2, and chosen at run time:
 * both leave the same memory behind. */
#include "bloom/kinds/rotating.h"

CW_KIND_INLINE uint64_t *lines_of(const cw_kind_rotating_filter *r, uint64_t block)
{
    return r->lines + block * r->slots * CW_KIND_LINE;
}

CW_KIND_INLINE uint32_t *tags_of(const cw_kind_rotating_filter *r, uint64_t block)
{
    return r->tags + block / CW_KIND_CHUNK * r->slots;
}

/* Returns true if the key is in any generation. Does not branch on the result, which the processor cannot predict. */
CW_KIND_INLINE bool rotating_loops_has(const cw_kind_rotating_filter *r, uint64_t block, const cw_kind_mask *mask)
{
    const uint64_t *lines = lines_of(r, block);
    const uint32_t *tags = tags_of(r, block);
    bool found = false;
    for (uint32_t s = 0; s < r->slots; s++)
        found |= (tags[s] == r->live[s]) & cw_kind_block_has(CW_BITS, lines + s * CW_KIND_LINE, mask);
    return found;
}

uint32_t cw_kind_rotating_find(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    uint64_t block = cw_bloom_hash_index(hash, r->blocks);
    uint32_t number = r->newest;
    cw_kind_mask mask;
    cw_kind_mask_make(CW_BITS, r->twice, hash, &mask);
    for (; number > r->oldest; number--) {
        uint32_t slot = cw_kind_slot_of(r, number);
        if (tags_of(r, block)[slot] == number &&
            cw_kind_block_has(CW_BITS, lines_of(r, block) + slot * CW_KIND_LINE, &mask))
            break;
    }
    return number - r->oldest;
}

/* Wipes the lines that an earlier generation left in the slot of the newest. */
static void take_chunk(cw_kind_rotating_filter *r, uint64_t block, uint32_t slot)
{
    uint64_t first = block / CW_KIND_CHUNK * CW_KIND_CHUNK;
    uint64_t end = r->blocks - first < CW_KIND_CHUNK ? r->blocks : first + CW_KIND_CHUNK;
    for (uint64_t b = first; b < end; b++)
        memset(lines_of(r, b) + slot * CW_KIND_LINE, 0, CW_KIND_LINE * sizeof(uint64_t));
    tags_of(r, block)[slot] = r->newest;
}

CW_KIND_INLINE crawl_err rotating_loops_add(cw_kind_rotating_filter *r, cw_bloom_hash hash)
{
    uint64_t block = cw_bloom_hash_index(hash, r->blocks);
    cw_kind_mask mask;
    cw_kind_mask_make(CW_BITS, r->twice, hash, &mask);
    if (rotating_loops_has(r, block, &mask))
        return CRAWL_EXISTS;
    if (r->generation[cw_kind_slot_of(r, r->newest)].count >= r->each)
        cw_kind_rotating_turn(r);
    uint32_t slot = cw_kind_slot_of(r, r->newest);
    if (tags_of(r, block)[slot] != r->newest)
        take_chunk(r, block, slot);
    cw_kind_block_put(CW_BITS, lines_of(r, block) + slot * CW_KIND_LINE, &mask);
    r->generation[slot].count++;
    cw_kind_rotating_count(r);
    return CRAWL_OK;
}

CW_KIND_INLINE bool rotating_loops_test(const cw_kind_rotating_filter *r, cw_bloom_hash hash)
{
    cw_kind_mask mask;
    cw_kind_mask_make(CW_BITS, r->twice, hash, &mask);
    return rotating_loops_has(r, cw_bloom_hash_index(hash, r->blocks), &mask);
}

CW_KIND_INLINE void rotating_loops_prefetch(const cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t block = cw_bloom_hash_index(hashes[i], r->blocks);
        const uint64_t *lines = lines_of(r, block);
        __builtin_prefetch(tags_of(r, block), 0, 3);
        for (uint32_t s = 0; s < r->slots; s++)
            __builtin_prefetch(lines + s * CW_KIND_LINE, 1, 3);
    }
}

CW_KIND_INLINE void rotating_loops_add_many(cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count,
                                            uint8_t *fresh)
{
    rotating_loops_prefetch(r, hashes, count);
    for (size_t i = 0; i < count; i++)
        fresh[i] = rotating_loops_add(r, hashes[i]) == CRAWL_OK;
}

CW_KIND_INLINE void rotating_loops_test_many(const cw_kind_rotating_filter *r, const cw_bloom_hash *hashes,
                                             size_t count, uint8_t *present)
{
    rotating_loops_prefetch(r, hashes, count);
    for (size_t i = 0; i < count; i++)
        present[i] = rotating_loops_test(r, hashes[i]);
}

/* The loops above for one instruction set. */
/* NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none */
#define LOOPS(name, target)                                                                                          \
    target static crawl_err name##_add(cw_kind_rotating_filter *r, cw_bloom_hash hash)                               \
    {                                                                                                                \
        return rotating_loops_add(r, hash);                                                                          \
    }                                                                                                                \
    target static void name##_add_many(cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count,        \
                                       uint8_t *fresh)                                                               \
    {                                                                                                                \
        rotating_loops_add_many(r, hashes, count, fresh);                                                            \
    }                                                                                                                \
    target static bool name##_test(const cw_kind_rotating_filter *r, cw_bloom_hash hash)                             \
    {                                                                                                                \
        return rotating_loops_test(r, hash);                                                                         \
    }                                                                                                                \
    target static void name##_test_many(const cw_kind_rotating_filter *r, const cw_bloom_hash *hashes, size_t count, \
                                        uint8_t *present)                                                            \
    {                                                                                                                \
        rotating_loops_test_many(r, hashes, count, present);                                                         \
    }                                                                                                                \
    static const cw_kind_rotating_loops name = {name##_add, name##_add_many, name##_test, name##_test_many};

/* NOLINTEND(bugprone-macro-parentheses) */

LOOPS(portable, )

const cw_kind_rotating_loops *cw_kind_rotating_loops_portable(void)
{
    return &portable;
}

#if defined(__x86_64__) && defined(__GNUC__)

LOOPS(avx2, __attribute__((target("avx2,bmi2"))))

const cw_kind_rotating_loops *cw_kind_rotating_loops_best(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? &avx2 : &portable;
}

#else

const cw_kind_rotating_loops *cw_kind_rotating_loops_best(void)
{
    return &portable;
}

#endif
