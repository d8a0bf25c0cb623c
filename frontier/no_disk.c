/* A build without the disk store (CRAWL_DISK=OFF): the calls that need a directory are there and answer that it has
 * none. */
#include <crawl/frontier.h>

static crawl_err refuse(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EINVAL, "this build has no disk store: it was made with CRAWL_DISK=OFF");
}

unsigned crawl_frontier_files(void)
{
    return 0;
}

crawl_err crawl_frontier_open(const char *directory, const crawl_frontier_options *options, int64_t now_ms,
                              crawl_frontier **out, crawl_error *error)
{
    (void)directory;
    (void)options;
    (void)now_ms;
    (void)out;
    return refuse(error);
}

crawl_err crawl_frontier_view_open(const char *directory, crawl_frontier_view **out, crawl_error *error)
{
    (void)directory;
    (void)out;
    return refuse(error);
}

/* No view is ever open, so that nothing calls the others. */

void crawl_frontier_view_free(crawl_frontier_view *view)
{
    (void)view;
}

const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *view)
{
    (void)view;
    return NULL;
}

crawl_err crawl_frontier_view_hosts(crawl_frontier_view *view, bool (*each)(const crawl_frontier_host *, void *),
                                    void *user, crawl_error *error)
{
    (void)view;
    (void)each;
    (void)user;
    return refuse(error);
}

crawl_err crawl_frontier_view_host(crawl_frontier_view *view, crawl_slice origin, crawl_frontier_host *out,
                                   crawl_error *error)
{
    (void)view;
    (void)origin;
    (void)out;
    return refuse(error);
}

crawl_err crawl_frontier_view_requests(crawl_frontier_view *view, crawl_slice origin,
                                       bool (*each)(const crawl_lease *, int64_t, void *), void *user,
                                       crawl_error *error)
{
    (void)view;
    (void)origin;
    (void)each;
    (void)user;
    return refuse(error);
}

crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                    bool (*each)(crawl_slice, crawl_slice, void *), void *user, crawl_error *error)
{
    (void)view;
    (void)prefix;
    (void)each;
    (void)user;
    return refuse(error);
}

crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error)
{
    (void)view;
    (void)out;
    return refuse(error);
}

crawl_err crawl_frontier_view_seen(crawl_frontier_view *view, const crawl_fingerprint *fingerprint,
                                   crawl_bloom_found *where, crawl_error *error)
{
    (void)view;
    (void)fingerprint;
    (void)where;
    return refuse(error);
}

crawl_err crawl_frontier_view_check(crawl_frontier_view *view, void (*report)(const char *, void *), void *user,
                                    uint64_t *violations, crawl_error *error)
{
    (void)view;
    (void)report;
    (void)user;
    (void)violations;
    return refuse(error);
}
