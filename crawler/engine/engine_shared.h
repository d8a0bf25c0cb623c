/* A crawl that this process shares with others through Redis, see <crawl/sys/shared.h>: which options it cannot have,
 * on which all processes have to agree, and when this one has nothing more to push by itself. */
#pragma once

#include <crawl/engine.h>

/* Makes the crawl of state.shared, or joins it. on_notes gets the engine whenever other processes have noted something,
 * as crawl_shared_options.on_notes. CRAWL_EINVAL: the URL, the password, an option that a shared crawl cannot have, or
 * one that differs from those it was made with. Otherwise as crawl_frontier_join. */
crawl_err cw_engine_shared_join(crawl_engine *engine, const crawl_frontier_options *options,
                                void (*on_notes)(void *user), crawl_error *error);

/* Lets records of hosts go away: what this process knows of a host is forgotten when it has the host no more, and found
 * in the host's note with its next session. Otherwise it would grow with each host that it ever had. Facts that no
 * note has are not forgotten: the record of a host that whoever runs the crawl has blocked or given a delay stays; so
 * does one whose robots.txt is being asked for. To be called before the first record is made. */
void cw_engine_shared_forget_hosts(crawl_engine *engine);

/* To be called when the engine begins to run, and when more is expected or no longer: seeds are in by the first. */
void cw_engine_shared_feed(crawl_engine *engine);

/* To be called when the engine has run, so that its last figures are those of the end. Waits for it, but not for long.
 */
void cw_engine_shared_look(crawl_engine *engine);
