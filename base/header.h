/* Checks header fields that somebody wants to send with requests: which lines are valid, which ones a user may not set,
 * and which carry secrets. */
#pragma once

#include "base/bytes.h"

/* Is text a token (RFC 9110, 5.6.2)? */
bool cw_is_token(crawl_slice text);

/* Is text free of control characters other than tabs (RFC 9110, 5.5)? */
bool cw_is_field_text(crawl_slice text);

/* Splits "Name: value" at its colon; value comes without the white space around it. False: there is no colon. */
bool cw_header_split(crawl_slice line, crawl_slice *name, crawl_slice *value);

/* Why a "Name: value" line cannot be sent, in words: it is no header line (RFC 9110, 5.5), or it would change how
 * requests are framed, where they go or which connection they take. NULL: it can be sent. */
const char *cw_header_refused(crawl_slice line);

/* Does a field of this name carry what identifies its sender? Authorization, Cookie, and names made of words like key
 * and token. */
bool cw_header_is_secret(crawl_slice name);

/* Is it Authorization or Cookie, which are meant for one origin only? */
bool cw_header_is_personal(crawl_slice name);
