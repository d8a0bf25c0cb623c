/* Seeds without a scheme, such as example.com or localhost:8000/a. They are asked by https, and by http if nobody
 * answers by https. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_program_bare_seeds cw_program_bare_seeds;

/* Ends the program when out of memory. */
cw_program_bare_seeds *cw_program_bare_seeds_create(void);
void cw_program_bare_seeds_free(cw_program_bare_seeds *bare);

/* Returns true if the text is the name or address of a host, with an optional port and path, and not a URL. */
bool cw_program_bare_seeds_is(crawl_slice text);

/* Queues the seed by https, with the errors of crawl_engine_seed. CRAWL_EPARSE: no URL even with a scheme. */
crawl_err cw_program_bare_seeds_take(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_seed *seed,
                                     crawl_error *error);

/* Tells the user how seeds without a scheme are asked. Call once all seeds were read. */
void cw_program_bare_seeds_say(const cw_program_bare_seeds *bare);

/* Queues the seed, with all that belongs to it, by http if this is the record of a seed that nobody answered by https.
 * Any thread may call it. */
void cw_program_bare_seeds_record(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_record *record);
