/* Which host a crawl is bound by: the host named most of the time, found in bounded memory. */
#pragma once

#include <crawl/sys/bound.h>

/* By Misra and Gries: a host named for more than a ninth of the time is among these, and its time is too short by at
 * most a ninth. */
#define CW_ENGINE_NAMED_HOSTS 8u

typedef struct cw_engine_named_host {
    char origin[CRAWL_HELD_ORIGIN];
    int64_t ms; /* 0: free */
} cw_engine_named_host;

typedef struct cw_engine_named {
    cw_engine_named_host hosts[CW_ENGINE_NAMED_HOSTS];
} cw_engine_named;

/* Returns the host with the most queued among those that bind; NULL: no host binds. */
const crawl_held_host *cw_engine_bound_host(const crawl_load *load, crawl_bound bound);

void cw_engine_named_add(cw_engine_named *named, const char *origin, int64_t ms);
/* NULL: none. */
const cw_engine_named_host *cw_engine_named_most(const cw_engine_named *named);
