/* The live view of a running crawl: an HTTP server for people (/), for scripts (/stats.json and others) and for
 * Prometheus (/metrics), in a thread and a loop of its own, so that no reader takes time from the crawl's threads. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_live cw_live;

/* Binds the address that config->program.listen names; requests are answered from cw_live_start on. config is borrowed.
 * may_make: if no token is given by which the crawl can be controlled, one is made. CRAWL_EIO: the address cannot be
 * bound, or the token cannot be read; CRAWL_EINVAL: it is not a token; error says why. CRAWL_ENOMEM. */
crawl_err cw_live_open(const crawl_config *config, bool may_make, cw_live **out, crawl_error *error);

/* Tells whoever runs the crawl where the page is ("http://127.0.0.1:43521/"), and a token that was made. Where
 * config->program.listen leaves the port to the system, the URL is told also with --quiet, for nobody could guess it.
 */
void cw_live_say_where(const cw_live *live);

/* Starts to answer; to be called once. engine must be there until cw_live_close. seeds: URLs of the command line, to
 * be shown; borrowed for the call. CRAWL_ENOMEM: there is no memory, or no thread. */
crawl_err cw_live_start(cw_live *live, crawl_engine *engine, int seed_count, char **seeds, crawl_error *error);

/* Takes the record of a finished request. From any thread, before cw_live_close. live NULL: does nothing. */
void cw_live_record(cw_live *live, const crawl_record *record);

/* Tells viewers how the crawl ended, and ends at once, even if an answer is not complete. NULL: does nothing. */
void cw_live_close(cw_live *live);
