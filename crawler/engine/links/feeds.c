#include "crawler/engine/links/feeds.h"

#include "config/config_values.h"
#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/parts.h"

/* The places of WordPress and most others, of static site generators, and of Blogger. */
static const char *const places[] = {
    "/feed",      "/feed/",      "/rss", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml", "/feeds/posts/default",
    "/blog/feed", "/?feed=rss2",
};

enum { PLACES = sizeof places / sizeof *places };

static void feeds_fail(crawl_engine *engine, crawl_err err)
{
    if (err && err != CRAWL_EXISTS)
        cw_engine_fail(engine, err, "cannot look for feeds");
}

/* Returns the level that stands for a place in the tag of its request. */
static uint32_t level_of(uint32_t place)
{
    return CW_ENGINE_TAG_FEED >> CW_ENGINE_TAG_LEVEL_SHIFT | place;
}

static uint32_t place_of(const crawl_lease *lease)
{
    return lease->tag >> CW_ENGINE_TAG_LEVEL_SHIFT & CW_ENGINE_TAG_LEVEL_MASK & ~level_of(0);
}

/* Queues judge->url as this place. */
static bool feeds_queue(cw_links_judge *judge, const cw_links_source *source, uint32_t place, uint32_t redirects)
{
    bool accepted = false;
    feeds_fail(judge->engine,
               cw_links_sitemaps_queue(judge, source->lease, judge->url, level_of(place), redirects, &accepted));
    return accepted;
}

/* Queues a place. False: it was asked for before, as a sitemap or by a redirect. */
static bool feeds_queue_place(cw_links_judge *judge, const cw_links_source *source, uint32_t place)
{
    crawl_err err = cw_links_judge_resolve(judge, crawl_slice_from(places[place]), source->url, NULL, judge->url);
    feeds_fail(judge->engine, err);
    return !err && feeds_queue(judge, source, place, 0);
}

void cw_links_feeds_ask(cw_links_judge *judge, const cw_links_source *source)
{
    const crawl_config *config = judge->engine->config;
    if (config->find_feeds && config->depth > 0 && source->lease->tag & CW_ENGINE_TAG_SEED)
        (void)feeds_queue_place(judge, source, 0);
}

void cw_links_feeds_next(cw_links_judge *judge, const cw_links_source *source)
{
    uint32_t place = place_of(source->lease) + 1;
    while (place < PLACES && !feeds_queue_place(judge, source, place))
        place++;
}

void cw_links_feeds_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location)
{
    uint32_t redirects = (source->lease->tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    bool leads_on = location.data && redirects <= CW_LINKS_SITEMAPS_MAX_REDIRECTS &&
                    !cw_links_judge_resolve(judge, location, source->url, NULL, judge->url) &&
                    crawl_slice_equal(crawl_url_hostname(judge->url), crawl_url_hostname(source->url));
    if (!leads_on || !feeds_queue(judge, source, place_of(source->lease), redirects))
        cw_links_feeds_next(judge, source);
}
