/* The sitemaps that --write-sitemap makes of a crawl (sitemaps.org): the pages that a search engine should know, each
 * with the date of its last change. Facts of pages are written to a spool while the crawl runs, and the files
 * are made of it at the end. A page takes about 150 bytes of memory then. */
#pragma once

#include <crawl/engine.h>
#include <crawl/record.h>

/* The most pages in sitemaps, which take 1.5 GB of memory. Further pages are counted and left out. */
#define CW_SITE_MAP_PAGES_MAX 10000000u

typedef struct cw_site_map cw_site_map;

/* Makes the folder if it is not there. CRAWL_EINVAL: there are files in it, and neither config->existing nor a crawl
 * that goes on allows to replace them. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_open(const crawl_config *config, bool resumed, cw_site_map **out, crawl_error *error);
/* Takes what a record says of its page. Thread-safe. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_record(cw_site_map *map, const crawl_record *record);
/* Ends the spool; no record may come after this. CRAWL_EIO. */
crawl_err cw_site_map_close(cw_site_map *map, crawl_error *error);
/* Writes the files, and adds a line about them to *said. The exit status; the user was told of what failed. */
int cw_site_map_make(const cw_site_map *map, crawl_buf *said);
void cw_site_map_free(cw_site_map *map);

/* False: its rel=canonical leads elsewhere. Two ways to write one URL are one. Without memory: elsewhere. */
bool cw_outputs_is_canonical(const crawl_record *record);
