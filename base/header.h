/* Header fields that somebody wants sent with requests: what is one, and which are not theirs to set. */
#ifndef CW_HEADER_H
#define CW_HEADER_H

#include "base/bytes.h"

/* RFC 9110, 5.6.2 */
bool cw_is_token(crawl_slice text);

/* Has it no control character but tabs (RFC 9110, 5.5)? */
bool cw_is_field_text(crawl_slice text);

/* "Name: value" cut at its colon; value without the white space around it. False: there is no colon. */
bool cw_header_split(crawl_slice line, crawl_slice *name, crawl_slice *value);

/* Why a "Name: value" line cannot be sent, in words: it is none (RFC 9110, 5.5), or it would change how requests are
 * framed, whom they go to or which connection they take. NULL: it can. */
const char *cw_header_refused(crawl_slice line);

/* Does a field of this name carry what identifies its sender? Authorization, Cookie, and names made of words like key
 * and token. */
bool cw_header_is_secret(crawl_slice name);

/* Authorization or Cookie, which are meant for one origin and nobody else. */
bool cw_header_is_personal(crawl_slice name);

#endif
