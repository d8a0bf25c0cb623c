/* A crawl in a program of yours: settings, the engine, what it tells of each page, and the files that it can write. The
 * headers beside this one have the parts alone: filters, the frontier, links, robots.txt, sitemaps, fetching. The
 * headers in <crawl/sys/> are for those who extend the core, or write with an engine of their own. */
#ifndef CRAWL_CRAWL_H
#define CRAWL_CRAWL_H

#include <crawl/base.h>
#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/output.h>
#include <crawl/record.h>
#include <crawl/url.h>

#endif
