/* The calls of <crawl/bloom.h>: checks, hashing and batching, then the functions of the kind. See kind.h. */
#include "bloom/bloom_options.h"
#include "bloom/kinds/kind.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CW_ALWAYS static inline __attribute__((always_inline))

static const cw_kind *const kinds[] = {
    [CRAWL_BLOOM_SCALABLE] = &cw_kind_scalable, [CRAWL_BLOOM_COUNTING] = &cw_kind_counting,
    [CRAWL_BLOOM_EXACT] = &cw_kind_exact,       [CRAWL_BLOOM_CLASSIC] = &cw_kind_classic,
    [CRAWL_BLOOM_TABLE] = &cw_kind_table,       [CRAWL_BLOOM_ROTATING] = &cw_kind_rotating,
    [CRAWL_BLOOM_DIGEST] = &cw_kind_digest,
};

/* As in options and files, in the order of crawl_bloom_kind. */
static const char *const names[CRAWL_BLOOM_KINDS] = {
    "scalable", "counting", "exact", "bloom", "table", "rotating", "digest",
};

const char *crawl_bloom_kind_name(crawl_bloom_kind kind)
{
    return (unsigned)kind < CRAWL_BLOOM_KINDS ? names[kind] : NULL;
}

bool crawl_bloom_kind_forgets(crawl_bloom_kind kind)
{
    return (unsigned)kind < CRAWL_BLOOM_KINDS && kinds[kind]->forget;
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

const cw_kind *cw_kind_for(const crawl_bloom_options *options)
{
    return options->shards ? &cw_kind_sharded : cw_kind_of(options->kind);
}

CW_ALWAYS cw_bloom_hash hash_bytes(const void *key, size_t size, uint64_t seed)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(key, size, seed);
    return (cw_bloom_hash){.place = hash.low64, .bits = hash.high64};
}

static __attribute__((noinline)) cw_bloom_hash hash_any(const void *key, size_t size, uint64_t seed)
{
    return hash_bytes(size ? key : "", size, seed);
}

static cw_bloom_hash bloom_hash_of(const crawl_bloom *bloom, const void *key, size_t size)
{
    uint64_t seed = bloom->options.seed;
    return size == 20 ? hash_bytes(key, 20, seed) : hash_any(key, size, seed); /* see hash_table */
}

crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    if (!cw_kind_of(options->kind))
        return crawl_error_set(error, CRAWL_EINVAL, "filter: kind is %d, expected one of crawl_bloom_kind",
                               (int)options->kind);
    crawl_err err = cw_bloom_options_check(options, error);
    if (err)
        return err;
    const cw_kind *kind = cw_kind_for(options);
    crawl_bloom *bloom;
    err = kind->create(options, &bloom, error);
    if (err)
        return err;
    bloom->kind = kind;
    memset(bloom->label, 0, sizeof bloom->label);
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
    return bloom->kind->add(bloom, bloom_hash_of(bloom, key, size), where ? where : &unwanted);
}

/* The keys of a call: slices or, if slices is NULL, consecutive keys of one size. */
typedef struct keys {
    const crawl_slice *slices;
    const char *bytes;
    size_t size;
} keys;

static void hash_slices(const crawl_slice *slices, size_t count, uint64_t seed, cw_bloom_hash *hashes)
{
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_any(slices[i].data, slices[i].size, seed);
}

CW_ALWAYS void hash_equal(const char *bytes, size_t size, size_t count, uint64_t seed, cw_bloom_hash *hashes)
{
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_bytes(bytes + i * size, size, seed);
}

/* With a size known to the compiler, such as that of a word, a fingerprint or another hash, hashing takes 0.4 to 0.6 of
 * the time: 3 ns for 20 bytes. */
static void hash_table(const char *bytes, size_t size, size_t count, uint64_t seed, cw_bloom_hash *hashes)
{
    switch (size) {
    case 8:
        hash_equal(bytes, 8, count, seed, hashes);
        break;
    case 16:
        hash_equal(bytes, 16, count, seed, hashes);
        break;
    case 20:
        hash_equal(bytes, 20, count, seed, hashes);
        break;
    case 32:
        hash_equal(bytes, 32, count, seed, hashes);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            hashes[i] = hash_any(size ? bytes + i * size : "", size, seed);
    }
}

static void hash_some(const crawl_bloom *bloom, const keys *in, size_t from, size_t count, cw_bloom_hash *hashes)
{
    if (in->slices)
        hash_slices(in->slices + from, count, bloom->options.seed, hashes);
    else
        hash_table(in->size ? in->bytes + from * in->size : "", in->size, count, bloom->options.seed, hashes);
}

/* Returns how many of the remaining keys go into the next batch. */
static size_t some_of(const crawl_bloom *bloom, size_t left)
{
    size_t batch = bloom->kind->batch ? bloom->kind->batch : CW_KIND_BATCH;
    return left < batch ? left : batch;
}

