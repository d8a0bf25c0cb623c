/* A chain of filters after Almeida, Baquero, Preguica and Hutchison, "Scalable Bloom Filters" (2007): when a filter is
 * full the next one is created, larger and with a smaller rate, so that the rates of all together stay below the
 * requested rate. See chain.h; sizing.c for the series, scan_loops.h for the search.
 *
 * Invariants:
 * 1. filters >= 1 and target < filters; the filters before `filters` never move and never vanish, so that an index
 *    returned by add stays valid.
 * 2. A key is in one filter only: it was in none when it was added.
 * 3. No filter holds more keys than its capacity, except for the newest of a chain that may not grow (max_bytes, or
 *    CW_BLOOM_CHAIN_MAX filters).
 * 4. While `quiet` is not 0 the target takes the next new key and nothing else has to be done for it.
 *
 * New keys go into one filter, the target, until it is full; then into the newest filter with room, and only if there
 * is none into a new one. If nothing is forgotten the only filter with room is the new one. If keys are forgotten, the
 * filters that they leave are filled again, and the chain is as long as required by the most keys it ever held at once.
 *
 * The kernel clears the memory of a large filter when it is touched, a huge page at a time, and the first hundred keys
 * touch a hundred pages: tens of milliseconds. So the memory of the next filter is faulted in before it is needed, one
 * step at a time, while the newest filter takes some keys beyond its capacity, usually a 512th, for which it is sized.
 * Not earlier, because many chains get the capacity that they need, and end there. The arrival of the next filter
 * depends on numbers of keys only, so that a chain loaded from a file continues as the saved one would have. The memory
 * of the first filter is faulted in at creation. */
#include "bloom/kinds/chain.h"

#include "bloom/kinds/scan.h"

#include <math.h>
#include <stdlib.h>

/* Two cells per lane take longer than one, so they are used only if they save this much memory. */
#define TWICE_SAVES 1.1

/* The keys of a filter of a useful size (see cw_bloom_series_capacity): 10 or 20 MB at the usual rates. */
#define USEFUL_BITS 3500000
#define USEFUL_COUNTERS 1600000

/* Larger than any address space: such a size is refused anyway, and smaller numbers fit into 64 bits. */
#define BYTES_MAX 0x1p56

/* Keys that a filter takes beyond its capacity: a 512th of it, but for each step of the next filter's memory at least
 * so many that a batch waits for at most two steps. */
#define EXTRA_SHARE 512
#define KEYS_PER_STEP_LEAST CW_KIND_BATCH

crawl_err cw_kind_chain_start(cw_kind_cells cells, const crawl_bloom_options *options, cw_kind_chain **out)
{
    cw_kind_chain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return CRAWL_ENOMEM;
    chain->bloom.options = *options;
    chain->cells = cells;
    chain->most = cw_bloom_pages_most();
    chain->bytes = sizeof *chain;
    chain->scan = cw_kind_scan_for(cells);
    for (unsigned twice = 0; twice < 2; twice++)
        cw_bloom_rates_init(&chain->rates[twice],
                            (cw_bloom_shape){.lanes = CW_KIND_LANES, .cells = CW_KIND_LANE_CELLS, .hashes = 1 + twice});
    *out = chain;
    return CRAWL_OK;
}

static bool beyond_max_bytes(const cw_kind_chain *chain)
{
    uint64_t most = chain->bloom.options.max_bytes;
    return most && (double)chain->bytes + chain->next_bytes > (double)most;
}

static uint64_t series_capacity(const cw_kind_chain *chain, uint32_t index, uint64_t last, bool leap)
{
    uint64_t useful = chain->cells == CW_BITS ? USEFUL_BITS : USEFUL_COUNTERS;
    return cw_bloom_series_capacity(&chain->bloom.options, index, last, leap ? useful : 0);
}

/* Returns the blocks for a number of keys at a rate, in the shape that needs the fewest. */
static double blocks_for(const cw_kind_chain *chain, double keys, double fpr, bool *twice)
{
    double one = cw_bloom_load_for(&chain->rates[false], fpr);
    double two = cw_bloom_load_for(&chain->rates[true], fpr);
    *twice = two > one * TWICE_SAVES;
    return ceil(keys / (*twice ? two : one));
}

/* Returns the number of steps that fault in an amount of memory; 0: small, and present at once. */
static uint64_t steps_of(double bytes)
{
    return bytes < CW_BLOOM_PAGES_STEP ? 0 : (uint64_t)ceil(fmin(bytes, BYTES_MAX) / CW_BLOOM_PAGES_STEP);
}

