/* The cookies of a crawl between its runs: read at the start, written now and then and at the end. */
#pragma once

#include "config/config_values.h"

#include <crawl/engine.h>

/* The first bytes of a file of cookies. */
#define CW_HOST_COOKIES_HEAD "# Netscape HTTP Cookie File\n# Written by crawl; it will be replaced as a whole.\n\n"

typedef struct cw_host_cookie_saver cw_host_cookie_saver;

static inline bool cw_host_cookies_wanted(const crawl_config *config)
{
    return config->cookies || config->cookies_file || config->cookies_save;
}
/* Makes the jar, if cookies are wanted, and reads what is to be in it, unless others share the crawl; after the state
 * is open. The state has what was in the user's file when this returns. CRAWL_EINVAL: cookies_save is there and no
 * regular file; CRAWL_EPARSE: a file that is none, error says where; CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_host_cookies_open(crawl_engine *engine, crawl_error *error);
/* Writes the cookies to their files, if there are any and something has changed; not those of a crawl that others
 * share. To be called after all workers have ended. */
crawl_err cw_host_cookies_save(crawl_engine *engine, crawl_error *error);
/* To be called now and then by worker 0: begins to write the cookies, and does not wait. */
void cw_host_cookies_tick(crawl_engine *engine);
/* Would a tick find nothing to write? */
bool cw_host_cookies_are_saved(const crawl_engine *engine);
/* To be called after the last save. */
void cw_host_cookie_saver_free(cw_host_cookie_saver *cookies);
