/* A filter for many threads: parts of one kind, each with a lock. Every key belongs to one part by its hash.
 *
 * The part is selected by the lowest bits of hash.place, while kinds scale by its highest: within a part keys are
 * spread as evenly as in the whole. The kinds are unchanged: the parts are ordinary single-threaded filters, and no
 * kind knows about locks.
 *
 * A batch is first sorted by part, stably, and takes each lock once for all its keys there. Parts whose lock is taken
 * are left for the end, so that threads pass each other instead of queueing. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "bloom/kinds/kind.h"

#define SHARDS_MAX 256
#define CAPACITY_LEAST 1000 /* that of any filter */

/* Takes two cache lines, because processors fetch lines in pairs. */
typedef struct shard {
    _Alignas(128) pthread_mutex_t lock;
    crawl_bloom *bloom;
} shard;

typedef struct sharded {
    crawl_bloom bloom;   /* first: see kind.h */
    const cw_kind *kind; /* of the shards */
    uint32_t count;      /* a power of two */
    shard *shards;
} sharded;

/* The hashes of a batch sorted by shard: those of shard s are sorted[start[s]] up to sorted[start[s + 1]]. */
typedef struct batch {
    cw_bloom_hash sorted[CW_KIND_BATCH_SHARDED];
    uint16_t place[CW_KIND_BATCH_SHARDED]; /* index in the caller's order */
    uint16_t start[SHARDS_MAX + 1];
} batch;

static const sharded *sharded_of(const crawl_bloom *bloom)
{
    return (const sharded *)bloom;
}

static uint32_t sharded_shard_of(const sharded *all, cw_bloom_hash hash)
{
    return (uint32_t)hash.place & (all->count - 1);
}

/* Locks a shard and returns its filter. `all` is const because a lock does not change the content of the filter:
 * read-only calls take it too. */
static crawl_bloom *sharded_take(const sharded *all, uint32_t s)
{
    pthread_mutex_lock(&all->shards[s].lock);
    return all->shards[s].bloom;
}

static void sharded_give(const sharded *all, uint32_t s)
{
    pthread_mutex_unlock(&all->shards[s].lock);
}

/* --- One key. --- */

static crawl_err sharded_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)
{
    const sharded *all = sharded_of(bloom);
    uint32_t s = sharded_shard_of(all, hash);
    crawl_err err = all->kind->add(sharded_take(all, s), hash, where);
    sharded_give(all, s);
    return err;
}

static bool sharded_test(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    const sharded *all = sharded_of(bloom);
    uint32_t s = sharded_shard_of(all, hash);
    bool present = all->kind->test(sharded_take(all, s), hash);
    sharded_give(all, s);
    return present;
}

static crawl_err sharded_forget(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)
{
    const sharded *all = sharded_of(bloom);
    if (!all->kind->forget)
        return CRAWL_REFUSED;
    uint32_t s = sharded_shard_of(all, hash);
    crawl_err err = all->kind->forget(sharded_take(all, s), hash, where);
    sharded_give(all, s);
    return err;
}

/* --- Batches. --- */

