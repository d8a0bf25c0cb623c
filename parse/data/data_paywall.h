/* Do the publisher's own words for search engines say that a page is behind a paywall? */
#ifndef CW_DATA_PAYWALL_H
#define CW_DATA_PAYWALL_H

#include <crawl/base.h>
#include <stdbool.h>

/* json_ld: JSON that is known to be right. *out: it says isAccessibleForFree: false ("False" and schema.org/False
 * too) of the page, an item of its @graph, or a part of these (hasPart). What it says of other pages, as those of a
 * list, does not count. CRAWL_ENOMEM. */
crawl_err cw_data_paywall_read(crawl_slice json_ld, bool *out);

#endif
