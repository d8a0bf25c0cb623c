/* The values of an element's attributes with their references decoded. */
#ifndef CW_HTML_VALUES_H
#define CW_HTML_VALUES_H

#include "parse/html/html_element.h"

/* An attribute's value with more bytes than this, references counted as they stand, is left out; four times
 * CRAWL_PAGE_MAX_HREF, since a reference may be longer than what it stands for. */
#define CW_HTML_MAX_RAW_VALUE 65536u

/* Decodes raw. A value in which nothing has to be is the raw one itself; the others lie in *storage, which is cleared
 * first. CRAWL_ENOMEM. */
crawl_err cw_html_decode_values(const cw_html_values *raw, crawl_buf *storage, cw_html_values *values);

#endif