/* Returns the keys that filter `index`, which has this capacity, takes beyond it. */
static uint64_t extra_for(const cw_kind_chain *chain, uint32_t index, uint64_t capacity)
{
    bool twice;
    uint64_t after = series_capacity(chain, index + 1, capacity, true);
    double blocks = blocks_for(chain, (double)after, cw_bloom_series_rate(&chain->bloom.options, index + 1), &twice);
    uint64_t steps = steps_of(blocks * (double)cw_kind_block_bytes(chain->cells));
    uint64_t least = steps * KEYS_PER_STEP_LEAST;
    return steps == 0 || least > capacity / EXTRA_SHARE ? least : capacity / EXTRA_SHARE;
}

static void plan(cw_kind_chain *chain, bool leap)
{
    uint32_t index = chain->filters;
    uint64_t last = index ? chain->filter[index - 1].capacity : 0;
    cw_kind_filter next = {.capacity = series_capacity(chain, index, last, leap)};
    next.fpr = cw_bloom_series_rate(&chain->bloom.options, index);
    next.extra = extra_for(chain, index, next.capacity);
    double blocks = blocks_for(chain, (double)next.capacity + (double)next.extra, next.fpr, &next.twice);
    chain->next_bytes = blocks * (double)cw_kind_block_bytes(chain->cells);
    next.blocks = chain->next_bytes < BYTES_MAX ? (uint64_t)blocks : 0;
    chain->next = next;
    chain->next_taken = 0;
}

/* The searches take about 80 us, so this is done once per filter and not at every add that finds no room. */
void cw_kind_chain_plan(cw_kind_chain *chain)
{
    plan(chain, true);
    if (beyond_max_bytes(chain))
        plan(chain, false);
}

bool cw_kind_chain_may_grow(const cw_kind_chain *chain)
{
    return chain->filters < CW_BLOOM_CHAIN_MAX && !beyond_max_bytes(chain);
}

/* Reserves address space for the next filter; a small filter gets its memory at once. */
static crawl_err reserve_next(cw_kind_chain *chain)
{
    cw_bloom_pages *pages = &chain->next.pages;
    if (pages->data)
        return CRAWL_OK;
    if (chain->next_bytes >= BYTES_MAX)
        return CRAWL_ENOMEM;
    crawl_err err = cw_bloom_pages_get((uint64_t)chain->next_bytes, chain->most, pages);
    if (err)
        return err;
    chain->next.lanes = pages->data;
    chain->next_taken = pages->how == CW_PAGES_HEAP ? pages->bytes : 0;
    return CRAWL_OK;
}

/* Returns the keys beyond the capacity of the newest filter per step of the next one's memory; 0: present at once. */
static uint64_t keys_per_step(const cw_kind_chain *chain)
{
    uint64_t steps = steps_of(chain->next_bytes);
    uint64_t keys = steps ? chain->filter[chain->filters - 1].extra / steps : 0;
    return steps && keys == 0 ? 1 : keys;
}

/* Faults in memory of the next filter until this many steps are done in total. */
static void take_next(cw_kind_chain *chain, uint64_t steps)
{
    const cw_bloom_pages *pages = &chain->next.pages;
    while (chain->next_taken < pages->bytes && chain->next_taken / CW_BLOOM_PAGES_STEP < steps) {
        cw_bloom_pages_touch(pages, chain->next_taken, CW_BLOOM_PAGES_STEP);
        size_t left = pages->bytes - chain->next_taken;
        chain->next_taken += left < CW_BLOOM_PAGES_STEP ? left : CW_BLOOM_PAGES_STEP;
    }
}

/* Adds the planned filter and makes it the target. */
static crawl_err push_next(cw_kind_chain *chain)
{
    crawl_err err = reserve_next(chain);
    if (err)
        return err;
    take_next(chain, UINT64_MAX);
    chain->filter[chain->filters] = chain->next;
    chain->target = chain->filters++;
    chain->bytes += (uint64_t)chain->next_bytes;
    cw_kind_chain_plan(chain);
    return CRAWL_OK;
}

static crawl_err make_first(cw_kind_chain *chain, crawl_error *error)
{
    cw_kind_chain_plan(chain);
    if (beyond_max_bytes(chain))
        return crawl_error_set(
            error, CRAWL_EINVAL, "filter: max_bytes is %llu, expected 0 or at least %.0f for the first filter",
            (unsigned long long)chain->bloom.options.max_bytes, (double)chain->bytes + chain->next_bytes);
    double bytes = chain->next_bytes;
    crawl_err err = push_next(chain);
    return err ? crawl_error_set(error, err, "filter: no memory for a first filter of %.0f bytes", bytes) : CRAWL_OK;
}

/* Returns true if the whole memory of the next filter is due, while all filters are full. Otherwise does the steps that
 * are due. */
