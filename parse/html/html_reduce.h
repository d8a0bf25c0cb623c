/* Reduces a page to the parts that a crawler wants, as HTML that libxml2 reads in the way that the HTML standard means.
 *
 * libxml2's parser is older than the standard. It takes text in text areas and comments for tags, cuts the names of
 * attributes at characters that are common today, and without a tree it searches the stack of open elements for each
 * end tag, so that its time grows with the square of the page's size. So cw_html_walk finds the tags first, by the
 * standard's rules, and only the tags that matter are written for libxml2: each by itself, closed at once, with only
 * the wanted attributes, in quotes, their references decoded and escaped again where needed. docs/html.md tells all of
 * it. */
#ifndef CW_HTML_REDUCE_H
#define CW_HTML_REDUCE_H

#include "parse/html/html_walk.h"

/* The attribute of the reduced <title> that holds its text: from element content libxml2 would drop some characters. */
#define CW_HTML_TITLE_TEXT CW_AT_CONTENT

/* The element that stands for the end of an <a>; it holds the text of the link in the same way. An element of this name
 * in the page itself is never handed on. */
#define CW_HTML_ANCHOR_TEXT CW_ID_PLAINTEXT

/* Takes a piece of some 16 KiB that begins and ends between tags. If it does not return CRAWL_OK, cw_html_reduce stops
 * and returns its result. */
typedef crawl_err (*cw_html_sink)(void *user, crawl_slice piece);

typedef struct cw_html_reduction {
    crawl_buf *out;                                     /* holds a piece at a time; cleared first */
    crawl_buf *scratch;                                 /* holds a value at a time */
    uint32_t wanted;                                    /* elements, 1 << id */
    bool xml;                                           /* as in cw_html_visitor */
    crawl_err (*script)(void *owner, crawl_slice text); /* as in cw_html_visitor */
    void *owner;
    cw_html_texts *texts; /* as in cw_html_visitor */
    const cw_html_every *every[CW_HTML_LISTENERS];
    cw_html_sink sink;
    void *user;
} cw_html_reduction;

/* Reduces html, well-formed UTF-8, piece by piece. CRAWL_ENOMEM. */
crawl_err cw_html_reduce(crawl_slice html, const cw_html_reduction *reduction);

#endif
