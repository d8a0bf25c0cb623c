/* Files that go through the reader of sitemaps. */
#ifndef CW_TOOL_SITEMAP_FEED_H
#define CW_TOOL_SITEMAP_FEED_H

#include <crawl/sitemap.h>
#include <stdio.h>

/* Feeds all of in, and ends. Errors of the reader stand until the end: what came before counts. CRAWL_EIO: in cannot be
 * read, and it has said why; otherwise as crawl_sitemap_feed. */
crawl_err cw_tool_feed_sitemap(const char *tool, crawl_sitemap *sitemap, FILE *in);

#endif
