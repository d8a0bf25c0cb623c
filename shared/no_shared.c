/* A build without shared crawls (CRAWL_SHARED=OFF): the calls are there, and answer that there is no such crawl. No
 * frontier is ever shared, so that those about one say so. */
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

crawl_err crawl_frontier_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                              crawl_frontier **out, bool *made, crawl_error *error)
{
    (void)shared;
    (void)options;
    (void)out;
    (void)made;
    return no_shared(error);
}

void crawl_frontier_shared_feed(crawl_frontier *frontier, bool feeding)
{
    (void)frontier;
    (void)feeding;
}

uint32_t crawl_frontier_shared_returns(crawl_frontier *frontier)
{
    (void)frontier;
    return 0;
}

bool crawl_frontier_shared_has(crawl_frontier *frontier, crawl_slice origin)
{
    (void)frontier;
    (void)origin;
    return false;
}

crawl_err crawl_frontier_shared_page(crawl_frontier *frontier, crawl_slice place, uint64_t limit)
{
    (void)frontier;
    (void)place;
    (void)limit;
    return CRAWL_ESTATE;
}

void crawl_frontier_shared_page_back(crawl_frontier *frontier, crawl_slice place)
{
    (void)frontier;
    (void)place;
}

crawl_err crawl_frontier_shared_turn(crawl_frontier *frontier, crawl_slice place, int64_t pause_us, bool leaves,
                                     int64_t *wait_us)
{
    (void)frontier;
    (void)place;
    (void)pause_us;
    (void)leaves;
    (void)wait_us;
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_turn_left(crawl_frontier *frontier, crawl_slice place)
{
    (void)frontier;
    (void)place;
    return CRAWL_ESTATE;
}

void crawl_frontier_shared_turn_over(crawl_frontier *frontier, crawl_slice place)
{
    (void)frontier;
    (void)place;
}

crawl_err crawl_frontier_shared_body(crawl_frontier *frontier, const crawl_fingerprint *digest, crawl_slice url,
                                     crawl_shared_on_first *done, void *user)
{
    (void)frontier;
    (void)digest;
    (void)url;
    (void)done;
    (void)user;
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_cookie(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                                       crawl_shared_cookie *cookie, bool is_known)
{
    (void)frontier;
    (void)origin;
    (void)asked_us;
    (void)cookie;
    (void)is_known;
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_figures(crawl_frontier *frontier, crawl_shared_figures *out)
{
    (void)frontier;
    (void)out;
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_look(crawl_frontier *frontier, int64_t wait_ms)
{
    (void)frontier;
    (void)wait_ms;
    return CRAWL_ESTATE;
}

crawl_err crawl_frontier_shared_crew(crawl_frontier *frontier, crawl_shared_crew *out)
{
    (void)frontier;
    (void)out;
    return CRAWL_ESTATE;
}

void crawl_shared_crew_free(crawl_shared_crew *crew)
{
    (void)crew;
}

crawl_slice crawl_frontier_shared_name(const crawl_frontier *frontier)
{
    (void)frontier;
    return (crawl_slice){0};
}

crawl_err crawl_shared_find(crawl_redis *redis, const char *name, const crawl_shared_filter *filter, crawl_slice origin,
                            const crawl_fingerprint *fingerprint, crawl_shared_on_found *done, void *user,
                            crawl_error *error)
{
    (void)redis;
    (void)name;
    (void)filter;
    (void)origin;
    (void)fingerprint;
    (void)done;
    (void)user;
    return no_shared(error);
}

crawl_err crawl_shared_notes(crawl_redis *redis, const char *name, crawl_shared_on_note *each,
                             crawl_shared_on_end *done, void *user, crawl_error *error)
{
    (void)redis;
    (void)name;
    (void)each;
    (void)done;
    (void)user;
    return no_shared(error);
}

crawl_err crawl_shared_cookies(crawl_redis *redis, const char *name, crawl_shared_on_cookie *each,
                               crawl_shared_on_end *done, void *user, crawl_error *error)
{
    (void)redis;
    (void)name;
    (void)each;
    (void)done;
    (void)user;
    return no_shared(error);
}

crawl_err crawl_shared_view(crawl_redis *redis, const crawl_shared_view_options *options, crawl_shared_viewed *done,
                            void *user, crawl_error *error)
{
    (void)redis;
    (void)options;
    (void)done;
    (void)user;
    return no_shared(error);
}

crawl_err crawl_shared_drop(crawl_redis *redis, const char *name, crawl_shared_dropped *done, void *user,
                            crawl_error *error)
{
    (void)redis;
    (void)name;
    (void)done;
    (void)user;
    return no_shared(error);
}
