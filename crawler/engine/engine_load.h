/* Looks at an engine's figures, a few times a second, to tell what binds it. The looks come from one thread, that of
 * worker 0; the tally may be read from any. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/sys/bound.h>

typedef struct cw_engine_load cw_engine_load;

/* NULL: no memory. */
cw_engine_load *cw_engine_load_create(void);
void cw_engine_load_free(cw_engine_load *load);

/* dozes: until the next look the crawl waits for dates alone. */
void cw_engine_load_look(crawl_engine *engine, bool dozes);

/* The tally as it is now. */
void cw_engine_load_read(cw_engine_load *load, crawl_bound_tally *out);

/* Sums over all workers: the transfers that they may have at once now; and the figures of their fetchers. */
unsigned cw_engine_load_connections(const crawl_engine *engine);
void cw_engine_load_fetchers(const crawl_engine *engine, crawl_fetcher_stats *out);
