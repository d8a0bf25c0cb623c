/* The kind "counting": a chain of 4-bit counters, so that keys can be taken out again. See chain.c for where new keys go
 * after that.
 *
 * A counter says how many keys of its filter share it. Counting down is right only for a key that is in this very
 * filter, so the caller hands back what add told it. A counter that reached 15 stays there for ever: nobody knows any more
 * how many keys share it. That keeps all other keys safe and costs the rate a little; within the capacity of a filter
 * of rate 1e-3 a counter comes to it with a probability of 2e-14. */
#include "bloom/chain.h"

static crawl_err create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    return cw_chain_create(CW_COUNTERS, options, out, error);
}

static crawl_err forget(crawl_bloom *bloom, cw_hash hash, uint32_t where)
{
    cw_chain *chain = (cw_chain *)bloom;
    if (where >= chain->filters)
        return CRAWL_EINVAL;
    cw_filter *filter = &chain->filter[where];
    uint64_t *block = cw_filter_block(CW_COUNTERS, filter, hash);
    cw_mask mask;
    cw_mask_make(CW_COUNTERS, false, hash, &mask);
    if (filter->count == 0 || !cw_block_has(CW_COUNTERS, block, &mask)) {
        filter->refused++;
        return CRAWL_ABSENT;
    }
    cw_block_take(block, &mask);
    filter->ghosts -= filter->ghosts / (double)filter->count; /* what hid them goes with the keys */
    filter->count--;
    return CRAWL_OK;
}

const cw_kind cw_kind_counting = {
    .name = "counting",
    .create = create,
    .destroy = cw_chain_destroy,
    .add = cw_chain_add,
    .add_many = cw_chain_add_many,
    .test = cw_chain_test,
    .test_many = cw_chain_test_many,
    .forget = forget,
    .stats = cw_chain_stats,
    .stats_of = cw_chain_stats_of,
    .filters = cw_chain_filters,
};
