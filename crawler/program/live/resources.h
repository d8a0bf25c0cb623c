/* The resources of a live view, by their paths: the page's files as they were built in, and JSON and metrics that are
 * made when they are asked for. */
#pragma once

#include "crawler/program/live/live_parts.h"

struct evkeyvalq;

/* Appends the body; query: the parameters of the request's target, decoded. CRAWL_EINVAL: one is missing or wrong.
 * CRAWL_ABSENT: there is no such thing. CRAWL_AGAIN: it was asked for too often. CRAWL_ENOMEM; what came of asking the
 * engine. */
typedef crawl_err cw_live_make(cw_live *live, const struct evkeyvalq *query, crawl_buf *out);

typedef struct cw_live_resource {
    const char *path;
    const char *type;
    const char *text;   /* NULL: it is made */
    cw_live_make *make; /* NULL of both: the stream of events */
} cw_live_resource;

/* NULL: there is nothing. */
const cw_live_resource *cw_live_resource_at(const char *path);

/* Reads the engine's figures, unless they were read a moment ago. */
void cw_live_refresh(cw_live *live);
/* Of a crawl that processes share: what they have told, as it was read last. */
void cw_live_read_crew(cw_live *live);

/* The JSON of /stats.json. */
cw_live_make cw_live_figures;
