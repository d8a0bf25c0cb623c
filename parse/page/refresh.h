/* <meta http-equiv=refresh>: HTML standard, 4.2.5.3, "shared declarative refresh steps". */
#ifndef CW_REFRESH_H
#define CW_REFRESH_H

#include <crawl/base.h>

/* Delays beyond this, in seconds, are this: some seventy years. */
#define CW_REFRESH_MAX_DELAY 2147483647.0

/* Reads the value of content. On CRAWL_OK *delay is in whole seconds, since the standard drops the fraction, and *href,
 * part of content, is the URL as it stands, empty for the page itself. CRAWL_EPARSE: it is no refresh. */
crawl_err cw_refresh_parse(crawl_slice content, double *delay, crawl_slice *href);

#endif
