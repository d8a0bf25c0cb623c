/* Leaves out of requests what an archive must not hold. */
#ifndef CW_WARC_REDACT_H
#define CW_WARC_REDACT_H

#include <crawl/base.h>

/* Appends a request as it was sent, header and body, but for header lines that identify the asker: Authorization,
 * Proxy-Authorization, Cookie and whatever cw_header_is_secret takes for such. Archives are passed on, and passwords
 * are not. CRAWL_ENOMEM. */
crawl_err cw_warc_redact(crawl_slice sent, crawl_buf *out);

#endif
