/* The texts that Scrapy hashes for a request. */
#pragma once

#include <crawl/fingerprint.h>

typedef struct cw_fingerprint_scrapy_request {
    crawl_slice method;
    crawl_slice url; /* canonical */
    crawl_slice body;
    const crawl_fingerprint_header *headers;
    size_t header_count;
    const crawl_slice *include; /* names of headers that count */
    size_t include_count;
} cw_fingerprint_scrapy_request;

/* Appends the text to hash. CRAWL_ENOMEM. */
crawl_err cw_fingerprint_scrapy_write(cw_fingerprint_scrapy_request *request, crawl_fingerprint_kind kind,
                                      crawl_buf *out);
