/* Seeds: a request per line, a URL or a JSON object; "#" starts a comment. */
#pragma once

#include "crawler/program/bare_seeds.h"

#include <crawl/engine.h>

typedef struct cw_program_seed_count {
    unsigned long taken;   /* queued now or before */
    unsigned long refused; /* the user was told of each */
} cw_program_seed_count;

/* Does this error end the reading of seeds, since it is about memory or the crawl's directory and not about one seed?
 */
bool cw_program_seeds_ends(crawl_err err);

/* Takes a seed, with the errors of crawl_engine_seed. The seed is borrowed for the call. */
typedef crawl_err (*cw_program_seed_take)(void *user, const crawl_seed *seed, crawl_error *error);

/* Calls take for each seed of path ("-": standard input), until its end or until stop becomes readable (-1: never). A
 * bad line, and one of more than CW_TOOL_LINE_ROW_MAX bytes, is told on standard error with its number and passed over.
 * CRAWL_DRAINED: stop was readable. CRAWL_EINVAL: path cannot be read (error says why).
 * CRAWL_EIO, CRAWL_ECORRUPT: the crawl's directory has failed. CRAWL_ENOMEM. */
crawl_err cw_program_seeds_each(const char *path, int stop, cw_program_seed_take take, void *user,
                                cw_program_seed_count *count, crawl_error *error);

/* Calls take for one URL of the command line. CRAWL_EPARSE, CRAWL_EINVAL: error says what is wrong with it. */
crawl_err cw_program_seeds_take_url(crawl_slice url, cw_program_seed_take take, void *user, crawl_error *error);

/* Calls take for the seed in an element of a Redis list: a line as in a file of seeds, or an object of scrapy-redis
 * with its "meta", which is not kept. Errors as those of take; CRAWL_EINVAL, CRAWL_EPARSE: it is no seed. A blank
 * element is passed over, and not counted. */
crawl_err cw_program_seeds_take_element(crawl_slice element, cw_program_seed_take take, void *user,
                                        cw_program_seed_count *count, crawl_error *error);

/* Queues the URLs of the command line and the seeds of config.program.seeds; those in Redis come while the crawl runs.
 * With
 * --state the next run knows if the process has ended before the last of them. resumed: there are seeds of earlier
 * runs. The exit status; the user was told of what failed. */
int cw_program_seeds_take_all(crawl_engine *engine, const crawl_config *config, bool resumed, int count, char **urls,
                              cw_program_bare_seeds *bare);

/* Tells the user that there is no seed; some: that none can be used. Returns CW_EXIT_USAGE. */
int cw_program_seeds_refuse(bool some);
