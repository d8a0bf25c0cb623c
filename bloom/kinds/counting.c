/* The kind "counting": a chain of 4-bit counters, so that keys can be taken out again. See chain.c for where new keys
 * go after that.
 *
 * A counter says how many keys of its filter share it. Counting down is right only for a key that is in this very
 * filter, so the caller hands back what add told it. A counter that reached 15 stays there for ever: nobody knows any
 * more how many keys share it. That keeps all other keys safe and costs the rate a little; within the capacity of a
 * filter of rate 1e-3 a counter comes to it with a probability of 2e-14. */
#include "bloom/kinds/chain.h"
#include "bloom/kinds/scan.h"

static crawl_err counting_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    return cw_kind_chain_create(CW_COUNTERS, options, out, error);
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
    if (where >= cw_kind_chain_filters(bloom))
        return CRAWL_EINVAL;
    forget_many(bloom, &hash, 1, &where, &gone);
    return gone ? CRAWL_OK : CRAWL_ABSENT;
}

const cw_kind cw_kind_counting = {
    .name = "counting",
    .create = counting_create,
    .destroy = cw_kind_chain_destroy,
    .add = cw_kind_chain_add,
    .add_many = cw_kind_chain_add_many,
    .test = cw_kind_chain_test,
    .test_many = cw_kind_chain_test_many,
    .forget = counting_forget,
    .forget_many = forget_many,
    .save = cw_kind_chain_save,
    .load = counting_load,
    .validate = cw_kind_chain_validate,
    .stats = cw_kind_chain_stats,
    .stats_of = cw_kind_chain_stats_of,
    .filters = cw_kind_chain_filters,
    .find = cw_kind_chain_find,
};
