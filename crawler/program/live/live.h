/* The live view of a running crawl: an HTTP server for people (/), for scripts (/stats.json and others) and for
 * Prometheus (/metrics). It has a thread and a loop of its own, so that no reader takes time from the crawl's
 * threads. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_live cw_live;

/* Binds the address of config->program.listen; cw_live_start starts to answer. config is borrowed. may_make: makes a
 * token for controlling the crawl if none is given. CRAWL_EIO: the address cannot be bound, or the token cannot be
 * read; CRAWL_EINVAL: not a token; error says why. CRAWL_ENOMEM. */
crawl_err cw_live_open(const crawl_config *config, bool may_make, cw_live **out, crawl_error *error);

/* Tells the user the URL of the page ("http://127.0.0.1:43521/"), and a token that was made. If config->program.listen
 * leaves the port to the system, prints the URL even with --quiet, because nobody could guess it. */
void cw_live_say_where(const cw_live *live);

/* Starts to answer. Call once. engine must live until cw_live_close. seeds: URLs of the command line, for display;
 * borrowed for the call. CRAWL_ENOMEM: out of memory, or no thread. */
crawl_err cw_live_start(cw_live *live, crawl_engine *engine, int seed_count, char **seeds, crawl_error *error);

/* Takes the record of a finished request. Any thread may call it, before cw_live_close. NULL is allowed. */
void cw_live_record(cw_live *live, const crawl_record *record);

/* Tells viewers how the crawl ended, and ends at once, even if an answer is incomplete. NULL is allowed. */
void cw_live_close(cw_live *live);
