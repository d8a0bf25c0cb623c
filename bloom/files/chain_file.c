/* Saves a chain to a file and loads it: its numbers, then for each filter its numbers and its blocks as in memory.
 *
 * The file is not trusted. The memory safety of a chain rests on two facts: a filter has as many blocks as it says,
 * which cw_file_load_array checks, and target is below filters. Other wrong values could only lead to wrong answers;
 * but sizes must agree with the arithmetic, so that the next filter is not absurdly larger than the file. */
#include <math.h>

#include "bloom/kinds/chain.h"

/* Maximum number of keys, blocks or losses: more than fit into any memory, and far from overflow when added or
 * multiplied by 64. */
#define MOST ((uint64_t)1 << 56)
#define LOST_MOST 1e18

/* Tolerance for the number of blocks computed by sizing.c: another machine may round differently. */
#define ROUNDING 1e-6

static void save_filter(const cw_kind_chain *chain, const cw_kind_filter *filter, cw_file_save *out)
{
    cw_file_save_u64(out, filter->capacity);
    cw_file_save_u64(out, filter->extra);
    cw_file_save_u64(out, filter->twice);
    cw_file_save_u64(out, filter->blocks);
    cw_file_save_u64(out, filter->count);
    cw_file_save_u64(out, filter->saturated);
    cw_file_save_u64(out, filter->refused);
    cw_file_save_double(out, filter->ghosts);
    cw_file_save_double(out, filter->lost);
    cw_file_save_double(out, filter->rate);
    cw_file_save_double(out, filter->rated_load);
    cw_file_save_array(out, filter->lanes, filter->blocks * cw_kind_block_bytes(chain->cells));
}

void cw_kind_chain_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    cw_file_save_u64(out, chain->filters);
    cw_file_save_u64(out, chain->target);
    cw_file_save_double(out, chain->losses.settled);
    cw_file_save_double(out, chain->losses.odds);
    cw_file_save_u64(out, chain->losses.due);
    cw_file_save_u64(out, chain->losses.adds);
    cw_file_save_u64(out, chain->quiet);
    for (uint32_t f = 0; f < chain->filters; f++)
        save_filter(chain, &chain->filter[f], out);
}

static void chain_file_load_numbers(cw_file_load *in, cw_kind_filter *filter)
{
    filter->capacity = cw_file_load_u64(in, "capacity", 1, MOST);
    filter->extra = cw_file_load_u64(in, "extra", 0, MOST);
    filter->twice = cw_file_load_u64(in, "twice", 0, 1);
    filter->blocks = cw_file_load_u64(in, "blocks", 1, MOST);
    filter->count = cw_file_load_u64(in, "count", 0, MOST);
    filter->saturated = cw_file_load_u64(in, "saturated", 0, MOST);
    filter->refused = cw_file_load_u64(in, "refused", 0, UINT64_MAX);
    filter->ghosts = cw_file_load_double(in, "ghosts", 0, LOST_MOST);
    filter->lost = cw_file_load_double(in, "lost", 0, LOST_MOST);
    filter->rate = cw_file_load_double(in, "rate", 0, 1);
    filter->rated_load = cw_file_load_double(in, "rated load", 0, LOST_MOST);
}

/* Returns true if the number of blocks is what capacity, series and shape require. */
static bool blocks_are_right(const cw_kind_chain *chain, const cw_kind_filter *filter)
{
    double keys = (double)filter->capacity + (double)filter->extra;
    double blocks = ceil(keys / cw_bloom_load_for(&chain->rates[filter->twice], filter->fpr));
    return fabs(blocks - (double)filter->blocks) <= 1 + blocks * ROUNDING;
}

static crawl_err load_filter(cw_file_load *in, cw_kind_chain *chain, uint32_t index)
{
    cw_kind_filter *filter = &chain->filter[index];
    chain_file_load_numbers(in, filter);
    crawl_err err = cw_file_load_state(in);
    if (err)
        return err;
    filter->fpr = cw_bloom_series_rate(&chain->bloom.options, index);
    if (!blocks_are_right(chain, filter) || filter->extra > filter->capacity)
        return cw_file_load_refuse(in, "filter %u has %llu blocks for %llu keys, which does not match its rate",
                                   (unsigned)index, (unsigned long long)filter->blocks,
                                   (unsigned long long)filter->capacity);
    uint64_t bytes = filter->blocks * cw_kind_block_bytes(chain->cells);
    err = cw_file_load_array(in, "blocks", bytes, &filter->pages);
    filter->lanes = filter->pages.data;
    chain->bytes += bytes;
    return err;
}

