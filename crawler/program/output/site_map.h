/* The sitemaps of --write-sitemap (sitemaps.org): the pages that a search engine should know, with the dates of their
 * last changes. Facts about pages are spooled while the crawl runs, and the files are made at the end. A page then
 * takes about 150 bytes of memory. */
#pragma once

#include <crawl/engine.h>
#include <crawl/record.h>

/* Maximum number of pages in sitemaps, which take 1.5 GB of memory. Further pages are counted and left out. */
#define CW_SITE_MAP_PAGES_MAX 10000000u

typedef struct cw_site_map cw_site_map;

/* Opens the spool, and creates the folder if needed. CRAWL_EINVAL: the folder has files, and neither config->existing
 * nor a resumed crawl allows replacing them. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_open(const crawl_config *config, bool resumed, cw_site_map **out, crawl_error *error);
/* Takes the facts of a record about its page. Thread-safe. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_site_map_record(cw_site_map *map, const crawl_record *record);
/* Closes the spool; no record may follow. CRAWL_EIO. */
crawl_err cw_site_map_close(cw_site_map *map, crawl_error *error);
/* Writes the files, and appends a line about them to *said. Returns the exit status; failures were reported to the
 * user. */
int cw_site_map_make(const cw_site_map *map, crawl_buf *said);
void cw_site_map_free(cw_site_map *map);

/* Returns false if rel=canonical names another page. Two spellings of one URL are the same page, and so is the URL
 * without seen.drop_params. When out of memory: false. */
bool cw_outputs_is_canonical(const crawl_record *record);
