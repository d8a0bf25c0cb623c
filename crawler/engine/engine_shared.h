/* A crawl that this process shares with others through Redis; see <crawl/sys/shared.h>: the options it cannot have,
 * those that all processes must agree on, and when this process has nothing more to push by itself. */
#pragma once

#include <crawl/engine.h>

/* Creates or joins the crawl of state.shared. on_notes gets the engine whenever other processes have noted something;
 * see crawl_shared_options.on_notes. CRAWL_EINVAL: the URL, the password, an option that a shared crawl cannot have, or
 * one that differs from the crawl's. Other errors: see crawl_frontier_join. */
crawl_err cw_engine_shared_join(crawl_engine *engine, const crawl_frontier_options *options,
                                void (*on_notes)(void *user), crawl_error *error);

/* Lets records of hosts go away: what this process knows of a host is forgotten when the host leaves, and found in the
 * host's note when the host is held again. Otherwise memory would grow with each host that the process ever had. Facts
 * that no note has are not forgotten: the record stays if the person who runs the crawl has blocked the host or given
 * it a delay, or while its robots.txt is asked for. Call before the first record is made. */
void cw_engine_shared_forget_hosts(crawl_engine *engine);

/* Tells the frontier whether this process has more to push. Call when the engine begins to run, by when its seeds are
 * in, and when more is expected or no longer expected. */
void cw_engine_shared_feed(crawl_engine *engine);

/* Updates the shared figures after the run, so that the last ones are those of the end. Waits for them, but not for
 * long. */
void cw_engine_shared_look(crawl_engine *engine);
