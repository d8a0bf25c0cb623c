#include "tools/common/sitemap_feed.h"

#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>

crawl_err cw_tool_feed_sitemap(const char *tool, crawl_sitemap *sitemap, FILE *in)
{
    char chunk[65536];
    crawl_err err = CRAWL_OK;
    for (size_t size; !err && (size = fread(chunk, 1, sizeof chunk, in)) > 0;)
        err = crawl_sitemap_feed(sitemap, crawl_slice_of(chunk, size));
    if (!err && ferror(in)) {
        cw_tool_say(tool, "%s", strerror(errno));
        return CRAWL_EIO;
    }
    return err ? err : crawl_sitemap_end(sitemap);
}

typedef struct sitemap_feed_reader {
    crawl_err (*take)(void *user, crawl_slice url);
    void *user;
    crawl_err err; /* of take */
} sitemap_feed_reader;

static crawl_err sitemap_feed_take_entry(void *user, const crawl_sitemap_entry *entry)
{
    sitemap_feed_reader *reader = user;
    if (!entry->is_sitemap)
        reader->err = reader->take(reader->user, crawl_url_request(entry->url));
    return reader->err;
}

static int sitemap_feed_end(const char *tool, const char *name, crawl_err err, const crawl_sitemap_stats *stats)
{
    bool is_local = err == CRAWL_ENOMEM || err == CRAWL_EIO;
    bool is_index = stats->type == CRAWL_SITEMAP_INDEX;
    if (!err && !stats->broken && !is_index)
        return CW_EXIT_OK;
    if (is_local)
        cw_tool_say(tool, "%s: %s", name, crawl_strerror(err));
    else if (is_index)
        cw_tool_say(tool, "%s: an index: give the sitemaps that it names", name);
    else
        cw_tool_say(tool, "%s: %s; %llu URLs could be read", name,
                    err == CRAWL_FULL ? "too large for a sitemap" : "not a sitemap, or a broken one",
                    (unsigned long long)stats->entries);
    return is_local ? CW_EXIT_LOCAL : CW_EXIT_NOTHING;
}

int cw_tool_read_sitemap(const char *tool, const char *path, crawl_err (*take)(void *user, crawl_slice url), void *user)
{
    crawl_sitemap *sitemap = NULL;
    crawl_sitemap_stats stats = {0};
    sitemap_feed_reader reader = {take, user, CRAWL_OK};
    const crawl_sitemap_options options = {
        .size = sizeof options, .on_entry = sitemap_feed_take_entry, .user = &reader};
    FILE *in = cw_tool_open(tool, path);
    if (!in)
        return CW_EXIT_LOCAL;
    crawl_err err = crawl_sitemap_create(&options, &sitemap);
    if (!err) {
        err = cw_tool_feed_sitemap(tool, sitemap, in);
        crawl_sitemap_stats_get(sitemap, &stats);
    }
    crawl_sitemap_free(sitemap);
    cw_tool_close(in);
    return reader.err ? CW_EXIT_LOCAL : sitemap_feed_end(tool, cw_tool_name(path), err, &stats);
}
