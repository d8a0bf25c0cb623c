/* One pass over a page that finds the elements a crawler wants, where the HTML standard sees them. Both extractors
 * stand on it: what is handed over goes straight into the page's links, or by way of libxml2. Nothing is built and
 * nothing is copied; what it keeps is some hundred bytes. */
#ifndef CW_HTML_WALK_H
#define CW_HTML_WALK_H

#include "parse/html/html_text.h"

/* A title is handed over up to so many bytes, references counted as they stand: a multiple of CRAWL_PAGE_MAX_TITLE,
 * since a reference may be longer than what it stands for. */
#define CW_HTML_MAX_RAW_TITLE 16384u

/* Who is told. Not CRAWL_OK: the walk stops and returns it. */
typedef struct cw_html_visitor {
    void *user;
    uint32_t wanted; /* elements that are handed over, 1 << id, besides the title */
    bool xml;        /* an XHTML document: <script/> is closed, and a CDATA section may stand anywhere */

    /* A start tag and the attributes that its row names, as they stand: references are not decoded. */
    crawl_err (*element)(void *user, const cw_html_element *element, const cw_html_values *values);
    /* The first title of the page, likewise, without white space around it. */
    crawl_err (*title)(void *user, crawl_slice text);

    cw_html_texts *texts; /* who is told of the text between tags; NULL: nobody */
} cw_html_visitor;

/* html is well-formed UTF-8. */
crawl_err cw_html_walk(crawl_slice html, const cw_html_visitor *visitor);

#endif
