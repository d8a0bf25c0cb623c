/* The sink behind --requests: a line of JSON for every request that left, made to be proof of the crawl's manners (see `crawl help audit`). */
#ifndef CW_REQUEST_LOG_H
#define CW_REQUEST_LOG_H

#include "crawler/record.h"

/* Thread-safe, as the sink is. CRAWL_ENOMEM. CRAWL_EIO: as cw_record_sink_write. */
crawl_err cw_request_log_write(cw_record_sink *sink, const crawl_exchange *exchange);

#endif
