/* The sitemaps that --write-sitemap makes of a crawl (sitemaps.org): the pages that a search engine should know, each
 * with the date of its last change. What was learnt of a page is kept in a spool while the crawl runs, and the files
 * are made at its end. A page takes about 150 bytes of memory then. */
#ifndef CW_SITE_MAP_H
#define CW_SITE_MAP_H

#include <crawl/engine.h>

/* The most pages that are told apart, 1.5 GB of memory. Further ones are counted and left out. */
#define CW_SITE_MAP_PAGES_MAX 10000000u

typedef struct cw_site_map cw_site_map;

/* Makes the folder if it is not there. CRAWL_EINVAL: something is in it, and neither config->existing nor a crawl that
 * goes on says that it may be replaced. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_open(const crawl_config *config, bool resumed, cw_site_map **out, crawl_error *error);
/* Thread-safe. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_record(cw_site_map *map, const crawl_record *record);
/* Ends the spool; no record comes after this. CRAWL_EIO. */
crawl_err cw_site_map_close(cw_site_map *map, crawl_error *error);
/* Writes the files, and adds a line about them to *said. The exit status; what failed is said. */
int cw_site_map_make(const cw_site_map *map, crawl_buf *said);
void cw_site_map_free(cw_site_map *map);

#endif
