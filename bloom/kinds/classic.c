/* The kind "bloom": one bloom filter of a fixed size as described by Bloom (1970), for callers who know the number of
 * keys. A key takes k of m bits, anywhere; nothing is blocked, so the rate is that of the theory, (1 - e^(-kn/m))^k, at
 * the price of k cache misses. See Broder and Mitzenmacher, "Network Applications of Bloom Filters" (2004).
 *
 * The positions of a key. Double hashing, a + i b, needs two hashes and is sound for large filters, but its positions
 * are an arithmetic progression: two keys with the same first and second bit share all of them, which shows in the rate
 * if m is below a few thousand. A quadratic term (enhanced double hashing) helps but does not cure it. Here each
 * position is a hash of its own: the halves of the 128-bit hash of the key, each advanced by an odd constant per
 * position, are multiplied to 128 bits, whose halves are folded and scaled to m. This costs one multiplication more per
 * position, besides a cache miss, and filters of 32 bits have the rate of the exact theory. (64 bits, 8 keys, 5 hashes:
 * 0.0234, measured and exact; with double hashing 0.0275.)
 *
 * The ones are counted as they are set, so the fill, and fill^k, the present rate, are exact at any time. The expected
 * loss is the sum of the odds f / (1 - f) over the added keys, as in chain_stats.c: f is recomputed when the keys have
 * increased by 1/64, with the mean of the odds before and after for those in between. */
#include "bloom/bloom_memory.h"
#include "bloom/kinds/kind.h"

#include <math.h>
#include <stdlib.h>

#define LN2 0.69314718055994530942

#define HASHES_MAX 64
#define BITS_MAX 0x1p46

/* Keys of a batch that are searched together: as many lines as stay in the first-level cache until used. */
#define WAVE 32

/* Bits that a batch of tests checks first. */
#define FEW 4

typedef struct classic {
    crawl_bloom bloom; /* first: see kind.h */
    uint64_t *words;
    uint64_t bits;
    uint32_t hashes;
    uint64_t ones;
    uint64_t count;
    double lost; /* expected, without the adds since */
    double odds; /* odds of a loss when lost was settled */
    uint64_t adds, due;
    cw_bloom_pages pages;
} classic;

static classic *classic_of(crawl_bloom *bloom)
{
    return (classic *)bloom;
}

static const classic *classic_at(const crawl_bloom *bloom)
{
    return (const classic *)bloom;
}

/* --- The arithmetic. --- */

static uint32_t best_hashes(double bits, double keys)
{
    double hashes = round(bits / keys * LN2);
    return hashes < 1 ? 1 : hashes > HASHES_MAX ? HASHES_MAX : (uint32_t)hashes;
}

void crawl_bloom_size(uint64_t keys, double fpr, uint64_t *bits, uint32_t *hashes)
{
    *bits = (uint64_t)ceil(-(double)keys * log(fpr) / (LN2 * LN2));
    *hashes = best_hashes((double)*bits, (double)keys);
}

double crawl_bloom_rate(uint64_t keys, uint64_t bits, uint32_t hashes)
{
    return pow(-expm1(-(double)hashes * (double)keys / (double)bits), hashes);
}

/* Returns the bits for the rate with this many hashes, by the same formula. */
static double bits_for(const crawl_bloom_options *options, uint32_t hashes)
{
    return ceil(-(double)hashes * (double)options->capacity / log1p(-pow(options->fpr, 1.0 / hashes)));
}

static double classic_fill_of(const classic *filter)
{
    return fmin((double)filter->ones / (double)filter->bits, 1);
}

static double rate_now(const classic *filter)
{
    return pow(classic_fill_of(filter), filter->hashes);
}

static double classic_lost_now(const classic *filter, double odds)
{
    return filter->lost + (double)filter->adds * (filter->odds + odds) / 2;
}

static void classic_settle(classic *filter)
{
    double odds = cw_kind_odds_of(rate_now(filter));
    filter->lost = classic_lost_now(filter, odds);
    filter->odds = odds;
    filter->adds = 0;
    filter->due = filter->count / 64;
}

/* --- Bits. --- */

static uint64_t position(const classic *filter, cw_bloom_hash hash, uint32_t i)
{
    uint64_t high;
    uint64_t low = cw_bloom_multiply(hash.place + i * 0x9e3779b97f4a7c15, hash.bits + i * 0xd6e8feb86659fd93, &high);
    return cw_bloom_hash_index((cw_bloom_hash){.place = low ^ high}, filter->bits);
}

static bool has_bit(const classic *filter, uint64_t at)
{
    return filter->words[at / 64] >> at % 64 & 1;
}

/* Computes the positions of a key from index first up to, but not including, last. */
static void locate(const classic *filter, cw_bloom_hash hash, uint32_t first, uint32_t last, uint64_t *at)
{
    for (uint32_t i = first; i < last; i++) {
        at[i] = position(filter, hash, i);
        __builtin_prefetch(&filter->words[at[i] / 64], 1, 3);
    }
}

