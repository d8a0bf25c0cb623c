/* Follows a redirect, and chooses the headers, method and body of the next request. */
#pragma once

#include "crawler/engine/links/batch.h"

/* Appends the header lines of the next request, as the Fetch standard says (4.4, HTTP-redirect fetch): those that
 * describe the body, unless the body is dropped (becomes_get), and at the same origin all others. CRAWL_ENOMEM. */
crawl_err cw_links_redirect_headers(crawl_slice headers, bool same_origin, bool becomes_get, crawl_buf *out);

typedef struct cw_links_redirect {
    int status;
    crawl_slice location;
    bool sets_cookie;
    bool is_detour; /* to a login or consent page: it widens no scope */
    bool is_asked;  /* likewise, and that page was asked for already, with another way back */
} cw_links_redirect;

/* Pushes the request that follows the redirect of the source, and tells on_edge its fate. *to: its URL, borrowed from
 * the batch's judge until the next use of that, or the location if it is not an http URL. */
crawl_edge_verdict cw_links_redirect_follow(cw_links_batch *batch, const cw_links_source *source,
                                            const cw_links_redirect *redirect, crawl_slice *to);

/* Likewise, for a page that has set a cookie and refreshes to itself: it is asked again, as often as redirects are
 * followed. For a crawl that keeps cookies. */
void cw_links_redirect_to_itself(cw_links_batch *batch, const cw_links_source *source);
