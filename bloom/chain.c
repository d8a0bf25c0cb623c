/* A chain of filters after Almeida, Baquero, Preguica and Hutchison, "Scalable Bloom Filters" (2007): when a filter is full
 * the next one is made, larger and with a smaller rate, so that the rates of all of them together stay below the rate that
 * was asked for. See chain.h, sizing.c for the series, scan.c for the search.
 *
 * What holds at any time:
 * 1. filters >= 1 and target < filters; the filters before `filters` never move and never vanish, so that an index once
 *    given out by add stays right.
 * 2. A key is in one filter only: it was found in none when it was added.
 * 3. No filter holds more keys than its capacity, but for the newest of a chain that may not grow (max_bytes, or
 *    CW_CHAIN_MAX filters).
 *
 * New keys go into one filter, the target, until it is full; then into the newest filter with room, and only when there is
 * none into a new one. Where nothing is forgotten the only one with room is the new one; where keys are forgotten the
 * filters they leave behind are filled again, and the chain is as long as the most keys it ever held at once require. */
#include "bloom/chain.h"

#include <math.h>
#include <stdlib.h>

#include "bloom/scan.h"

/* The number of cells per lane is chosen once for the chain, as all filters share the masks: by the filter with this index,
 * where a chain that has grown 64-fold has most of its memory. */
#define TYPICAL 6

/* Larger than any address space: so many bytes are refused anyway, and smaller numbers fit 64 bits. */
#define BYTES_MAX 0x1p56

static cw_chain *chain_of(crawl_bloom *bloom)
{
    return (cw_chain *)bloom;
}

static void choose_shape(cw_chain *chain)
{
    double rate = cw_series_rate(&chain->bloom.options, TYPICAL);
    cw_rates_init(&chain->rates, cw_chain_shape(chain->cells, false));
    if (chain->cells == CW_COUNTERS)
        return;
    double once = cw_load_for(&chain->rates, rate);
    cw_rates_init(&chain->rates, cw_chain_shape(chain->cells, true));
    chain->twice = cw_load_for(&chain->rates, rate) > once;
    if (!chain->twice)
        cw_rates_init(&chain->rates, cw_chain_shape(chain->cells, false));
}

/* Sizes the filter that would come next: a search of some 20 us, so it is done once for each and not at every add that
 * finds no room. */
static void plan_next(cw_chain *chain)
{
    const crawl_bloom_options *options = &chain->bloom.options;
    uint32_t index = chain->filters;
    uint64_t last = index ? chain->filter[index - 1].capacity : 0;
    cw_filter next = {.capacity = cw_series_capacity(options, index, last), .fpr = cw_series_rate(options, index)};
    double blocks = ceil((double)next.capacity / cw_load_for(&chain->rates, next.fpr));
    chain->next_bytes = blocks * cw_lanes(chain->cells) * sizeof(uint64_t);
    next.blocks = chain->next_bytes < BYTES_MAX ? (uint64_t)blocks : 0;
    chain->next = next;
}

/* Adds the planned filter and makes it the target. */
static crawl_err push_next(cw_chain *chain)
{
    if (chain->next_bytes >= BYTES_MAX)
        return CRAWL_ENOMEM;
    crawl_err err = cw_pages_get((uint64_t)chain->next_bytes, chain->most, &chain->next.pages);
    if (err)
        return err;
    chain->next.lanes = chain->next.pages.data;
    chain->filter[chain->filters] = chain->next;
    chain->target = chain->filters++;
    chain->bytes += chain->next.pages.bytes;
    plan_next(chain);
    return CRAWL_OK;
}

static bool beyond_max_bytes(const cw_chain *chain)
{
    uint64_t most = chain->bloom.options.max_bytes;
    return most && (double)chain->bytes + chain->next_bytes > (double)most;
}

static crawl_err push_first(cw_chain *chain, crawl_error *error)
{
    if (beyond_max_bytes(chain))
        return crawl_error_set(error, CRAWL_EINVAL, "filter: max_bytes is %llu, expected 0 or at least %.0f for the first filter",
                               (unsigned long long)chain->bloom.options.max_bytes, (double)chain->bytes + chain->next_bytes);
    double bytes = chain->next_bytes;
    crawl_err err = push_next(chain);
    return err ? crawl_error_set(error, err, "filter: no memory for a first filter of %.0f bytes", bytes) : CRAWL_OK;
}

