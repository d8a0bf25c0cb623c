/* What a joint frontier is made by, as programs of this version and of older ones have it. */
#include "base/error.h"
#include "base/sized.h"
#include "shared/store/joint_state.h"

void crawl_shared_options_init(crawl_shared_options *options, size_t size)
{
    const crawl_shared_options own = {.lease_ms = 30000,
                                      .hosts = 512,
                                      .window = 32,
                                      .remembers = 1u << 20,
                                      .owed_bytes = 32u << 20,
                                      .bodies = 1000000};
    cw_sized_fill(options, size, &own, sizeof own);
}

static crawl_err joint_options_take_shared(const crawl_shared_options *given, crawl_shared_options *shared,
                                           crawl_error *error)
{
    crawl_shared_options_init(shared, sizeof *shared);
    if (!cw_sized_copy(shared, sizeof *shared, given))
        return cw_sized_refused(given, sizeof *shared, "crawl_shared_options", error);
    return CRAWL_OK;
}

static crawl_err joint_options_check(const crawl_shared_options *shared, const crawl_frontier_options *options,
                                     crawl_error *error)
{
    if (options->seen.kind != CRAWL_BLOOM_SCALABLE && options->seen.kind != CRAWL_BLOOM_EXACT)
        return crawl_error_set(error, CRAWL_EINVAL, "seen: a crawl that processes share has scalable or exact, not %s",
                               crawl_bloom_kind_name(options->seen.kind));
    if (shared->dupefilter && options->seen.kind != CRAWL_BLOOM_EXACT)
        return crawl_error_set(error, CRAWL_EINVAL, "seen: what spiders of scrapy-redis share is exact, not %s",
                               crawl_bloom_kind_name(options->seen.kind));
    if (!shared->hosts)
        return crawl_error_set(error, CRAWL_EINVAL, "hosts: below 1");
    if (shared->window < 1 || shared->window > CW_SHARED_WINDOW_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "window: not 1 to %u", CW_SHARED_WINDOW_MAX);
    return CRAWL_OK;
}

crawl_err crawl_frontier_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                              crawl_frontier **out, bool *made, crawl_error *error)
{
    crawl_shared_options own_shared;
    crawl_frontier_options own;
    crawl_err err = joint_options_take_shared(shared, &own_shared, error);
    if (!err)
        err = cw_frontier_take_options(options, &own, error);
    own.by_depth = false;
    if (!err)
        err = joint_options_check(&own_shared, &own, error);
    return err ? err : cw_joint_join(&own_shared, &own, out, made, error);
}
