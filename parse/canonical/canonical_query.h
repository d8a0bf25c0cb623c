/* The query of a canonical URL: pairs escaped in one way and sorted. */
#ifndef CW_CANONICAL_QUERY_H
#define CW_CANONICAL_QUERY_H

#include <crawl/url.h>

typedef struct cw_query_rules {
    const crawl_drop_params *drop; /* NULL: none */
    bool drop_blank;               /* pairs without a value */
    bool unsorted;                 /* to show the steps one by one */
} cw_query_rules;

/* Appends "?" and the canonical form of query, or nothing where no pair is left. CRAWL_ENOMEM: out is as it was. */
crawl_err cw_canonical_query(crawl_slice query, const cw_query_rules *rules, crawl_buf *out);

/* One side of a pair, form-decoded and escaped again, to `to`, which has room for three times as many bytes. Returns
 * its end. */
char *cw_canonical_side(char *to, const char *from, const char *end);

#endif