static bool next_is_due(cw_kind_chain *chain)
{
    const cw_kind_filter *newest = &chain->filter[chain->filters - 1];
    uint64_t keys = keys_per_step(chain);
    uint64_t steps = keys ? (newest->count - newest->capacity) / keys : 0;
    if (steps >= steps_of(chain->next_bytes))
        return true;
    take_next(chain, steps + 1);
    return false;
}

/* Lets the newest filter take new keys when all filters are full: until the memory of the next one is present, or
 * forever if the chain may not grow. */
static crawl_err chain_grow(cw_kind_chain *chain)
{
    chain->target = chain->filters - 1;
    if (!cw_kind_chain_may_grow(chain))
        return CRAWL_OK;
    crawl_err err = reserve_next(chain);
    if (err)
        return err;
    return next_is_due(chain) ? push_next(chain) : CRAWL_OK;
}

/* Chooses the target, the filter that takes the next new key. CRAWL_ENOMEM: none has room. */
static crawl_err chain_make_room(cw_kind_chain *chain)
{
    if (cw_kind_filter_has_room(&chain->filter[chain->target]))
        return CRAWL_OK;
    for (uint32_t f = chain->filters; f-- > 0;) {
        if (cw_kind_filter_has_room(&chain->filter[f])) {
            chain->target = f;
            return CRAWL_OK;
        }
    }
    return chain_grow(chain);
}

/* Returns how many new keys the target takes before make_room must be called again. */
static uint64_t room_of_target(const cw_kind_chain *chain)
{
    const cw_kind_filter *target = &chain->filter[chain->target];
    if (cw_kind_filter_has_room(target))
        return target->capacity - target->count;
    if (!cw_kind_chain_may_grow(chain))
        return UINT64_MAX;
    uint64_t keys = keys_per_step(chain); /* not 0: otherwise the next filter would exist */
    return keys - (target->count - target->capacity) % keys;
}

/* Must be called before a new key is added while chain->quiet is 0. Does whatever is due: settles the losses, faults in
 * a step of the next memory, finds the filter for the key. Then sets `quiet` to 1 or more. CRAWL_ENOMEM: no filter has
 * room; only then `quiet` stays 0. */
static crawl_err chain_turn(cw_kind_chain *chain)
{
    if (!cw_kind_filter_has_room(&chain->filter[chain->target]) || chain->losses.adds >= chain->losses.due)
        cw_kind_losses_settle(chain);
    crawl_err err = chain_make_room(chain);
    if (err)
        return err;
    uint64_t room = room_of_target(chain);
    uint64_t due = chain->losses.due - chain->losses.adds;
    chain->quiet = room < due ? room : due;
    return CRAWL_OK;
}

void cw_kind_chain_catch_up(cw_kind_chain *chain)
{
    const cw_kind_filter *newest = &chain->filter[chain->filters - 1];
    if (newest->count > newest->capacity && cw_kind_chain_may_grow(chain) && reserve_next(chain) == CRAWL_OK)
        next_is_due(chain);
}

/* ---- the kind ---- */

static cw_kind_chain *chain_of(crawl_bloom *bloom)
{
    return (cw_kind_chain *)bloom;
}

static crawl_err chain_create(cw_kind_cells cells, const crawl_bloom_options *options, crawl_bloom **out,
                              crawl_error *error)
{
    cw_kind_chain *chain;
    crawl_err err = cw_kind_chain_start(cells, options, &chain);
    if (err)
        return crawl_error_set(error, err, "filter: no memory");
    err = make_first(chain, error);
    if (err) {
        cw_kind_chain_destroy(&chain->bloom);
        return err;
    }
    *out = &chain->bloom;
    return CRAWL_OK;
}

void cw_kind_chain_destroy(crawl_bloom *bloom)
{
    cw_kind_chain *chain = chain_of(bloom);
    for (uint32_t f = 0; f < chain->filters; f++)
        cw_bloom_pages_free(&chain->filter[f].pages);
    cw_bloom_pages_free(&chain->next.pages);
    free(chain);
}

static crawl_err chain_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)
{
    cw_kind_chain *chain = chain_of(bloom);
    if (chain->quiet == 0) {
        if (chain->scan->find(chain, hash))
            return CRAWL_EXISTS;
        crawl_err err = chain_turn(chain);
        if (err)
            return err;
    }
    uint32_t unwanted;
    bool fresh = chain->scan->add(chain, hash);
    *(uint32_t *)cw_kind_choose(fresh, where, &unwanted) = chain->target;
    return fresh ? CRAWL_OK : CRAWL_EXISTS;
}

/* Searches the rest of a batch again after a change of the target, for keys that came earlier in the batch and went
 * into the previous filter. */