static crawl_err bloom_add_all(crawl_bloom *bloom, keys in, size_t count, uint8_t *fresh, uint32_t *where)
{
    cw_bloom_hash hashes[CW_KIND_BATCH_SHARDED];
    uint32_t unwanted[CW_KIND_BATCH_SHARDED];
    for (size_t done = 0, some; done < count; done += some) {
        some = some_of(bloom, count - done);
        hash_some(bloom, &in, done, some, hashes);
        crawl_err err = bloom->kind->add_many(bloom, hashes, some, fresh + done, where ? where + done : unwanted);
        if (err) {
            memset(fresh + done + some, 0, count - done - some);
            return err;
        }
    }
    return CRAWL_OK;
}

static void test_all(const crawl_bloom *bloom, keys in, size_t count, uint8_t *present)
{
    cw_bloom_hash hashes[CW_KIND_BATCH_SHARDED];
    for (size_t done = 0, some; done < count; done += some) {
        some = some_of(bloom, count - done);
        hash_some(bloom, &in, done, some, hashes);
        bloom->kind->test_many(bloom, hashes, some, present + done);
    }
}

crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *bytes, size_t key_size, size_t count, uint8_t *fresh,
                               uint32_t *where)
{
    return bloom_add_all(bloom, (keys){.bytes = bytes, .size = key_size}, count, fresh, where);
}

crawl_err crawl_bloom_add_slices(crawl_bloom *bloom, const crawl_slice *slices, size_t count, uint8_t *fresh,
                                 uint32_t *where)
{
    return bloom_add_all(bloom, (keys){.slices = slices}, count, fresh, where);
}

crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size)
{
    return bloom->kind->test(bloom, bloom_hash_of(bloom, key, size)) ? CRAWL_EXISTS : CRAWL_ABSENT;
}

void crawl_bloom_test_many(const crawl_bloom *bloom, const void *bytes, size_t key_size, size_t count, uint8_t *present)
{
    test_all(bloom, (keys){.bytes = bytes, .size = key_size}, count, present);
}

void crawl_bloom_test_slices(const crawl_bloom *bloom, const crawl_slice *slices, size_t count, uint8_t *present)
{
    test_all(bloom, (keys){.slices = slices}, count, present);
}

crawl_err crawl_bloom_find(const crawl_bloom *bloom, const void *key, size_t size, crawl_bloom_found *out)
{
    cw_bloom_hash hash = bloom_hash_of(bloom, key, size);
    if (!bloom->kind->test(bloom, hash))
        return CRAWL_ABSENT;
    if (bloom->kind->find_shard)
        bloom->kind->find_shard(bloom, hash, out);
    else
        cw_kind_find(bloom->kind, bloom, hash, out);
    return CRAWL_EXISTS;
}

crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where)
{
    if (!bloom->kind->forget)
        return CRAWL_REFUSED;
    return bloom->kind->forget(bloom, bloom_hash_of(bloom, key, size), where);
}

static void forget_each(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, const uint32_t *where,
                        uint8_t *gone)
{
    for (size_t i = 0; i < count; i++)
        gone[i] = bloom->kind->forget(bloom, hashes[i], where[i]) == CRAWL_OK;
}

crawl_err crawl_bloom_forget_many(crawl_bloom *bloom, const void *bytes, size_t key_size, size_t count,
                                  const uint32_t *where, uint8_t *gone)
{
    cw_bloom_hash hashes[CW_KIND_BATCH_SHARDED];
    const keys in = {.bytes = bytes, .size = key_size};
    if (!cw_kind_of(bloom->options.kind)->forget)
        return CRAWL_REFUSED;
    for (size_t done = 0, some; done < count; done += some) {
        some = some_of(bloom, count - done);
        hash_some(bloom, &in, done, some, hashes);
        if (bloom->kind->forget_many)
            bloom->kind->forget_many(bloom, hashes, some, where + done, gone + done);
        else
            forget_each(bloom, hashes, some, where + done, gone + done);
    }
    return CRAWL_OK;
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
    if (index >= cw_kind_filters(bloom->kind, bloom))
        return CRAWL_EINVAL;
    cw_kind_stats_of(bloom->kind, bloom, index, out);
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

crawl_err crawl_bloom_set_label(crawl_bloom *bloom, const char *label)
{
    size_t size = strlen(label);
    if (size > CRAWL_BLOOM_LABEL_MAX)
        return CRAWL_EINVAL;
    memset(bloom->label, 0, sizeof bloom->label);
    memcpy(bloom->label, label, size);
    return CRAWL_OK;
}

const char *crawl_bloom_label(const crawl_bloom *bloom)
{
    return bloom->label;
}
