/* A build without shared crawls (CRAWL_SHARED=OFF). The calls exist and report that. Calls that take a frontier say
 * that it is not shared. */
#include <crawl/sys/shared.h>
#include <crawl/sys/shared_view.h>

static const char no_shared_words[] = "this build has no shared crawls: it was made with CRAWL_SHARED=OFF";

static crawl_err no_shared(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EINVAL, "%s", no_shared_words);
}

void crawl_shared_options_init(crawl_shared_options *options, size_t size)
{
    memset(options, 0, size);
    options->size = size;
}

crawl_err crawl_frontier_join(const crawl_shared_options *, const crawl_frontier_options *, crawl_frontier **, bool *,
                              crawl_error *error)
{
    return no_shared(error);
}

void crawl_frontier_shared_feed(crawl_frontier *, bool)
{
}

uint32_t crawl_frontier_shared_returns(crawl_frontier *)
{
    return 0;
}

bool crawl_frontier_shared_has(crawl_frontier *, uint64_t)
{
    return false;
}

crawl_err crawl_frontier_shared_page(crawl_frontier *, crawl_slice, uint64_t)
{
    return CRAWL_ESTATE;
}

void crawl_frontier_shared_page_back(crawl_frontier *, crawl_slice)
{
}

crawl_err crawl_frontier_shared_turn(crawl_frontier *, crawl_slice, int64_t, bool, int64_t *)
{
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_turn_left(crawl_frontier *, crawl_slice)
{
    return CRAWL_ESTATE;
}

void crawl_frontier_shared_turn_over(crawl_frontier *, crawl_slice)
{
}

crawl_err crawl_frontier_shared_body(crawl_frontier *, const crawl_fingerprint *, crawl_slice, crawl_shared_on_first *,
                                     void *)
{
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_cookie(crawl_frontier *, crawl_slice, int64_t, crawl_shared_cookie *, bool)
{
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_figures(crawl_frontier *, crawl_shared_figures *)
{
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_look(crawl_frontier *, int64_t)
{
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_crew(crawl_frontier *, crawl_shared_crew *)
{
    return CRAWL_ESTATE;
}

void crawl_shared_crew_free(crawl_shared_crew *)
{
}

crawl_slice crawl_frontier_shared_name(const crawl_frontier *)
{
    return (crawl_slice){0};
}

crawl_err crawl_shared_find(crawl_redis *, const char *, const crawl_shared_filter *, crawl_slice,
                            const crawl_fingerprint *, crawl_shared_on_found *, void *, crawl_error *error)
{
    return no_shared(error);
}

crawl_err crawl_shared_notes(crawl_redis *, const char *, crawl_shared_on_note *, crawl_shared_on_end *, void *,
                             crawl_error *error)
{
    return no_shared(error);
}

crawl_err crawl_shared_cookies(crawl_redis *, const char *, crawl_shared_on_cookie *, crawl_shared_on_end *, void *,
                               crawl_error *error)
{
    return no_shared(error);
}

crawl_err crawl_shared_view(crawl_redis *, const crawl_shared_view_options *, crawl_shared_viewed *, void *,
                            crawl_error *error)
{
    return no_shared(error);
}

crawl_err crawl_shared_drop(crawl_redis *, const char *, crawl_shared_dropped *, void *, crawl_error *error)
{
    return no_shared(error);
}
