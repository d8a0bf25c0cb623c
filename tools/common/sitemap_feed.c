#include "tools/common/sitemap_feed.h"

#include "tools/common/say.h"

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