static crawl_err load_chain(cw_file_load *in, cw_kind_chain *chain)
{
    cw_kind_losses *losses = &chain->losses;
    uint32_t filters = (uint32_t)cw_file_load_u64(in, "filters", 1, CW_BLOOM_CHAIN_MAX);
    chain->target = (uint32_t)cw_file_load_u64(in, "target", 0, filters - 1);
    losses->settled = cw_file_load_double(in, "expected losses", 0, LOST_MOST);
    losses->odds = cw_file_load_double(in, "odds", 0, 1000);
    losses->due = cw_file_load_u64(in, "keys to settle at", 0, MOST);
    losses->adds = cw_file_load_u64(in, "keys since settling", 0, losses->due);
    chain->quiet = cw_file_load_u64(in, "quiet keys", 0, losses->due - losses->adds);
    crawl_err err = cw_file_load_state(in);
    while (!err && chain->filters < filters)
        err = load_filter(in, chain, chain->filters++);
    return err;
}

crawl_err cw_kind_chain_load(cw_file_load *in, cw_kind_cells cells, const crawl_bloom_options *options,
                             crawl_bloom **out)
{
    cw_kind_chain *chain;
    crawl_err err = cw_kind_chain_start(cells, options, &chain);
    if (err)
        return err;
    err = load_chain(in, chain);
    if (err) {
        cw_kind_chain_destroy(&chain->bloom);
        return err;
    }
    cw_kind_chain_plan(chain);
    cw_kind_chain_catch_up(chain);
    *out = &chain->bloom;
    return CRAWL_OK;
}

/* Sums over all blocks of a filter. */
typedef struct counter_sums {
    uint64_t taken;     /* bits set, or the sum of all counters */
    uint64_t saturated; /* counters at their maximum */
} counter_sums;

/* Adds pairs of counters, then the bytes with their sums. */
static uint64_t sum_of_counters(uint64_t word)
{
    const uint64_t low = 0x0f0f0f0f0f0f0f0f;
    uint64_t bytes = (word & low) + (word >> 4 & low);
    return ((bytes & 0x00ff00ff00ff00ff) + (bytes >> 8 & 0x00ff00ff00ff00ff)) * 0x0001000100010001 >> 48;
}

static uint64_t saturated_counters(uint64_t word)
{
    uint64_t pairs = word & word >> 1;
    return (uint64_t)__builtin_popcountll(pairs & pairs >> 2 & 0x1111111111111111);
}

static counter_sums add_up(cw_kind_cells cells, const cw_kind_filter *filter)
{
    counter_sums sum = {0};
    uint64_t words = filter->blocks * cw_kind_block_words(cells);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = filter->lanes[i];
        sum.taken += cells == CW_BITS ? (uint64_t)__builtin_popcountll(word) : sum_of_counters(word);
        sum.saturated += cells == CW_BITS ? 0 : saturated_counters(word);
    }
    return sum;
}

/* A key takes one cell of each lane, or two, which may coincide. Bits are shared; counters add up until one is
 * saturated. */
static bool sums_are_right(cw_kind_cells cells, const cw_kind_filter *filter, const counter_sums *sum)
{
    uint64_t most = filter->count * CW_KIND_LANES * (filter->twice ? 2 : 1);
    if (sum->saturated != filter->saturated)
        return false;
    if (filter->saturated)
        return true;
    uint64_t least = cells == CW_BITS ? (filter->count > 0) * CW_KIND_LANES : filter->count * CW_KIND_LANES;
    return sum->taken >= least && sum->taken <= most;
}

crawl_err cw_kind_chain_validate(const crawl_bloom *bloom, crawl_error *error)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    for (uint32_t f = 0; f < chain->filters; f++) {
        const cw_kind_filter *filter = &chain->filter[f];
        bool is_done = f + 1 < chain->filters || cw_kind_chain_may_grow(chain);
        if (is_done && filter->count > filter->capacity + filter->extra)
            return crawl_error_set(error, CRAWL_ECORRUPT, "filter %u holds %llu keys, more than fit", (unsigned)f,
                                   (unsigned long long)filter->count);
        counter_sums sum = add_up(chain->cells, filter);
        if (!sums_are_right(chain->cells, filter, &sum))
            return crawl_error_set(error, CRAWL_ECORRUPT, "the cells of filter %u do not add up to %llu keys",
                                   (unsigned)f, (unsigned long long)filter->count);
    }
    return CRAWL_OK;
}
