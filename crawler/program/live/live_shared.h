/* The figures of a shared crawl, over all its processes: the workers, their sum, and what is in Redis. */
#pragma once

#include "base/writer.h"

#include <crawl/engine.h>
#include <jansson.h>

/* Maximum number of workers with a row, those alive first; the sum includes all. */
#define CW_LIVE_WORKERS_MAX 256u
/* Maximum number of these rows for workers that are gone. */
#define CW_LIVE_GONE_MAX 20u

/* All processes, as last read. {0}: not yet read. */
typedef struct cw_live_shared {
    const crawl_shared_figures *figures;
    const crawl_shared_crew *crew;
    crawl_slice self; /* name of this process */
} cw_live_shared;

/* Returns the JSON, which the caller owns. */
json_t *cw_live_shared_json(const cw_live_shared *shared);
/* Writes the metrics in Prometheus' text format. */
void cw_live_shared_metrics(const cw_live_shared *shared, cw_writer *out);
