/* The part of the figures that is of all processes of a crawl which processes share: the workers, their sum, and what
 * stands in Redis. */
#ifndef CW_LIVE_SHARED_H
#define CW_LIVE_SHARED_H

#include <crawl/engine.h>
#include <jansson.h>

/* Rows of workers that are told of, those alive first; the sum has all. */
#define CW_LIVE_WORKERS_MAX 256u
/* And of these so many that are alive no more. */
#define CW_LIVE_GONE_MAX 20u

/* What is known of the others, as it was read last. {0}: nothing yet. */
typedef struct cw_live_shared {
    const crawl_shared_figures *figures;
    const crawl_shared_crew *crew;
    crawl_slice self; /* the name of this process */
} cw_live_shared;

/* NULL: no memory. */
json_t *cw_live_shared_json(const cw_live_shared *shared);
/* Appends, in Prometheus' text format. CRAWL_ENOMEM. */
crawl_err cw_live_shared_metrics(const cw_live_shared *shared, crawl_buf *out);

#endif
