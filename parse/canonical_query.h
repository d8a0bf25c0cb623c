/* The query of a canonical URL: pairs escaped in one way and sorted. */
#ifndef CW_CANONICAL_QUERY_H
#define CW_CANONICAL_QUERY_H

#include <crawl/base.h>

/* Appends "?" and the canonical form of query, or nothing where it has no pairs. CRAWL_ENOMEM: out is as it was. */
crawl_err cw_canonical_query(crawl_slice query, crawl_buf *out);

#endif
