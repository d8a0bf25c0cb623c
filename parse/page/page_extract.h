/* The extractors: from the text of a page to what is said of it in page. Both find the same; see docs/html.md. */
#ifndef CW_PAGE_EXTRACT_H
#define CW_PAGE_EXTRACT_H

#include "parse/page/page_build.h"

/* text is well-formed UTF-8; xml: as in cw_html_visitor. CRAWL_ENOMEM. */
crawl_err cw_scan_page(crawl_page *page, crawl_slice text, bool xml);    /* scan_page.c */
crawl_err cw_libxml2_page(crawl_page *page, crawl_slice text, bool xml); /* page_sax.c */

#endif
