/* A crawl inside your own program: settings, the engine, what it reports about each page, and the files that it can
 * write. The headers beside this one hold the separate parts: filters, the frontier, links, robots.txt, sitemaps,
 * fetching. The headers in <crawl/sys/> are for programs that extend the core, or write output with an engine of their
 * own. */
#ifndef CRAWL_CRAWL_H
#define CRAWL_CRAWL_H

#include <crawl/base.h>
#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/output.h>
#include <crawl/record.h>
#include <crawl/url.h>

#endif
