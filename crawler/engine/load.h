/* Looks at an engine's figures, a few times a second, to tell what binds it. The looks come from one thread, that of
 * worker 0; the tally may be read from any. */
#ifndef CW_LOAD_H
#define CW_LOAD_H

#include <crawl/bound.h>
#include <crawl/engine.h>
#include <crawl/fetch.h>

typedef struct cw_load cw_load;

/* NULL: no memory. */
cw_load *cw_load_create(void);
void cw_load_free(cw_load *load);

void cw_load_look(crawl_engine *engine);

/* The tally as it is now. */
void cw_load_read(cw_load *load, crawl_bound_tally *out);

/* Of all workers: transfers at once, now; and what their fetchers do. */
unsigned cw_load_connections(const crawl_engine *engine);
void cw_load_fetchers(const crawl_engine *engine, crawl_fetcher_stats *out);

#endif