/* A counting sort. */
static void sharded_sort(const sharded *all, const cw_bloom_hash *hashes, size_t count, batch *out)
{
    uint16_t next[SHARDS_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        next[sharded_shard_of(all, hashes[i])]++;
    uint16_t start = 0;
    for (uint32_t s = 0; s < all->count; s++) {
        uint16_t size = next[s];
        next[s] = out->start[s] = start;
        start = (uint16_t)(start + size);
    }
    out->start[all->count] = start;
    for (size_t i = 0; i < count; i++) {
        uint16_t at = next[sharded_shard_of(all, hashes[i])]++;
        out->sorted[at] = hashes[i];
        out->place[at] = (uint16_t)i;
    }
}

/* A batch and its results, in the caller's order; where is NULL for a test. */
typedef struct work {
    batch batch;
    uint8_t *answers;
    uint32_t *where;
    crawl_err err; /* the first */
} work;

/* Handles a part of the hashes of a shard, at most CW_KIND_BATCH. */
static void do_some(const sharded *all, crawl_bloom *bloom, work *w, size_t from, size_t count)
{
    uint8_t answers[CW_KIND_BATCH];
    uint32_t where[CW_KIND_BATCH];
    const cw_bloom_hash *hashes = w->batch.sorted + from;
    if (w->where) {
        crawl_err err = all->kind->add_many(bloom, hashes, count, answers, where);
        w->err = w->err ? w->err : err;
    } else {
        all->kind->test_many(bloom, hashes, count, answers);
    }
    for (size_t i = 0; i < count; i++) {
        uint16_t place = w->batch.place[from + i];
        w->answers[place] = answers[i];
        if (w->where && answers[i])
            w->where[place] = where[i];
    }
}

/* Handles all hashes of a shard. Call with the lock of s held; releases it. */
static void do_shard(const sharded *all, uint32_t s, work *w)
{
    size_t end = w->batch.start[s + 1];
    for (size_t from = w->batch.start[s], some; from < end; from += some) {
        some = end - from < CW_KIND_BATCH ? end - from : CW_KIND_BATCH;
        do_some(all, all->shards[s].bloom, w, from, some);
    }
    sharded_give(all, s);
}

/* Visits the shards, starting with that of the first key, so that threads start at different ones. */
static void do_all(const sharded *all, const cw_bloom_hash *hashes, size_t count, work *w)
{
    uint8_t busy[SHARDS_MAX];
    uint32_t waiting = 0;
    sharded_sort(all, hashes, count, &w->batch);
    uint32_t first = sharded_shard_of(all, hashes[0]);
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t s = (first + i) & (all->count - 1);
        if (w->batch.start[s] == w->batch.start[s + 1])
            continue;
        if (pthread_mutex_trylock(&all->shards[s].lock) == 0)
            do_shard(all, s, w);
        else
            busy[waiting++] = (uint8_t)s;
    }
    for (uint32_t i = 0; i < waiting; i++) {
        sharded_take(all, busy[i]);
        do_shard(all, busy[i], w);
    }
}

static crawl_err sharded_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                                  uint32_t *where)
{
    work w;
    w.answers = fresh;
    w.where = where;
    w.err = CRAWL_OK;
    do_all(sharded_of(bloom), hashes, count, &w);
    return w.err;
}

static void sharded_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    work w;
    w.answers = present;
    w.where = NULL;
    do_all(sharded_of(bloom), hashes, count, &w);
}

/* --- The whole. --- */

static void sharded_advance(crawl_bloom *bloom, uint64_t now_ms)
{
    const sharded *all = sharded_of(bloom);
    for (uint32_t s = 0; s < all->count && all->kind->advance; s++) {
        all->kind->advance(sharded_take(all, s), now_ms);
        sharded_give(all, s);
    }
}

/* Locks all shards, always in the same order. Other calls never take a second lock, so there is no deadlock. */
static void sharded_hold(const crawl_bloom *bloom)
{
    for (uint32_t s = 0; s < sharded_of(bloom)->count; s++)
        sharded_take(sharded_of(bloom), s);
}

static void sharded_release(const crawl_bloom *bloom)
{
    for (uint32_t s = sharded_of(bloom)->count; s-- > 0;)
        sharded_give(sharded_of(bloom), s);
}

/* The rates of the whole are the means over its shards, because a key belongs to each of them with equal
 * probability. */
static void sum_up(const crawl_bloom_stats *part, double share, crawl_bloom_stats *out)
{
    out->count += part->count;
    out->capacity += part->capacity;
    out->bytes += part->bytes;
    out->fill += part->fill * share;
    out->fpr = part->fpr;
    out->fpr_now += part->fpr_now * share;
    out->fpr_by_count += part->fpr_by_count * share;
    out->expected_false += part->expected_false;
    out->saturated += part->saturated;
    out->refused += part->refused;
    out->bits += part->bits;
    out->hashes = part->hashes;
    out->filters += part->filters;
}

/* Hashes stored whole share their lowest bits with all others of their shard: a new one collides that many times more
 * often than the shard knows. */
