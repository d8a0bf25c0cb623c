/* Seeds from a list of a Redis server, while the crawl runs. An element is first moved to a list of this process, and
 * leaves Redis when its URL is in the frontier. So a kill loses none, but may deliver those of one batch twice. If
 * several crawls use one list, each element goes to one of them. */
#pragma once

#include <crawl/engine.h>

#define CW_REMOTE_SEEDS_BATCH 100   /* seeds taken at once, which a kill may deliver twice */
#define CW_REMOTE_SEEDS_AHEAD 1000u /* take no more with this many requests queued; the rest is for other crawls */

typedef struct cw_remote_seeds cw_remote_seeds;

/* Checks the URL: "redis://...?list=KEY". CRAWL_EINVAL: error says what is wrong. */
crawl_err cw_remote_seeds_check(const char *url, crawl_error *error);

/* Connects as cw_remote_open does. From now on the engine does not end for lack of requests until the list is empty or,
 * with config->program.wait or config->revisit, at all. Call once the engine is created; notice is called on the
 * remote's thread. */
crawl_err cw_remote_seeds_open(const crawl_config *config, crawl_engine *engine,
                               void (*notice)(void *of, const char *words), void *of, cw_remote_seeds **out,
                               crawl_error *error);

/* CRAWL_EIO: no more seeds can be taken; cw_remote_seeds_close says why. Thread-safe. */
crawl_err cw_remote_seeds_failed(cw_remote_seeds *seeds);

/* Gives back seeds that are not in the frontier, ends the thread, and frees. Call before the engine is closed.
 * CRAWL_EIO: error says why no more could be taken. NULL is allowed. */
crawl_err cw_remote_seeds_close(cw_remote_seeds *seeds, crawl_error *error);
