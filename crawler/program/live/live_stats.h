/* The contents of the live view: the figures of a crawl as one JSON object, and in Prometheus' text format (0.0.4).
 * Figures in, text out. */
#pragma once

#include "crawler/program/live/course/timeline.h"

#include <crawl/engine.h>

typedef struct cw_live_source {
    const crawl_engine_stats *stats;
    const crawl_config *config;
    const cw_live_history *history;
    bool is_draining;   /* it ends when what is under way is done */
    int64_t started_ms; /* since 1970, UTC */
    uint64_t resident_bytes;
    const crawl_shared_crew *crew; /* of a crawl that processes share, as it was read last; otherwise NULL */
    crawl_slice self;              /* the name of this process there */
} cw_live_source;

/* The pace of late is that of so long. */
#define CW_LIVE_RECENT_MS 10000

/* "ready", "paused", "busy", "blocked", "later"; "idle": nothing is queued. */
const char *cw_live_standing(crawl_standing standing);

/* Each appends. CRAWL_ENOMEM. */
crawl_err cw_live_json(const cw_live_source *source, crawl_buf *out);
crawl_err cw_live_metrics(const cw_live_source *source, crawl_buf *out);
