/* Which visits leave open what has become of their page. */
#pragma once

#include "base/bytes.h"

/* Returns true if a visit says nothing of its page: it has no whole answer, a wall, which may be a redirect, or a
 * status such as 403 or 503, all of which may pass. A redirect, a page that is gone and a soft 404 do say something.
 * error: as in the record; empty: none. */
static inline bool cw_is_failed_visit(int64_t status, crawl_slice error)
{
    if (cw_is(error, "wall"))
        return true;
    if (error.size)
        return status / 100 != 3 && !cw_is(error, "soft-404");
    return status >= 400 && status != 404 && status != 410;
}
