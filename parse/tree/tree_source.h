/* The source of a page as libxml2 reads it alike. libxml2's parser is older than the HTML standard: it decodes other
 * character references, and takes text for tags where the content of an element is text. */
#pragma once

#include <crawl/base.h>

/* Fills *out, which is cleared first, with html, well-formed UTF-8: references are decoded as the standard says
 * (13.2.5.72 and on), and what is text in <textarea>, <title>, <iframe> and the like, or after a "<" that begins no
 * tag, is escaped. NULs, where libxml2 would end the page, are dropped. CRAWL_ENOMEM. */
crawl_err cw_tree_source(crawl_slice html, crawl_buf *out);
