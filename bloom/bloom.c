/* The calls of <crawl/bloom.h>: checks, hashing and batching, then the functions of the kind. See kind.h. */
#include "bloom/kind.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const cw_kind *const kinds[] = {
    [CRAWL_BLOOM_SCALABLE] = &cw_kind_scalable,
    [CRAWL_BLOOM_COUNTING] = &cw_kind_counting,
    [CRAWL_BLOOM_EXACT] = &cw_kind_exact,
};

/* As options and files call them: the order of crawl_bloom_kind. */
static const char *const names[CRAWL_BLOOM_KINDS] = {
    "scalable", "counting", "exact", "bloom", "table", "rotating", "digest",
};

const char *crawl_bloom_kind_name(crawl_bloom_kind kind)
{
    return (unsigned)kind < CRAWL_BLOOM_KINDS ? names[kind] : NULL;
}

crawl_err crawl_bloom_kind_named(const char *name, crawl_bloom_kind *out)
{
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++) {
        if (strcmp(name, names[kind]) == 0) {
            *out = (crawl_bloom_kind)kind;
            return CRAWL_OK;
        }
    }
    return CRAWL_EINVAL;
}

const cw_kind *cw_kind_of(crawl_bloom_kind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : NULL;
}

static cw_hash hash_of(const crawl_bloom *bloom, const void *key, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(size ? key : "", size, bloom->options.seed);
    return (cw_hash){.place = hash.low64, .bits = hash.high64};
}

crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    if (!cw_kind_of(options->kind))
        return crawl_error_set(error, CRAWL_EINVAL, "filter: kind is %d, expected one of crawl_bloom_kind", (int)options->kind);
    crawl_err err = cw_bloom_options_check(options, error);
    if (err)
        return err;
    crawl_bloom *bloom;
    err = kinds[options->kind]->create(options, &bloom, error);
    if (err)
        return err;
    bloom->kind = kinds[options->kind];
    *out = bloom;
    return CRAWL_OK;
}

void crawl_bloom_free(crawl_bloom *bloom)
{
    if (bloom)
        bloom->kind->destroy(bloom);
}

crawl_err crawl_bloom_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where)
{
    uint32_t unwanted;
    return bloom->kind->add(bloom, hash_of(bloom, key, size), where ? where : &unwanted);
}

/* Hashes up to CW_BATCH keys from the given one on; how many. */
static size_t hash_some(const crawl_bloom *bloom, const char *keys, size_t key_size, size_t left, cw_hash *hashes)
{
    size_t count = left < CW_BATCH ? left : CW_BATCH;
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_of(bloom, keys + i * key_size, key_size);
    return count;
}

crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count, uint8_t *fresh,
                               uint32_t *where)
{
    cw_hash hashes[CW_BATCH];
    uint32_t unwanted[CW_BATCH];
    const char *bytes = keys;
    for (size_t done = 0, some; done < count; done += some) {
        some = hash_some(bloom, key_size ? bytes + done * key_size : bytes, key_size, count - done, hashes);
        crawl_err err = bloom->kind->add_many(bloom, hashes, some, fresh + done, where ? where + done : unwanted);
        if (err) {
            memset(fresh + done + some, 0, count - done - some);
            return err;
        }
    }
    return CRAWL_OK;
}

crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size)
{
    return bloom->kind->test(bloom, hash_of(bloom, key, size)) ? CRAWL_EXISTS : CRAWL_ABSENT;
}

void crawl_bloom_test_many(const crawl_bloom *bloom, const void *keys, size_t key_size, size_t count, uint8_t *present)
{
    cw_hash hashes[CW_BATCH];
    const char *bytes = keys;
    for (size_t done = 0, some; done < count; done += some) {
        some = hash_some(bloom, key_size ? bytes + done * key_size : bytes, key_size, count - done, hashes);
        bloom->kind->test_many(bloom, hashes, some, present + done);
    }
}

crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where)
{
    if (!bloom->kind->forget)
        return CRAWL_REFUSED;
    return bloom->kind->forget(bloom, hash_of(bloom, key, size), where);
}

void crawl_bloom_advance(crawl_bloom *bloom, uint64_t now_ms)
{
    if (bloom->kind->advance)
        bloom->kind->advance(bloom, now_ms);
}

void crawl_bloom_stats_get(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    bloom->kind->stats(bloom, out);
}

crawl_err crawl_bloom_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    if (index >= bloom->kind->filters(bloom))
        return CRAWL_EINVAL;
    bloom->kind->stats_of(bloom, index, out);
    return CRAWL_OK;
}

crawl_bloom_kind crawl_bloom_kind_of(const crawl_bloom *bloom)
{
    return bloom->options.kind;
}

const crawl_bloom_options *crawl_bloom_options_of(const crawl_bloom *bloom)
{
    return &bloom->options;
}
