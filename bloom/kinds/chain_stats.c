/* The figures of a chain: fill and rate from a sample of blocks, and the running expectation of losses.
 *
 * A new key is lost when it is a false positive: with the present rate, f. The filter never learns that the key was
 * new; but for each new key that it adds, f / (1 - f) new ones are lost on average. So the odds f / (1 - f) are summed
 * over the added keys. f follows from the number of keys in each filter (sizing.c), and is recomputed after every 128th
 * of the target's capacity, with the mean of the odds before and after for the adds in between.
 *
 * A lost key would have found all its cells taken: the filter looks as if it had been added. So the rate follows from
 * the number of keys added plus those lost here, the ghosts. While a filter is within its capacity ghosts are
 * negligible; in one that is filled beyond it they become the majority. */
#include "bloom/kinds/chain.h"

/* Blocks sampled per filter: gives the fill to 1 % and the rate to about 5 %, in 100 to 400 us. */
#define SAMPLE 4096
#define AHEAD 16 /* blocks prefetched before they are examined */

static double load_of(const cw_kind_filter *filter)
{
    return ((double)filter->count + filter->ghosts) / (double)filter->blocks;
}

static double chain_stats_rate_of(const cw_kind_chain *chain, const cw_kind_filter *filter)
{
    double load = load_of(filter);
    return load == filter->rated_load ? filter->rate : cw_bloom_rate(&chain->rates[filter->twice], load);
}

static double chain_rate(const cw_kind_chain *chain)
{
    double none = 1;
    for (uint32_t f = 0; f < chain->filters; f++)
        none *= 1 - chain_stats_rate_of(chain, &chain->filter[f]);
    return 1 - none;
}

static double unsettled(const cw_kind_losses *losses, double odds)
{
    return (double)losses->adds * (losses->odds + odds) / 2;
}

/* Returns this filter's share of the chain's losses, in proportion to the rates. */
static double share_of(const cw_kind_chain *chain, const cw_kind_filter *filter)
{
    double sum = 0;
    for (uint32_t f = 0; f < chain->filters; f++)
        sum += chain_stats_rate_of(chain, &chain->filter[f]);
    return sum > 0 ? chain_stats_rate_of(chain, filter) / sum : 0;
}

void cw_kind_losses_settle(cw_kind_chain *chain)
{
    cw_kind_losses *losses = &chain->losses;
    cw_kind_filter *target = &chain->filter[chain->target];
    target->ghosts += (double)losses->adds * cw_kind_odds_of(target->rate);
    for (uint32_t f = 0; f < chain->filters; f++) {
        cw_kind_filter *filter = &chain->filter[f];
        filter->rate = chain_stats_rate_of(chain, filter);
        filter->rated_load = load_of(filter);
    }
    double odds = cw_kind_odds_of(chain_rate(chain));
    double lost = unsettled(losses, odds);
    for (uint32_t f = 0; f < chain->filters; f++)
        chain->filter[f].lost += lost * share_of(chain, &chain->filter[f]);
    losses->settled += lost;
    losses->odds = odds;
    losses->adds = 0;
    losses->due = 1 + (uint64_t)((double)target->capacity / (128 * (1 + odds)));
}

/* The figures of one block: the share of cells taken, and the rate for keys in it. */
typedef struct chain_sample {
    double fill;
    double rate;
} chain_sample;

static unsigned counters_taken(uint64_t word)
{
    uint64_t some = word | word >> 1;
    return (unsigned)__builtin_popcountll((some | some >> 2) & 0x1111111111111111);
}

/* Returns the cells taken in the lane that begins with this word. */
static unsigned cells_taken(cw_kind_cells cells, const uint64_t *word)
{
    if (cells == CW_BITS)
        return *word ? (unsigned)__builtin_popcountll(*word) : 0; /* a young filter is mostly zeros */
    unsigned taken = 0;
    for (unsigned line = 0; line < CW_KIND_LINES_MAX; line++)
        taken += counters_taken(word[line * CW_KIND_LINE_WORDS]);
    return taken;
}

