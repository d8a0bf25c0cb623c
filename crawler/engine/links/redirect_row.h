/* Redirects in a row: which of their targets are asked although seen. */
#pragma once

#include "crawler/engine/links/judge.h"

/* Sets memo, revisit and tag of the request for a redirect of this lease to url, whose canonical form is in the judge:
 * it is asked again if only the redirect makes it another page. method: of its key. row: empty, holds the memo.
 * CRAWL_ENOMEM. */
crawl_err cw_links_redirect_row_trace(cw_links_judge *judge, const crawl_lease *lease, const crawl_url *url,
                                      crawl_slice method, bool sets_cookie, crawl_request *request, crawl_buf *row);
