/* A page while it is parsed: what its elements say is gathered here. Text is copied into one buffer that may move, so everything
 * is an offset into it until the end. */
#ifndef CW_PAGE_BUILD_H
#define CW_PAGE_BUILD_H

#include "parse/charset_decode.h"
#include "parse/page_sax.h"

#include <crawl/links.h>

/* Memory that a page keeps from one parse to the next; what a large page took beyond this is given back. */
#define CW_PAGE_KEEP_BYTES 1048576u

/* Bytes in page.text. */
typedef struct cw_span {
    size_t at;
    size_t size;
} cw_span;

/* A link while the text may move. */
typedef struct cw_link_record {
    cw_span href;
    cw_span rel;
    uint8_t source; /* row of the table of elements with links */
    bool nofollow;
} cw_link_record;

struct crawl_page {
    crawl_buf text; /* values of attributes and the title, one after the other */
    cw_link_record *records;
    size_t record_capacity;
    crawl_link *links; /* made of the records when the page has ended */
    size_t link_capacity;
    size_t link_count; /* of both */

    crawl_url *base;     /* of the page, then of its <base> */
    crawl_url *proposed; /* what <base> says, until it is accepted */
    bool base_known;     /* base holds a URL */
    bool base_decided;   /* a <base href> was there */

    const char *charset;
    cw_span title;
    bool in_title;
    cw_span canonical;
    bool has_canonical;
    unsigned robots;
    bool has_refresh;
    double refresh_delay;
    cw_span refresh_href;

    cw_decoder decoder;
    crawl_buf decoded; /* the page as UTF-8, where it was not */
    crawl_buf reduced; /* what libxml2 is fed */
    crawl_err err;     /* the first failure inside an event */
};

/* Forgets the page before. */
void cw_page_reset(crawl_page *page);

/* What libxml2 tells, user being the page. */
extern const cw_sax_events cw_page_events;

/* Makes the links of the records. CRAWL_ENOMEM. */
crawl_err cw_page_finish(crawl_page *page);

/* What a span stands for now. */
static inline crawl_slice cw_page_slice(const crawl_page *page, cw_span span)
{
    return span.size ? crawl_slice_of(page->text.data + span.at, span.size) : crawl_slice_of("", 0);
}

#endif
