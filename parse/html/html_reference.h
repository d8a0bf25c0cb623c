/* Character references (HTML standard, 13.2.5.72 and on): all 2231 named ones, and the numeric ones; and the values of
 * an element's attributes with theirs decoded. */
#ifndef CW_HTML_REFERENCE_H
#define CW_HTML_REFERENCE_H

#include "parse/html/html_element.h"

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

/* An attribute's value with more bytes than this, references counted as they stand, is left out; four times
 * CRAWL_PAGE_MAX_HREF, since a reference may be longer than what it stands for. */
#define CW_HTML_MAX_RAW_VALUE 65536u

/* Decodes raw. A value in which nothing has to be is the raw one itself; the others lie in *storage, which is cleared
 * first. CRAWL_ENOMEM. */
crawl_err cw_html_decode_values(const cw_html_values *raw, crawl_buf *storage, cw_html_values *values);

#endif
