/* The live view of a running crawl: an HTTP server for people (/), for scripts (/stats.json and others) and for
 * Prometheus (/metrics), in a thread and a loop of its own, so that no reader takes time from the crawl's threads. */
#ifndef CW_LIVE_H
#define CW_LIVE_H

#include <crawl/engine.h>

typedef struct cw_live cw_live;

/* Binds what config->listen names; who asks is answered once it has started. config is borrowed. may_make: where no
 * token is given, by which the crawl can be controlled, one is made. CRAWL_EIO: it cannot be bound, or the token cannot
 * be read; CRAWL_EINVAL: the token is none; error says why. CRAWL_ENOMEM. */
crawl_err cw_live_open(const crawl_config *config, bool may_make, cw_live **out, crawl_error *error);

/* The token that was made, which somebody must be told; NULL: none was. */
const char *cw_live_made_token(const cw_live *live);

/* "http://127.0.0.1:43521/", as it is bound. */
const char *cw_live_url(const cw_live *live);

/* engine must be there until cw_live_close. seeds: URLs of the command line, to be shown; borrowed for the call. Once.
 * CRAWL_ENOMEM: also for want of a thread. */
crawl_err cw_live_start(cw_live *live, crawl_engine *engine, int seed_count, char **seeds, crawl_error *error);

/* A request is finished. From any thread, before cw_live_close. NULL: nothing. */
void cw_live_record(cw_live *live, const crawl_record *record);

/* Tells viewers how the crawl ended, and ends at once, whoever is being answered. NULL: nothing. */
void cw_live_close(cw_live *live);

#endif
