/* A build without the disk store (CRAWL_DISK=OFF): the calls that need a directory exist and answer that this build has
 * no store. */
#include <crawl/frontier.h>

static crawl_err refuse(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EINVAL, "this build has no disk store: it was made with CRAWL_DISK=OFF");
}

unsigned crawl_frontier_files(void)
{
    return 0;
}

crawl_err crawl_frontier_open(const char *, const crawl_frontier_options *, int64_t, crawl_frontier **,
                              crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_open(const char *, crawl_frontier_view **, crawl_error *error)
{
    return refuse(error);
}

/* No view is ever open, so nothing calls the others. */

void crawl_frontier_view_free(crawl_frontier_view *)
{
}

const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *)
{
    return NULL;
}

crawl_err crawl_frontier_view_hosts(crawl_frontier_view *, bool (*)(const crawl_frontier_host *, void *), void *,
                                    crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_host(crawl_frontier_view *, crawl_slice, crawl_frontier_host *, crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_requests(crawl_frontier_view *, crawl_slice,
                                       bool (*)(const crawl_lease *, int64_t, void *), void *, crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_notes(crawl_frontier_view *, crawl_slice, bool (*)(crawl_slice, crawl_slice, void *),
                                    void *, crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_filter(crawl_frontier_view *, crawl_bloom_stats *, crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_seen(crawl_frontier_view *, const crawl_fingerprint *, crawl_bloom_found *,
                                   crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_forget_due(crawl_frontier_view *, int64_t, crawl_error *error)
{
    return refuse(error);
}

crawl_err crawl_frontier_view_check(crawl_frontier_view *, void (*)(const char *, void *), void *, uint64_t *,
                                    crawl_error *error)
{
    return refuse(error);
}
