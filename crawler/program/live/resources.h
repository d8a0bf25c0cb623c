/* The resources of a live view by path: the page's built-in files, and JSON and metrics made on request. */
#pragma once

#include "crawler/program/live/live_parts.h"

struct evkeyvalq;

/* Appends the body. query: the decoded parameters of the target. CRAWL_EINVAL: a parameter is missing or wrong.
 * CRAWL_ABSENT: no such thing. CRAWL_AGAIN: requested too often. CRAWL_ENOMEM; errors of the engine. */
typedef crawl_err cw_live_make(cw_live *live, const struct evkeyvalq *query, crawl_buf *out);

typedef struct cw_live_resource {
    const char *path;
    const char *type;
    const char *text;   /* NULL: use make */
    cw_live_make *make; /* NULL in both: the stream of events */
} cw_live_resource;

/* Returns the resource at a path. NULL: none. */
const cw_live_resource *cw_live_resource_at(const char *path);

/* Reads the engine's figures, unless they were read a moment ago. */
void cw_live_refresh(cw_live *live);
/* Reads the last reports of the processes of a shared crawl. */
void cw_live_read_crew(cw_live *live);

/* Makes the JSON of /stats.json. */
cw_live_make cw_live_figures;
