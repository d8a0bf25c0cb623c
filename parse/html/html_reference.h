/* Character references (HTML standard, 13.2.5.72 and on): all 2231 named ones, and the numeric ones. */
#ifndef CW_HTML_REFERENCE_H
#define CW_HTML_REFERENCE_H

#include <crawl/base.h>

/* What raw, text as it stands in a page, can grow by: "&nGt;" and NUL become three bytes for each of theirs at most. */
#define CW_HTML_DECODED_GROWTH 3u

/* Where a reference decides differently by where it stands: in the value of an attribute, "&copy=" and "&copying" are
 * text. */
typedef enum cw_html_place { CW_IN_TEXT, CW_IN_ATTRIBUTE } cw_html_place;

/* Nothing in raw has to be decoded. */
bool cw_html_is_literal(crawl_slice raw);

/* Appends raw with its references decoded and NUL as U+FFFD. CRAWL_ENOMEM. */
crawl_err cw_html_decode(crawl_buf *out, crawl_slice raw, cw_html_place place);

/* Appends text so that it reads as itself between double quotes and between tags. CRAWL_ENOMEM. */
crawl_err cw_html_escape(crawl_buf *out, crawl_slice text);

#endif
