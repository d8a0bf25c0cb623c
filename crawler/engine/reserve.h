/* Workers in reserve. More workers than processors help a crawl whose workers wait, for a disk or in a hook. A crawl
 * whose workers compute they cost time: threads displace each other, and with them what the caches hold. So while the
 * workers compute, no more of them than there are processors have connections, and two at least; the others are in
 * reserve: they end what they have under way and ask for nothing. All have connections at first, and again as soon as
 * the processors are seldom needed. Where there are no more workers than processors none is ever in reserve. */
#pragma once

#include <crawl/engine.h>

/* How many processors this process may run on. */
unsigned cw_engine_processors(void);

/* The part that worker i has of a whole that `count` workers share; from i = count on, none. */
static inline unsigned cw_engine_part_of(unsigned whole, unsigned i, unsigned count)
{
    return i < count ? whole / count + (i < whole % count) : 0;
}

/* The number of workers that have connections while the others are in reserve. */
unsigned cw_engine_reserve_few(unsigned workers, unsigned processors);
/* How many of the workers are to have connections, of which `active` have some now. busy: thousandths of one processor
 * that all workers took lately. Pure. */
unsigned cw_engine_reserve_active(unsigned active, unsigned workers, unsigned processors, unsigned busy);

/* Shares out so many connections to the workers that are to have some, and wakes all. From any thread. */
void cw_engine_reserve_share(crawl_engine *engine, unsigned connections);
/* Shares out the connections anew if it changes how many are to have some that the workers were so busy. From any
 * thread. */
void cw_engine_reserve_look(crawl_engine *engine, unsigned busy);
