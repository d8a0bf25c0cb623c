/* The files of sitemaps: at most 50,000 URLs and 50 MiB each (sitemaps.org), and an index if there are several. As the
 * protocol demands, the URLs of a file are of one host. Several hosts get a folder each. */
#pragma once

#include <crawl/base.h>

typedef struct cw_site_page {
    crawl_slice url;
    int64_t lastmod; /* seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: unknown */
} cw_site_page;

typedef struct cw_site_files {
    const char *folder;
    bool gzip;
    uint64_t max_entries, max_bytes; /* per file; 0: those of the protocol */
    uint64_t hosts, files;           /* written; indexes do not count as files */
} cw_site_files;

/* Sorts the pages and writes them. Replaces each file as a whole, and removes further files of an earlier crawl.
 * CRAWL_EIO: error names the file. CRAWL_ENOMEM. */
crawl_err cw_site_files_write(cw_site_files *files, cw_site_page *pages, size_t count, crawl_error *error);
