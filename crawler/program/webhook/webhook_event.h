/* The bodies of webhooks: JSON with "type", "timestamp" and "data", small, since whoever wants more has the outputs. */
#pragma once

#include <crawl/engine.h>

/* Bytes of a body, by the standard's advice. */
#define CW_WEBHOOK_BODY_MAX 20000

/* now_ms: since 1970, here and below. status: the exit status. place: where the crawl is kept; "": nowhere. Errors of
 * all: CRAWL_ENOMEM. */
crawl_err cw_webhook_event_finished(const crawl_engine_stats *stats, int status, const char *place, int64_t now_ms,
                                    crawl_buf *out);

/* A page that was visited again, and has changed. */
crawl_err cw_webhook_event_changed(const crawl_record *record, int64_t now_ms, crawl_buf *out);

/* host: with its port where the URL has one. */
crawl_err cw_webhook_event_wall(const crawl_record *record, crawl_slice host, int64_t now_ms, crawl_buf *out);
