/* The files of sitemaps: at most 50,000 URLs and 50 MiB each (sitemaps.org), and an index where there are several. The
 * URLs of a file are of one host, as the protocol has it: where there are several, each has a folder. */
#pragma once

#include <crawl/base.h>

typedef struct cw_site_page {
    crawl_slice url;
    int64_t lastmod; /* seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: not known */
} cw_site_page;

typedef struct cw_site_files {
    const char *folder;
    bool gzip;
    uint64_t max_entries, max_bytes; /* of a file; 0: those of the protocol */
    uint64_t hosts, files;           /* that were written; indexes are no files */
} cw_site_files;

/* Sorts the pages and writes them. Each file is replaced as a whole; if an earlier crawl had more files, those are
 * removed. CRAWL_EIO: error names the file. CRAWL_ENOMEM. */
crawl_err cw_site_files_write(cw_site_files *files, cw_site_page *pages, size_t count, crawl_error *error);
