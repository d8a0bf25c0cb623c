/* The contents of the live view: a crawl's figures as one JSON object, and in Prometheus' text format (0.0.4). Figures
 * in, text out. */
#pragma once

#include "crawler/program/live/course/timeline.h"

#include <crawl/engine.h>

typedef struct cw_live_source {
    const crawl_engine_stats *stats;
    const crawl_config *config;
    const cw_live_history *history;
    bool is_draining;   /* it ends once nothing is under way */
    int64_t started_ms; /* since 1970, UTC */
    uint64_t resident_bytes;
    const crawl_shared_crew *crew; /* of a shared crawl, as last read; otherwise NULL */
    crawl_slice self;              /* name of this process there */
} cw_live_source;

/* The recent pace covers this time. */
#define CW_LIVE_RECENT_MS 10000

/* Returns "ready", "paused", "busy", "blocked", "later" or, with nothing queued, "idle". */
const char *cw_live_standing(crawl_standing standing);

/* Append the figures. CRAWL_ENOMEM. */
crawl_err cw_live_json(const cw_live_source *source, crawl_buf *out);
crawl_err cw_live_metrics(const cw_live_source *source, crawl_buf *out);
