/* The live view of a running crawl: an HTTP server for people (/), for scripts (/stats.json) and for Prometheus
 * (/metrics), in a thread and a loop of its own, which reads the engine's figures and does nothing else to it. */
#ifndef CW_LIVE_H
#define CW_LIVE_H

#include <crawl/engine.h>

typedef struct cw_live cw_live;

/* Binds what config->listen names; who asks is answered once it has started. config is borrowed. CRAWL_EIO: it cannot
 * be bound, error says why. CRAWL_ENOMEM. */
crawl_err cw_live_open(const crawl_config *config, cw_live **out, crawl_error *error);

/* "http://127.0.0.1:43521/", as it is bound. */
const char *cw_live_url(const cw_live *live);

/* engine must be there until cw_live_close. Once. CRAWL_ENOMEM: also for want of a thread. */
crawl_err cw_live_start(cw_live *live, crawl_engine *engine, crawl_error *error);

/* At once, whoever is being answered. NULL: nothing. */
void cw_live_close(cw_live *live);

#endif
