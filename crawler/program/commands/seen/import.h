/* Imports fingerprints of another crawler, Scrapy, into the filter of `crawl seen`, so that a crawl can go on where
 * that one ended. */
#ifndef CW_SEEN_IMPORT_H
#define CW_SEEN_IMPORT_H

#include <crawl/bloom.h>

typedef struct cw_seen_imported {
    uint64_t read;
    uint64_t fresh; /* of them not in the filter before */
} cw_seen_imported;

/* Adds the fingerprints of path, a requests.seen of Scrapy, to the filter, each as its 20 bytes. Ends early when the
 * descriptor stop (-1: none) is readable. CRAWL_EPARSE: a line that is no fingerprint; CRAWL_EIO: path cannot be read;
 * CRAWL_ENOMEM: also when the filter may not grow; CRAWL_DRAINED: stopped. error names path and line; the filter then
 * holds what came before. */
crawl_err cw_seen_import(const char *path, crawl_bloom *filter, int stop, cw_seen_imported *counts, crawl_error *error);

#endif
