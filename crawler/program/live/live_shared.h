/* The figures of a crawl that processes share, for all of them: the workers, their sum, and what stands in Redis. */
#pragma once

#include "base/writer.h"

#include <crawl/engine.h>
#include <jansson.h>

/* The most workers that have a row, those alive first; the sum has all workers. */
#define CW_LIVE_WORKERS_MAX 256u
/* The most of these rows for workers that are gone. */
#define CW_LIVE_GONE_MAX 20u

/* All processes, as they were read last. {0}: not read yet. */
typedef struct cw_live_shared {
    const crawl_shared_figures *figures;
    const crawl_shared_crew *crew;
    crawl_slice self; /* the name of this process */
} cw_live_shared;

/* The caller's. */
json_t *cw_live_shared_json(const cw_live_shared *shared);
/* Writes Prometheus' text format. */
void cw_live_shared_metrics(const cw_live_shared *shared, cw_writer *out);