static bool classic_has(const classic *filter, const uint64_t *at, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        if (!has_bit(filter, at[i]))
            return false;
    }
    return true;
}

/* Sets the bits of a key; false: all were set. */
static bool classic_put(classic *filter, const uint64_t *at)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < filter->hashes; i++) {
        uint64_t *word = &filter->words[at[i] / 64];
        added += ~(*word >> at[i] % 64) & 1;
        *word |= (uint64_t)1 << at[i] % 64;
    }
    filter->ones += added;
    return added != 0;
}

static crawl_err add_at(classic *filter, const uint64_t *at, uint32_t *where)
{
    if (!classic_put(filter, at))
        return CRAWL_EXISTS;
    filter->count++;
    if (++filter->adds > filter->due)
        classic_settle(filter);
    *where = 0;
    return CRAWL_OK;
}

static crawl_err classic_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)
{
    classic *filter = classic_of(bloom);
    uint64_t at[HASHES_MAX];
    locate(filter, hash, 0, filter->hashes, at);
    return add_at(filter, at, where);
}

static size_t wave_of(size_t count)
{
    return count < WAVE ? count : WAVE;
}

static crawl_err classic_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                                  uint32_t *where)
{
    classic *filter = classic_of(bloom);
    uint64_t at[WAVE][HASHES_MAX];
    for (size_t done = 0, some; done < count; done += some) {
        some = wave_of(count - done);
        for (size_t n = 0; n < some; n++)
            locate(filter, hashes[done + n], 0, filter->hashes, at[n]);
        for (size_t n = 0; n < some; n++)
            fresh[done + n] = add_at(filter, at[n], &where[done + n]) == CRAWL_OK;
    }
    return CRAWL_OK;
}

static bool classic_test(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    const classic *filter = classic_at(bloom);
    for (uint32_t i = 0; i < filter->hashes; i++) {
        if (!has_bit(filter, position(filter, hash, i)))
            return false;
    }
    return true;
}

/* Checks the first few bits of all keys, which rule out nearly all absent keys, then the other bits of the rest. */
static void test_wave(const classic *filter, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    uint64_t at[WAVE][HASHES_MAX];
    uint32_t few = filter->hashes < FEW ? filter->hashes : FEW;
    for (size_t n = 0; n < count; n++)
        locate(filter, hashes[n], 0, few, at[n]);
    for (size_t n = 0; n < count; n++) {
        present[n] = classic_has(filter, at[n], 0, few);
        if (present[n])
            locate(filter, hashes[n], few, filter->hashes, at[n]);
    }
    for (size_t n = 0; n < count; n++)
        present[n] = present[n] && classic_has(filter, at[n], few, filter->hashes);
}

static void classic_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    for (size_t done = 0, some; done < count; done += some) {
        some = wave_of(count - done);
        test_wave(classic_at(bloom), hashes + done, some, present + done);
    }
}

static void classic_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const classic *filter = classic_at(bloom);
    const crawl_bloom_options *options = &bloom->options;
    double rate = rate_now(filter);
    *out = (crawl_bloom_stats){
        .count = filter->count,
        .capacity = options->capacity,
        .bytes = sizeof *filter + filter->pages.bytes,
        .fill = classic_fill_of(filter),
        .fpr = options->bits ? crawl_bloom_rate(options->capacity, filter->bits, filter->hashes) : options->fpr,
        .fpr_now = rate,
        .fpr_by_count = crawl_bloom_rate(filter->count, filter->bits, filter->hashes),
        .expected_false = classic_lost_now(filter, cw_kind_odds_of(rate)),
        .bits = filter->bits,
        .hashes = filter->hashes,
        .filters = 1,
    };
}

/* --- Creation, from options and from a file. --- */

/* Computes m and k from the options; a value not given follows from the others. CRAWL_ENOMEM: more than BITS_MAX. */
static crawl_err choose_size(classic *filter)
{
    const crawl_bloom_options *options = &filter->bloom.options;
    filter->hashes = options->hashes;
    filter->bits = options->bits;
    if (options->bits && options->hashes)
        return CRAWL_OK;
    if (options->bits) {
        filter->hashes = best_hashes((double)options->bits, (double)options->capacity);
    } else if (options->hashes) {
        double bits = bits_for(options, options->hashes);
        if (!(bits <= BITS_MAX))
            return CRAWL_ENOMEM;
        filter->bits = (uint64_t)bits;
    } else {
        crawl_bloom_size(options->capacity, options->fpr, &filter->bits, &filter->hashes);
    }
    return (double)filter->bits <= BITS_MAX ? CRAWL_OK : CRAWL_ENOMEM;
}

static uint64_t classic_bytes_of(uint64_t bits)
{
    return (bits + 511) / 512 * 64;
}

