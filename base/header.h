/* Checks header fields to be sent with requests: which lines are valid, which ones a user may not set, and which
 * contain secrets. */
#pragma once

#include "base/bytes.h"

/* Returns true if text is a token (RFC 9110, 5.6.2). */
bool cw_is_token(crawl_slice text);

/* Returns true if text has no control characters other than tabs (RFC 9110, 5.5). */
bool cw_is_field_text(crawl_slice text);

/* Splits "Name: value" at its colon; value has no surrounding white space. False: there is no colon. */
bool cw_header_split(crawl_slice line, crawl_slice *name, crawl_slice *value);

/* Returns why a "Name: value" line cannot be sent, in words: it is not a header line (RFC 9110, 5.5), or it would
 * change how requests are framed, where they go or which connection they use. NULL: it can be sent. */
const char *cw_header_refused(crawl_slice line);

/* Appends the header lines of a request of a page. Its Accept-Language is left out if ours, the lines sent besides, has
 * one: it is made from the language of the browser. ours may be NULL. CRAWL_ENOMEM. */
crawl_err cw_header_append_of_page(crawl_slice lines, const char *ours, crawl_buf *out);

/* Returns true if a field of this name identifies its sender: Authorization, Cookie, and names that contain words like
 * key and token. */
bool cw_header_is_secret(crawl_slice name);

/* Returns true for Authorization and Cookie, which are meant for one origin only. */
bool cw_header_is_personal(crawl_slice name);
