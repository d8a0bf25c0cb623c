/* What the parts of an engine ask of it as a whole: that it ends, that it says something, who is waiting. */
#ifndef CW_ENGINE_H
#define CW_ENGINE_H

#include "crawler/engine/links/scope.h"

#include <crawl/engine.h>
#include <crawl/fetch.h>

void cw_engine_end(crawl_engine *engine, crawl_end how);
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words);
bool cw_engine_ended(crawl_engine *engine);
void cw_engine_watch_time(crawl_engine *engine);                     /* ends the crawl at crawl.max_time */
void cw_engine_notice(crawl_engine *engine, const crawl_buf *words); /* to on_notice */
/* Do the patterns let this canonical URL pass? A pattern that could not tell is counted, and said once. */
bool cw_engine_passes(crawl_engine *engine, cw_scope_reader *reader, crawl_slice canonical);
void cw_engine_wake(crawl_engine *engine, bool all);
/* Of all workers. */
void cw_engine_names(const crawl_engine *engine, crawl_fetcher_stats *out);
bool cw_engine_has_tickets(crawl_engine *engine);
bool cw_engine_take_ticket(crawl_engine *engine);
void cw_engine_return_ticket(crawl_engine *engine);
void cw_engine_drained(crawl_engine *engine); /* the frontier has nothing left: ends the crawl, unless on_idle has more
                                               */
/* It has nothing for so long; or a page for a further visit, which is to be made. Without revisit both end a crawl in
 * which nothing else is left. */
void cw_engine_waits(crawl_engine *engine, int64_t wait_ms);
bool cw_engine_wants_visit(crawl_engine *engine);

unsigned cw_engine_allowed(const crawl_engine *engine); /* transfers at once, now */

#endif