static chain_sample chain_stats_look_at(cw_kind_cells cells, bool twice, const uint64_t *block)
{
    chain_sample s = {.fill = 0, .rate = 1};
    for (unsigned lane = 0; lane < CW_KIND_LANES; lane++) {
        double taken = (double)cells_taken(cells, block + lane) / CW_KIND_LANE_CELLS;
        s.fill += taken / CW_KIND_LANES;
        s.rate *= twice ? taken * taken : taken;
    }
    return s;
}

/* Returns block i of the sample, and prefetches a later one. */
static const uint64_t *chain_stats_next_look(const cw_kind_chain *chain, const cw_kind_filter *filter, uint64_t i,
                                             double step)
{
    const unsigned words = cw_kind_block_words(chain->cells);
    uint64_t later = (uint64_t)((double)(i + AHEAD) * step);
    for (unsigned line = 0; line < cw_kind_lines(chain->cells) && later < filter->blocks; line++)
        __builtin_prefetch(filter->lanes + later * words + line * CW_KIND_LINE_WORDS);
    return filter->lanes + (uint64_t)((double)i * step) * words;
}

static chain_sample sample_filter(const cw_kind_chain *chain, const cw_kind_filter *filter)
{
    uint64_t looks = filter->blocks < SAMPLE ? filter->blocks : SAMPLE;
    double step = (double)filter->blocks / (double)looks;
    chain_sample mean = {0};
    for (uint64_t i = 0; i < looks && filter->count; i++) {
        chain_sample s =
            chain_stats_look_at(chain->cells, filter->twice, chain_stats_next_look(chain, filter, i, step));
        mean.fill += s.fill / (double)looks;
        mean.rate += s.rate / (double)looks;
    }
    return mean;
}

/* Returns everything about a filter except its losses. */
static crawl_bloom_stats chain_stats_figures_of(const cw_kind_chain *chain, const cw_kind_filter *filter)
{
    chain_sample s = sample_filter(chain, filter);
    return (crawl_bloom_stats){
        .count = filter->count,
        .capacity = filter->capacity,
        .bytes = filter->pages.bytes,
        .fill = s.fill,
        .fpr = filter->fpr,
        .fpr_now = s.rate,
        .fpr_by_count = chain_stats_rate_of(chain, filter),
        .saturated = filter->saturated,
        .refused = filter->refused,
        .filters = 1,
    };
}

void cw_kind_chain_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    const cw_kind_filter *filter = &chain->filter[index];
    crawl_bloom_stats stats = chain_stats_figures_of(chain, filter);
    double lost = unsettled(&chain->losses, cw_kind_odds_of(chain_rate(chain)));
    stats.expected_false = filter->lost + lost * share_of(chain, filter);
    *out = stats;
}

void cw_kind_chain_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_kind_chain *chain = (const cw_kind_chain *)bloom;
    crawl_bloom_stats sum = {.fpr = bloom->options.fpr, .filters = chain->filters};
    /* The share of never added keys that no filter reports as seen: computed, and by the samples. */
    double counted = 1, sampled = 1;
    double blocks = 0;
    sum.bytes = sizeof *chain + chain->next_taken;
    for (uint32_t f = 0; f < chain->filters; f++) {
        crawl_bloom_stats one = chain_stats_figures_of(chain, &chain->filter[f]);
        sum.count += one.count;
        sum.capacity += one.capacity;
        sum.bytes += one.bytes;
        sum.saturated += one.saturated;
        sum.refused += one.refused;
        sum.fill += one.fill * (double)chain->filter[f].blocks;
        blocks += (double)chain->filter[f].blocks;
        sampled *= 1 - one.fpr_now;
        counted *= 1 - one.fpr_by_count;
    }
    sum.fill /= blocks;
    sum.fpr_now = 1 - sampled;
    sum.fpr_by_count = 1 - counted;
    sum.expected_false = chain->losses.settled + unsettled(&chain->losses, cw_kind_odds_of(sum.fpr_by_count));
    *out = sum;
}
