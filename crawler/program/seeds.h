/* Seeds: a request per line, a URL or a JSON object; "#" starts a comment. */
#pragma once

#include "crawler/program/bare_seeds.h"

#include <crawl/engine.h>

typedef struct cw_program_seed_count {
    unsigned long taken;   /* queued now or before */
    unsigned long refused; /* each was reported to the user */
} cw_program_seed_count;

/* Returns true if this error ends the reading of seeds: it concerns memory or the crawl's directory, not one seed. */
bool cw_program_seeds_ends(crawl_err err);

/* Takes a seed, with the errors of crawl_engine_seed. The seed is borrowed for the call. */
typedef crawl_err (*cw_program_seed_take)(void *user, const crawl_seed *seed, crawl_error *error);

/* Calls take for each seed of path ("-": standard input), until its end or until stop becomes readable (-1: never). A
 * bad line, or one longer than CW_TOOL_LINE_ROW_MAX bytes, is reported on standard error with its number and skipped.
 * CRAWL_DRAINED: stop was readable. CRAWL_EINVAL: path cannot be read (error says why).
 * CRAWL_EIO, CRAWL_ECORRUPT: the crawl's directory has failed. CRAWL_ENOMEM. */
crawl_err cw_program_seeds_each(const char *path, int stop, cw_program_seed_take take, void *user,
                                cw_program_seed_count *count, crawl_error *error);

/* Calls take for one URL of the command line. CRAWL_EPARSE, CRAWL_EINVAL: error says what is wrong. */
crawl_err cw_program_seeds_take_url(crawl_slice url, cw_program_seed_take take, void *user, crawl_error *error);

/* Calls take for the seed in an element of a Redis list: a line as in a file of seeds, or an object of scrapy-redis,
 * whose "meta" is not kept. A blank element is skipped and not counted. Errors as those of take; CRAWL_EINVAL,
 * CRAWL_EPARSE: not a seed. */
crawl_err cw_program_seeds_take_element(crawl_slice element, cw_program_seed_take take, void *user,
                                        cw_program_seed_count *count, crawl_error *error);

/* Queues the URLs of the command line and the seeds of config.program.seeds; seeds in Redis come while the crawl runs.
 * With --state, the next run knows if the process ended before the last seed. resumed: there are seeds of earlier runs.
 * Returns the exit status; failures were reported to the user. */
int cw_program_seeds_take_all(crawl_engine *engine, const crawl_config *config, bool resumed, int count, char **urls,
                              cw_program_bare_seeds *bare);

/* Tells the user that there is no seed, or no usable one (some). Returns CW_EXIT_USAGE. */
int cw_program_seeds_refuse(const crawl_config *config, bool some);
