/* Workers in reserve. More workers than processors help a crawl whose workers wait, for a disk or in a hook. They slow
 * down a crawl whose workers compute: threads displace each other and the contents of the caches. So while the workers
 * compute, only as many as there are processors have connections, but at least two. The others are in reserve: they
 * finish their requests and ask for nothing. All have connections at first, and again once the processors are mostly
 * idle. If there are no more workers than processors, none is ever in reserve. */
#pragma once

#include <crawl/engine.h>

/* Returns how many processors this process may run on. */
unsigned cw_engine_processors(void);

/* Returns the part of worker i in a whole that `count` workers share; 0 from i = count on. */
static inline unsigned cw_engine_part_of(unsigned whole, unsigned i, unsigned count)
{
    return i < count ? whole / count + (i < whole % count) : 0;
}

/* Returns the number of workers that have connections while the others are in reserve. */
unsigned cw_engine_reserve_few(unsigned workers, unsigned processors);
/* Returns how many workers should have connections; `active` of them have some now. busy: thousandths of one processor
 * that all workers used lately. Pure. */
unsigned cw_engine_reserve_active(unsigned active, unsigned workers, unsigned processors, unsigned busy);

/* Shares out connections to the active workers, and wakes all. May be called from any thread. */
void cw_engine_reserve_share(crawl_engine *engine, unsigned connections);
/* Shares out the connections again if this load changes the number of active workers. May be called from any thread. */
void cw_engine_reserve_look(crawl_engine *engine, unsigned busy);
