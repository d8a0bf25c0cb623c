/* Seeds out of a list of a Redis server, for as long as the crawl runs. An element is moved to a list of this process
 * first, and leaves Redis when its URL is in the frontier; so a kill loses none, and may bring those of one batch
 * twice. With several crawls on one list each element goes to one of them. */
#pragma once

#include <crawl/engine.h>

#define CW_REMOTE_SEEDS_BATCH 100   /* seeds taken at once, which come twice after a kill */
#define CW_REMOTE_SEEDS_AHEAD 1000u /* requests queued with which no more seeds are taken: the rest is for others */

typedef struct cw_remote_seeds cw_remote_seeds;

/* Is the URL right? "redis://...?list=KEY". CRAWL_EINVAL: error says what is wrong. */
crawl_err cw_remote_seeds_check(const char *url, crawl_error *error);

/* Connects, see cw_remote_open. From now on the engine does not end for want of requests until the list is empty or,
 * with config->program.wait or config->revisit, at all. To be called when the engine is made; notice is called on the
 * remote's thread. */
crawl_err cw_remote_seeds_open(const crawl_config *config, crawl_engine *engine,
                               void (*notice)(void *of, const char *words), void *of, cw_remote_seeds **out,
                               crawl_error *error);

/* Can no more seeds be taken? Then CRAWL_EIO; cw_remote_seeds_close tells why. Thread-safe. */
crawl_err cw_remote_seeds_failed(cw_remote_seeds *seeds);

/* Gives seeds back that are not in the frontier, ends the thread, and frees the memory. To be called before the engine
 * is closed. CRAWL_EIO: error says why no more could be taken. NULL is fine. */
crawl_err cw_remote_seeds_close(cw_remote_seeds *seeds, crawl_error *error);
