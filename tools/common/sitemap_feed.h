/* Feeds a file to the reader of sitemaps, for the tools that read one. */
#pragma once

#include <crawl/sitemap.h>
#include <stdio.h>

/* Feeds all bytes of in to the sitemap, and ends it. Returns an error of the sitemap at the end; its entries before
 * that are valid. CRAWL_EIO: in cannot be read, after a message; otherwise as crawl_sitemap_feed. */
crawl_err cw_tool_feed_sitemap(const char *tool, crawl_sitemap *sitemap, FILE *in);

/* Passes each URL of the sitemap in the file ("-": standard input) to take, which ends it by an error, after its own
 * message. Returns an exit status, after a message: CW_EXIT_NOTHING: not a sitemap, broken or too large, and URLs
 * before that are valid; or an index, whose URLs are not passed; CW_EXIT_LOCAL. */
int cw_tool_read_sitemap(const char *tool, const char *path, crawl_err (*take)(void *user, crawl_slice url),
                         void *user);
