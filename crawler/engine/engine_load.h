/* Looks at an engine's figures a few times per second, to tell what binds it. Only the thread of worker 0 looks; any
 * thread may read the tally. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/sys/bound.h>

typedef struct cw_engine_load cw_engine_load;

/* NULL: out of memory. */
cw_engine_load *cw_engine_load_create(void);
void cw_engine_load_free(cw_engine_load *load);

/* dozes: the crawl waits only for dates until the next look. */
void cw_engine_load_look(crawl_engine *engine, bool dozes);

/* Copies the present tally. */
void cw_engine_load_read(cw_engine_load *load, crawl_bound_tally *out);

/* Sums over all workers: the transfers that they may have at once now, and the figures of their fetchers. */
unsigned cw_engine_load_connections(const crawl_engine *engine);
void cw_engine_load_fetchers(const crawl_engine *engine, crawl_fetcher_stats *out);
