/* The kind "scalable": a chain of bits. See chain.c. */
#include "bloom/kinds/chain.h"

static crawl_err scalable_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    return cw_kind_chain_create(CW_BITS, options, out, error);
}

static crawl_err scalable_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    return cw_kind_chain_load(in, CW_BITS, options, out);
}

const cw_kind cw_kind_scalable = {
    .name = "scalable",
    .create = scalable_create,
    .destroy = cw_kind_chain_destroy,
    .add = cw_kind_chain_add,
    .add_many = cw_kind_chain_add_many,
    .test = cw_kind_chain_test,
    .test_many = cw_kind_chain_test_many,
    .save = cw_kind_chain_save,
    .load = scalable_load,
    .validate = cw_kind_chain_validate,
    .stats = cw_kind_chain_stats,
    .stats_of = cw_kind_chain_stats_of,
    .filters = cw_kind_chain_filters,
    .find = cw_kind_chain_find,
};