static void search_rest(const cw_kind_chain *chain, cw_kind_batch *batch)
{
    cw_bloom_hash rest[CW_KIND_BATCH];
    uint8_t still[CW_KIND_BATCH];
    uint8_t *absent = batch->absent + batch->done;
    size_t count = batch->left - batch->done;
    for (size_t n = 0; n < count; n++)
        rest[n] = batch->hashes[absent[n]];
    size_t left = chain->scan->find_absent(chain, rest, count, still);
    for (size_t n = 0; n < left; n++)
        absent[n] = absent[still[n]]; /* still[n] >= n */
    batch->left = batch->done + left;
}

static crawl_err chain_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                                uint32_t *where)
{
    cw_kind_chain *chain = chain_of(bloom);
    cw_kind_batch batch;
    batch.hashes = hashes;
    batch.fresh = fresh;
    batch.where = where;
    batch.done = 0;
    memset(fresh, 0, count);
    batch.left = chain->scan->find_absent(chain, hashes, count, batch.absent);
    while (batch.done < batch.left) {
        uint32_t target = chain->target;
        crawl_err err = chain->quiet == 0 ? chain_turn(chain) : CRAWL_OK;
        if (err)
            return err;
        if (chain->target != target && batch.done > 0)
            search_rest(chain, &batch);
        chain->scan->put_absent(chain, &batch);
    }
    return CRAWL_OK;
}

static bool chain_test(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    return chain->scan->find(chain, hash);
}

static void chain_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    uint8_t absent[CW_KIND_BATCH];
    size_t left = chain->scan->find_absent(chain, hashes, count, absent);
    memset(present, 1, count);
    for (size_t n = 0; n < left; n++)
        present[absent[n]] = 0;
}

static uint32_t chain_find(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    uint32_t f = chain->filters - 1;
    while (f && !cw_kind_key_in(chain->cells, chain->filter[f].twice,
                                cw_kind_filter_block(chain->cells, &chain->filter[f], hash), hash))
        f--;
    return f;
}

static uint32_t chain_filters(const crawl_bloom *bloom)
{
    return ((const cw_kind_chain *)bloom)->filters;
}

/* ---- the kind "scalable": a chain of bits ---- */

static crawl_err scalable_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    return chain_create(CW_BITS, options, out, error);
}

static crawl_err scalable_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    return cw_kind_chain_load(in, CW_BITS, options, out);
}

const cw_kind cw_kind_scalable = {
    .name = "scalable",
    .create = scalable_create,
    .destroy = cw_kind_chain_destroy,
    .add = chain_add,
    .add_many = chain_add_many,
    .test = chain_test,
    .test_many = chain_test_many,
    .save = cw_kind_chain_save,
    .load = scalable_load,
    .validate = cw_kind_chain_validate,
    .stats = cw_kind_chain_stats,
    .stats_of = cw_kind_chain_stats_of,
    .filters = chain_filters,
    .find = chain_find,
};

/* The kind "counting": a chain of 4-bit counters, so that keys can be removed; the head of this file explains where new
 * keys go afterwards.
 *
 * A counter is the number of keys in its filter that share it. Decrementing is correct only for a key that is in this
 * very filter, so the caller passes back what add returned. A counter that has reached 15 stays there forever, because
 * the number of keys that share it is no longer known. This keeps all other keys safe and costs the rate a little;
 * within the capacity of a filter of rate 1e-3 a counter gets there with a probability of 2e-14. */

static crawl_err counting_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    return chain_create(CW_COUNTERS, options, out, error);
}

static crawl_err counting_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    return cw_kind_chain_load(in, CW_COUNTERS, options, out);
}

static void forget_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, const uint32_t *where,
                        uint8_t *gone)
{
    cw_kind_chain *chain = (cw_kind_chain *)bloom;
    chain->scan->forget_many(chain, hashes, count, where, gone);
}

static crawl_err counting_forget(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)
{
    uint8_t gone;
    if (where >= chain_filters(bloom))
        return CRAWL_EINVAL;
    forget_many(bloom, &hash, 1, &where, &gone);
    return gone ? CRAWL_OK : CRAWL_ABSENT;
}

const cw_kind cw_kind_counting = {
    .name = "counting",
    .create = counting_create,
    .destroy = cw_kind_chain_destroy,
    .add = chain_add,
    .add_many = chain_add_many,
    .test = chain_test,
    .test_many = chain_test_many,
    .forget = counting_forget,
    .forget_many = forget_many,
    .save = cw_kind_chain_save,
    .load = counting_load,
    .validate = cw_kind_chain_validate,
    .stats = cw_kind_chain_stats,
    .stats_of = cw_kind_chain_stats_of,
    .filters = chain_filters,
    .find = chain_find,
};