/* Faults in all pages at once: keys reach all of them equally, and otherwise the first batch would wait for each. */
static crawl_err classic_get_memory(classic *filter, crawl_error *error)
{
    uint64_t bytes = classic_bytes_of(filter->bits);
    uint64_t max_bytes = filter->bloom.options.max_bytes;
    if (max_bytes && bytes + sizeof *filter > max_bytes)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "filter: max_bytes is %llu, expected 0 or at least %llu for %llu bits",
                               (unsigned long long)max_bytes, (unsigned long long)(bytes + sizeof *filter),
                               (unsigned long long)filter->bits);
    crawl_err err = cw_bloom_pages_get(bytes, cw_bloom_pages_most(), &filter->pages);
    if (err)
        return crawl_error_set(error, err, "filter: no memory for %llu bits", (unsigned long long)filter->bits);
    cw_bloom_pages_touch(&filter->pages, 0, filter->pages.bytes);
    filter->words = filter->pages.data;
    return CRAWL_OK;
}

static crawl_err classic_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    classic *filter = calloc(1, sizeof *filter);
    if (!filter)
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory");
    filter->bloom.options = *options;
    crawl_err err = choose_size(filter);
    if (err)
        crawl_error_set(error, err, "filter: no memory for more than 2^46 bits");
    else
        err = classic_get_memory(filter, error);
    if (err) {
        free(filter);
        return err;
    }
    *out = &filter->bloom;
    return CRAWL_OK;
}

static void classic_destroy(crawl_bloom *bloom)
{
    classic *filter = classic_of(bloom);
    if (filter->words)
        cw_bloom_pages_free(&filter->pages);
    free(filter);
}

static void classic_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const classic *filter = classic_at(bloom);
    cw_file_save_u64(out, filter->bits);
    cw_file_save_u64(out, filter->hashes);
    cw_file_save_u64(out, filter->ones);
    cw_file_save_u64(out, filter->count);
    cw_file_save_double(out, filter->lost);
    cw_file_save_double(out, filter->odds);
    cw_file_save_u64(out, filter->adds);
    cw_file_save_u64(out, filter->due);
    cw_file_save_array(out, filter->words, classic_bytes_of(filter->bits));
}

static void classic_load_numbers(classic *filter, cw_file_load *in)
{
    filter->bits = cw_file_load_u64(in, "bits", 1, (uint64_t)BITS_MAX);
    filter->hashes = (uint32_t)cw_file_load_u64(in, "hashes", 1, HASHES_MAX);
    filter->ones = cw_file_load_u64(in, "ones", 0, filter->bits);
    filter->count = cw_file_load_u64(in, "count", 0, UINT64_MAX / 2);
    filter->lost = cw_file_load_double(in, "expected losses", 0, 1e300);
    filter->odds = cw_file_load_double(in, "odds", 0, 1 / (1 - CW_KIND_RATE_MAX));
    filter->adds = cw_file_load_u64(in, "keys since", 0, filter->count);
    filter->due = cw_file_load_u64(in, "keys between", 0, filter->count);
}

static crawl_err classic_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    classic *filter = calloc(1, sizeof *filter);
    if (!filter)
        return CRAWL_ENOMEM;
    filter->bloom.options = *options;
    classic_load_numbers(filter, in);
    crawl_err err = cw_file_load_state(in);
    if (!err)
        err = cw_file_load_array(in, "array of bits", classic_bytes_of(filter->bits), &filter->pages);
    if (err) {
        free(filter);
        return err;
    }
    filter->words = filter->pages.data;
    *out = &filter->bloom;
    return CRAWL_OK;
}

/* Checks that there are as many ones as the file says, and none after the last bit. */
static crawl_err classic_validate(const crawl_bloom *bloom, crawl_error *error)
{
    const classic *filter = classic_at(bloom);
    uint64_t ones = 0;
    for (uint64_t i = 0; i < classic_bytes_of(filter->bits) / 8; i++)
        ones += (unsigned)__builtin_popcountll(filter->words[i]);
    for (uint64_t at = filter->bits; at < 8 * classic_bytes_of(filter->bits); at++) {
        if (has_bit(filter, at))
            return crawl_error_set(error, CRAWL_ECORRUPT, "bit %llu is set, beyond the last", (unsigned long long)at);
    }
    if (ones != filter->ones)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%llu bits are set, expected %llu", (unsigned long long)ones,
                               (unsigned long long)filter->ones);
    return CRAWL_OK;
}

const cw_kind cw_kind_classic = {
    .name = "bloom",
    .create = classic_create,
    .destroy = classic_destroy,
    .add = classic_add,
    .add_many = classic_add_many,
    .test = classic_test,
    .test_many = classic_test_many,
    .save = classic_save,
    .load = classic_load,
    .validate = classic_validate,
    .stats = classic_stats,
};
