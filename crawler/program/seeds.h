/* Seeds: a request per line, a URL or a JSON object; "#" starts a comment. */
#ifndef CW_SEEDS_H
#define CW_SEEDS_H

#include <crawl/engine.h>

typedef struct cw_program_seed_count {
    unsigned long taken;   /* queued, or a seed before */
    unsigned long refused; /* each was named on standard error */
} cw_program_seed_count;

/* Is this no matter of one seed, but of memory or of the crawl's directory? */
bool cw_program_seeds_ends(crawl_err err);

/* Takes a seed, with the errors of crawl_engine_seed. The seed is borrowed for the call. */
typedef crawl_err (*cw_program_seed_take)(void *user, const crawl_seed *seed, crawl_error *error);

/* Gives take all seeds of path ("-": standard input), or as much as was read when stop becomes readable (-1: never). A
 * bad line is named on standard error with its number, and the others go on; so is one of more than
 * CW_TOOL_LINE_ROW_MAX bytes. CRAWL_DRAINED: stop was readable. CRAWL_EINVAL: path cannot be read (error says why).
 * CRAWL_EIO, CRAWL_ECORRUPT: the crawl's directory has failed. CRAWL_ENOMEM. */
crawl_err cw_program_seeds_each(const char *path, int stop, cw_program_seed_take take, void *user,
                                cw_program_seed_count *count, crawl_error *error);

/* Gives take one URL of the command line. CRAWL_EPARSE, CRAWL_EINVAL: error says what is wrong with it. */
crawl_err cw_program_seeds_take_url(crawl_slice url, cw_program_seed_take take, void *user, crawl_error *error);

/* Gives take the one seed that an element of a Redis list is: a line as of a file of seeds, or scrapy-redis's object
 * with its "meta", which is not kept. Errors as of take; CRAWL_EINVAL, CRAWL_EPARSE: it is no seed. A blank one is
 * none, and not counted. */
crawl_err cw_program_seeds_take_element(crawl_slice element, cw_program_seed_take take, void *user,
                                        cw_program_seed_count *count, crawl_error *error);

/* Queues the URLs of the command line and the seeds of config.seeds, unless that is Redis, whose
 * seeds come while the crawl runs. With --state no end of the process in between is
 * taken for the end of the seeds; resumed: there are seeds of runs before. An exit status, which was said. */
int cw_program_seeds_take_all(crawl_engine *engine, const crawl_config *config, bool resumed, int count, char **urls);

/* Says that there is no seed; some: none that can be used. CW_EXIT_USAGE. */
int cw_program_seeds_refuse(bool some);

#endif
