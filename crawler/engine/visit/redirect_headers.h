/* Which headers of a request a redirect takes along. */
#ifndef CW_REDIRECT_HEADERS_H
#define CW_REDIRECT_HEADERS_H

#include <crawl/base.h>

/* Appends those lines of headers that go on: to the same origin all, to another one those alone that describe the body;
 * and where there is no body any more (becomes_get) none of the latter, as the Fetch standard has it (4.4,
 * HTTP-redirect fetch). CRAWL_ENOMEM. */
crawl_err cw_redirect_headers(crawl_slice headers, bool same_origin, bool becomes_get, crawl_buf *out);

#endif
