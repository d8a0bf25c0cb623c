/* Seeds that people write as they say them, example.com or localhost:8000/a: https is asked, and http where nobody
 * answers by https. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_program_bare_seeds cw_program_bare_seeds;

/* Ends the program where there is no memory. */
cw_program_bare_seeds *cw_program_bare_seeds_create(void);
void cw_program_bare_seeds_free(cw_program_bare_seeds *bare);

/* Is this the name or address of a host, maybe with a port and a path, and no URL? */
bool cw_program_bare_seeds_is(crawl_slice text);

/* Queues the seed by https. As crawl_engine_seed, but CRAWL_EPARSE with the text as it was given. */
crawl_err cw_program_bare_seeds_take(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_seed *seed,
                                     crawl_error *error);

/* Says, once all seeds were read, what was taken for https. */
void cw_program_bare_seeds_say(const cw_program_bare_seeds *bare);

/* Queues the seed by http where this is the record of one that https did not answer. From any thread. */
void cw_program_bare_seeds_record(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_record *record);