static void mind_common_bits(const sharded *all, crawl_bloom_stats *part)
{
    if (all->bloom.options.kind != CRAWL_BLOOM_EXACT && all->bloom.options.kind != CRAWL_BLOOM_DIGEST)
        return;
    part->fpr_now *= all->count;
    part->fpr_by_count *= all->count;
    part->expected_false *= all->count;
}

static uint64_t own_bytes(uint32_t shards)
{
    return sizeof(sharded) + shards * sizeof(shard);
}

static void sharded_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const sharded *all = sharded_of(bloom);
    *out = (crawl_bloom_stats){.bytes = own_bytes(all->count)};
    for (uint32_t s = 0; s < all->count; s++) {
        crawl_bloom_stats part;
        all->kind->stats(sharded_take(all, s), &part);
        sharded_give(all, s);
        mind_common_bits(all, &part);
        sum_up(&part, 1.0 / all->count, out);
    }
}

/* Returns the filters of all shards, one shard after the other. If there are fewer than a moment ago, returns the last
 * one. */
static void sharded_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    const sharded *all = sharded_of(bloom);
    bool found = false;
    for (uint32_t s = 0; s < all->count && !found; s++) {
        const crawl_bloom *part = sharded_take(all, s);
        uint32_t filters = cw_kind_filters(all->kind, part);
        found = index < filters;
        if (found || s + 1 == all->count)
            cw_kind_stats_of(all->kind, part, found ? index : filters - 1, out);
        index -= filters;
        sharded_give(all, s);
    }
    mind_common_bits(all, out);
}

static void find_shard(const crawl_bloom *bloom, cw_bloom_hash hash, crawl_bloom_found *out)
{
    const sharded *all = sharded_of(bloom);
    uint32_t s = sharded_shard_of(all, hash);
    cw_kind_find(all->kind, sharded_take(all, s), hash, out);
    sharded_give(all, s);
    crawl_bloom_stats rate = {.fpr_now = out->fpr};
    mind_common_bits(all, &rate);
    out->fpr = rate.fpr_now;
}

static uint32_t sharded_filters(const crawl_bloom *bloom)
{
    const sharded *all = sharded_of(bloom);
    uint32_t sum = 0;
    for (uint32_t s = 0; s < all->count; s++) {
        sum += cw_kind_filters(all->kind, sharded_take(all, s));
        sharded_give(all, s);
    }
    return sum;
}

/* --- Creation and destruction. --- */

/* The number of keys in a shard has a standard deviation of about its square root: with four of them as reserve, hardly
 * any shard is full before the whole is. Not if capacity is a window: a longer one would remember too long. */
static uint64_t capacity_of_shard(const crawl_bloom_options *options)
{
    uint64_t capacity = (options->capacity + options->shards - 1) / options->shards;
    if (options->shards > 1 && options->kind != CRAWL_BLOOM_ROTATING)
        capacity += (uint64_t)(4 * sqrt((double)capacity));
    return capacity > CAPACITY_LEAST ? capacity : CAPACITY_LEAST;
}

static uint64_t max_bytes_of_shard(const crawl_bloom_options *options)
{
    uint64_t own = own_bytes(options->shards);
    if (options->max_bytes == 0)
        return 0;
    uint64_t most = options->max_bytes > own ? (options->max_bytes - own) / options->shards : 0;
    return most ? most : 1; /* 0 would mean no limit */
}

/* Divides a given size exactly; the default number of hashes is that of the whole filter, whatever the reserve of a
 * shard. */
static void part_bits(const crawl_bloom_options *options, crawl_bloom_options *part)
{
    if (options->bits == 0)
        return;
    part->bits = (options->bits + options->shards - 1) / options->shards;
    part->bits = part->bits > 64 ? part->bits : 64;
    if (options->hashes == 0) {
        double hashes = round((double)options->bits / (double)options->capacity * 0.69314718055994531);
        part->hashes = hashes < 1 ? 1 : hashes > 64 ? 64 : (uint32_t)hashes;
    }
}

static crawl_bloom_options options_of_shard(const crawl_bloom_options *options)
{
    crawl_bloom_options part = *options;
    part.shards = 0;
    part.capacity = capacity_of_shard(options);
    part.max_bytes = max_bytes_of_shard(options);
    part_bits(options, &part);
    return part;
}

