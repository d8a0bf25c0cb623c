/* Decodes character references (HTML standard, 13.2.5.72 and on), all 2231 named ones and the numeric ones, in text and
 * in the values of an element's attributes; and escapes text again. */
#pragma once

#include "parse/html/html_element.h"

/* The most that raw text can grow when it is decoded: each byte of "&nGt;", and NUL, become at most three bytes. */
#define CW_HTML_DECODED_GROWTH 3u

/* Where a reference occurs, because the same bytes may mean different things: in the value of an attribute, "&copy="
 * and "&copying" are text. NUL is dropped from text (13.2.6.4.7), and becomes U+FFFD in titles and attributes. */
typedef enum cw_html_place { CW_IN_TEXT, CW_IN_TITLE, CW_IN_ATTRIBUTE } cw_html_place;

/* Returns true if raw contains nothing to decode. */
bool cw_html_is_literal(crawl_slice raw);

/* Appends raw with its references decoded. CRAWL_ENOMEM. */
crawl_err cw_html_decode(crawl_buf *out, crawl_slice raw, cw_html_place place);

/* Appends the text of an XML or SVG element: references count outside CDATA sections, whose marks are dropped.
 * CRAWL_ENOMEM. */
crawl_err cw_html_decode_markup(crawl_buf *out, crawl_slice raw);

/* Appends text escaped for use between double quotes and between tags. CRAWL_ENOMEM. */
crawl_err cw_html_escape(crawl_buf *out, crawl_slice text);

/* An attribute's value with more bytes than this, before its references are decoded, is dropped. It is four times
 * CRAWL_PAGE_MAX_HREF, since a reference may be longer than its text. */
#define CW_HTML_MAX_RAW_VALUE 65536u

/* Decodes the values of raw. A value without references stays a slice of the page; the others are put into *storage,
 * which is cleared first. CRAWL_ENOMEM. */
crawl_err cw_html_decode_values(const cw_html_values *raw, crawl_buf *storage, cw_html_values *values);
