/* Character references (HTML standard, 13.2.5.72 and on) rewritten into those that libxml2 reads as the standard means them. */
#ifndef CW_HTML_REFERENCE_H
#define CW_HTML_REFERENCE_H

#include <crawl/base.h>

/* Both append raw, text as it stands in a page, in a form that is sound between double quotes or between tags:
 * - numeric references are decoded, by the standard's table for 0x80 to 0x9f;
 * - a name without its semicolon gets it where the standard reads it as a reference, and its "&" becomes "&amp;" elsewhere;
 * - names that libxml2 does not know (it has those of HTML 4) are decoded where they stand for ASCII;
 * - NUL becomes U+FFFD.
 * CRAWL_ENOMEM. */
crawl_err cw_html_put_value(crawl_buf *out, crawl_slice raw); /* of an attribute */
crawl_err cw_html_put_text(crawl_buf *out, crawl_slice raw);

#endif