static void sharded_destroy(crawl_bloom *bloom)
{
    sharded *all = (sharded *)bloom;
    for (uint32_t s = 0; s < all->count; s++) {
        all->kind->destroy(all->shards[s].bloom);
        pthread_mutex_destroy(&all->shards[s].lock);
    }
    free(all->shards);
    free(all);
}

/* Creates the object without its shards; count will grow to options->shards. NULL: out of memory. */
static sharded *create_empty(const crawl_bloom_options *options)
{
    sharded *all = calloc(1, sizeof *all);
    shard *shards = aligned_alloc(_Alignof(shard), options->shards * sizeof *shards);
    if (!all || !shards) {
        free(all);
        free(shards);
        return NULL;
    }
    all->bloom.options = *options;
    all->kind = cw_kind_of(options->kind);
    all->shards = shards;
    return all;
}

static crawl_err sharded_append(sharded *all, crawl_bloom *bloom, const crawl_bloom_options *options)
{
    bloom->kind = all->kind;
    bloom->options = *options;
    shard *s = &all->shards[all->count];
    if (pthread_mutex_init(&s->lock, NULL)) {
        all->kind->destroy(bloom);
        return CRAWL_ENOMEM;
    }
    s->bloom = bloom;
    all->count++;
    return CRAWL_OK;
}

static crawl_err sharded_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    crawl_bloom_options part = options_of_shard(options);
    if (options->kind == CRAWL_BLOOM_ROTATING && options->capacity < (uint64_t)CAPACITY_LEAST * options->shards)
        return crawl_error_set(error, CRAWL_EINVAL, "capacity: below %u for each of %u shards, with a window",
                               (unsigned)CAPACITY_LEAST, (unsigned)options->shards);
    crawl_error why = {.message = "filter: no memory"};
    crawl_err err = CRAWL_OK;
    sharded *all = create_empty(options);
    if (!all)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", why.message);
    while (all->count < options->shards && !err) {
        crawl_bloom *bloom;
        err = all->kind->create(&part, &bloom, &why);
        if (!err)
            err = sharded_append(all, bloom, &part);
    }
    if (err) {
        sharded_destroy(&all->bloom);
        return crawl_error_set(error, err, "%s, in each of %u shards", why.message, (unsigned)options->shards);
    }
    *out = &all->bloom;
    return CRAWL_OK;
}

/* --- Files: one shard after the other, each as if it were alone. --- */

static void sharded_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const sharded *all = sharded_of(bloom);
    for (uint32_t s = 0; s < all->count; s++)
        all->kind->save(all->shards[s].bloom, out);
}

static crawl_err sharded_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    crawl_bloom_options part = options_of_shard(options);
    crawl_err err = CRAWL_OK;
    sharded *all = create_empty(options);
    if (!all)
        return CRAWL_ENOMEM;
    while (all->count < options->shards && !err) {
        crawl_bloom *bloom;
        err = all->kind->load(in, &part, &bloom);
        if (!err)
            err = sharded_append(all, bloom, &part);
    }
    if (err)
        sharded_destroy(&all->bloom);
    else
        *out = &all->bloom;
    return err;
}

static crawl_err sharded_validate(const crawl_bloom *bloom, crawl_error *error)
{
    const sharded *all = sharded_of(bloom);
    crawl_err err = CRAWL_OK;
    for (uint32_t s = 0; s < all->count && all->kind->validate && !err; s++)
        err = all->kind->validate(all->shards[s].bloom, error);
    return err;
}

const cw_kind cw_kind_sharded = {
    .name = "sharded",
    .batch = CW_KIND_BATCH_SHARDED,
    .create = sharded_create,
    .destroy = sharded_destroy,
    .add = sharded_add,
    .add_many = sharded_add_many,
    .test = sharded_test,
    .test_many = sharded_test_many,
    .forget = sharded_forget,
    .advance = sharded_advance,
    .hold = sharded_hold,
    .release = sharded_release,
    .save = sharded_save,
    .load = sharded_load,
    .validate = sharded_validate,
    .stats = sharded_stats,
    .stats_of = sharded_stats_of,
    .filters = sharded_filters,
    .find_shard = find_shard,
};
