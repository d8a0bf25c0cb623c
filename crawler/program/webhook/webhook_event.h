/* The bodies of webhooks: JSON with "type", "timestamp" and "data". They are small; the outputs have the rest. */
#pragma once

#include <crawl/engine.h>

/* Bytes of a body, as the standard advises. */
#define CW_WEBHOOK_BODY_MAX 20000

/* Appends the body of crawl.finished. now_ms: since 1970, here and below. status: the exit status. place: where the
 * crawl is kept; "": nowhere. Errors of all three: CRAWL_ENOMEM. */
crawl_err cw_webhook_event_finished(const crawl_engine_stats *stats, int status, const char *place, int64_t now_ms,
                                    crawl_buf *out);

/* Appends the body for a page that has changed since its last visit. */
crawl_err cw_webhook_event_changed(const crawl_record *record, int64_t now_ms, crawl_buf *out);

/* Appends the body for a wall. host: with its port if the URL has one. */
crawl_err cw_webhook_event_wall(const crawl_record *record, crawl_slice host, int64_t now_ms, crawl_buf *out);
