/* A page reduced to what a crawler wants of it, as HTML that libxml2 reads the way the HTML standard means it.
 *
 * libxml2's parser is older than the standard. It sees tags inside text areas and comments that are none, cuts the names of attributes at
 * characters that are common in them today, and without a tree walks the stack of open elements for each end tag, so that the time a
 * page takes grows with the square of its size. So this pass finds the tags first, by the standard's rules, and hands on only
 * those that matter: each by itself, closed at once, with the wanted attributes alone, quoted. docs/html.md has the whole story. */
#ifndef CW_HTML_REDUCE_H
#define CW_HTML_REDUCE_H

#include <crawl/base.h>

/* An attribute's value with more bytes than this, references counted as they stand, is left out; four times
 * CRAWL_PAGE_MAX_HREF, since a reference may be longer than what it stands for. */
#define CW_HTML_MAX_RAW_VALUE 65536u

/* Bytes of the title that are handed on, likewise. */
#define CW_HTML_MAX_RAW_TITLE 16384u

/* Takes a piece that begins and ends between tags, some 16 KiB. Not CRAWL_OK: cw_html_reduce stops and returns it. */
typedef crawl_err (*cw_html_sink)(void *user, crawl_slice piece);

/* Reduces html, well-formed UTF-8, piece by piece. storage is cleared first and keeps its memory. CRAWL_ENOMEM. */
crawl_err cw_html_reduce(crawl_slice html, crawl_buf *storage, cw_html_sink sink, void *user);

#endif
