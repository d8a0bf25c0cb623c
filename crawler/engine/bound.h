/* Which host stands for what bound a crawl: the one that was named most of the time, found in bounded memory. */
#pragma once

#include <crawl/sys/bound.h>

/* Misra and Gries: a host that was named for more than a ninth of the time is among these, its time too short by a
 * ninth at most. */
#define CW_ENGINE_NAMED_HOSTS 8u

typedef struct cw_engine_named_host {
    char origin[CRAWL_HELD_ORIGIN];
    int64_t ms; /* 0: free */
} cw_engine_named_host;

typedef struct cw_engine_named {
    cw_engine_named_host hosts[CW_ENGINE_NAMED_HOSTS];
} cw_engine_named;

/* The host with most queued of those that bind; NULL: what binds is no host. */
const crawl_held_host *cw_engine_bound_host(const crawl_load *load, crawl_bound bound);

void cw_engine_named_add(cw_engine_named *named, const char *origin, int64_t ms);
/* NULL: none. */
const cw_engine_named_host *cw_engine_named_most(const cw_engine_named *named);
