/* A page reduced to what a crawler wants of it, as HTML that libxml2 reads the way the HTML standard means it.
 *
 * libxml2's parser is older than the standard. It sees tags inside text areas and comments that are none, cuts the
 * names of attributes at characters that are common in them today, and without a tree walks the stack of open elements
 * for each end tag, so that the time a page takes grows with the square of its size. So cw_html_walk finds the tags
 * first, by the standard's rules, and this hands on only those that matter: each by itself, closed at once, with the
 * wanted attributes alone, quoted, their references decoded and what has to be escaped again. docs/html.md has the
 * whole story. */
#ifndef CW_HTML_REDUCE_H
#define CW_HTML_REDUCE_H

#include "parse/html/html_text.h"

/* The attribute of the reduced <title> that has its text: out of text libxml2 would drop some characters. */
#define CW_HTML_TITLE_TEXT CW_AT_CONTENT

/* The element that stands for the end of an <a>, with the text of the link likewise. A page's own is never handed
 * on. */
#define CW_HTML_ANCHOR_TEXT CW_ID_PLAINTEXT

/* Takes a piece that begins and ends between tags, some 16 KiB. Not CRAWL_OK: cw_html_reduce stops and returns it. */
typedef crawl_err (*cw_html_sink)(void *user, crawl_slice piece);

typedef struct cw_html_reduction {
    crawl_buf *out;       /* holds a piece at a time; cleared first */
    crawl_buf *scratch;   /* holds a value at a time */
    uint32_t wanted;      /* elements, 1 << id */
    bool xml;             /* as in cw_html_visitor */
    cw_html_texts *texts; /* as in cw_html_visitor */
    cw_html_sink sink;
    void *user;
} cw_html_reduction;

/* Reduces html, well-formed UTF-8, piece by piece. CRAWL_ENOMEM. */
crawl_err cw_html_reduce(crawl_slice html, const cw_html_reduction *reduction);

#endif
