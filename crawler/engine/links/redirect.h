/* Follows a redirect, and chooses the headers, method and body of the request that does. */
#ifndef CW_LINKS_REDIRECT_H
#define CW_LINKS_REDIRECT_H

#include "crawler/engine/links/batch.h"

/* Appends those lines of headers that go on: to the same origin all, to another one those alone that describe the body;
 * and where there is no body any more (becomes_get) none of the latter, as the Fetch standard has it (4.4,
 * HTTP-redirect fetch). CRAWL_ENOMEM. */
crawl_err cw_links_redirect_headers(crawl_slice headers, bool same_origin, bool becomes_get, crawl_buf *out);

/* The redirect of a page. */
typedef struct cw_links_redirect {
    int status;
    crawl_slice location;
    bool sets_cookie;
} cw_links_redirect;

/* Pushes the request for where it points to, and tells what became of it. *to: its URL, borrowed from the batch's judge
 * until that is asked again, or the location where that is no URL to be asked. */
crawl_edge_verdict cw_links_redirect_follow(cw_links_batch *batch, const cw_links_source *source,
                                            const cw_links_redirect *redirect, crawl_slice *to);

#endif
