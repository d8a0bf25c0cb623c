/* Feeds a file to the reader of sitemaps, for the tools that read one. */
#pragma once

#include <crawl/sitemap.h>
#include <stdio.h>

/* Feeds all bytes of in to the sitemap, and ends it. An error of the sitemap is returned at the end, and its entries
 * before that count.
 * CRAWL_EIO: in cannot be read, after a message; otherwise as crawl_sitemap_feed. */
crawl_err cw_tool_feed_sitemap(const char *tool, crawl_sitemap *sitemap, FILE *in);

/* Gives take each URL of the sitemap in the file, "-" standard input, but not those of further sitemaps; an error of
 * take ends it. Exit statuses, each after a message: CW_EXIT_NOTHING: it is none, or broken or too large, and the URLs
 * before that count; CW_EXIT_LOCAL. */
int cw_tool_read_sitemap(const char *tool, const char *path, crawl_err (*take)(void *user, crawl_slice url),
                         void *user);