crawl_err cw_chain_create(cw_cells cells, const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    cw_chain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory");
    chain->bloom.options = *options;
    chain->cells = cells;
    chain->scan = cw_scan_for(cells);
    chain->most = cw_pages_most();
    chain->bytes = sizeof *chain;
    choose_shape(chain);
    plan_next(chain);
    crawl_err err = push_first(chain, error);
    if (err) {
        free(chain);
        return err;
    }
    *out = &chain->bloom;
    return CRAWL_OK;
}

void cw_chain_destroy(crawl_bloom *bloom)
{
    cw_chain *chain = chain_of(bloom);
    for (uint32_t f = 0; f < chain->filters; f++)
        cw_pages_free(&chain->filter[f].pages);
    free(chain);
}

static bool has_room(const cw_filter *filter)
{
    return filter->count < filter->capacity;
}

/* Where the chain may not grow, its newest filter takes what comes. */
static crawl_err grow(cw_chain *chain)
{
    chain->target = chain->filters - 1;
    if (chain->filters == CW_CHAIN_MAX || beyond_max_bytes(chain))
        return CRAWL_OK;
    return push_next(chain);
}

/* Makes target the filter that the next new key goes to. CRAWL_ENOMEM: none has room. */
static crawl_err make_room(cw_chain *chain)
{
    if (has_room(&chain->filter[chain->target]))
        return CRAWL_OK;
    for (uint32_t f = chain->filters; f-- > 0;) {
        if (has_room(&chain->filter[f])) {
            chain->target = f;
            return CRAWL_OK;
        }
    }
    return grow(chain);
}

crawl_err cw_chain_add(crawl_bloom *bloom, cw_hash hash, uint32_t *where)
{
    cw_chain *chain = chain_of(bloom);
    if (chain->scan->find(chain, hash))
        return CRAWL_EXISTS;
    crawl_err err = make_room(chain);
    if (err)
        return err;
    chain->scan->filter_put(chain, &chain->filter[chain->target], hash);
    *where = chain->target;
    cw_losses_add(chain);
    return CRAWL_OK;
}

/* Is it in one of these filters? A bit for each: CW_CHAIN_MAX of them. */
static bool in_some(const cw_chain *chain, uint64_t filters, cw_hash hash)
{
    for (; filters; filters &= filters - 1) {
        if (chain->scan->filter_has(chain, &chain->filter[__builtin_ctzll(filters)], hash))
            return true;
    }
    return false;
}

/* Adds a key that was in no filter when the batch began; since then only the filters of *touched have changed. In nearly
 * all batches that is the target alone, and putting tells. */
static crawl_err add_absent(cw_chain *chain, cw_hash hash, uint64_t *touched, uint32_t *where)
{
    bool simple = (*touched & ~((uint64_t)1 << chain->target)) == 0 && has_room(&chain->filter[chain->target]);
    if (!simple) {
        if (in_some(chain, *touched, hash))
            return CRAWL_EXISTS;
        crawl_err err = make_room(chain);
        if (err)
            return err;
    }
    crawl_err err = chain->scan->filter_put(chain, &chain->filter[chain->target], hash);
    if (err)
        return err;
    *touched |= (uint64_t)1 << chain->target;
    *where = chain->target;
    cw_losses_add(chain);
    return CRAWL_OK;
}

crawl_err cw_chain_add_many(crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *fresh, uint32_t *where)
{
    cw_chain *chain = chain_of(bloom);
    uint8_t present[CW_BATCH];
    uint64_t touched = 0;
    chain->scan->find_many(chain, hashes, count, present);
    memset(fresh, 0, count);
    for (size_t i = 0; i < count; i++) {
        if (present[i])
            continue;
        crawl_err err = add_absent(chain, hashes[i], &touched, &where[i]);
        if (err != CRAWL_OK && err != CRAWL_EXISTS)
            return err;
        fresh[i] = err == CRAWL_OK;
    }
    return CRAWL_OK;
}

bool cw_chain_test(const crawl_bloom *bloom, cw_hash hash)
{
    const cw_chain *chain = (const cw_chain *)bloom;
    return chain->scan->find(chain, hash);
}

void cw_chain_test_many(const crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *present)
{
    const cw_chain *chain = (const cw_chain *)bloom;
    chain->scan->find_many(chain, hashes, count, present);
}

uint32_t cw_chain_filters(const crawl_bloom *bloom)
{
    return ((const cw_chain *)bloom)->filters;
}
