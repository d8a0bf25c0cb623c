/* The cookies of a crawl between its runs: read at the start, written from time to time and at the end. */
#pragma once

#include "config/config_values.h"

#include <crawl/engine.h>

/* The first bytes of a cookie file. */
#define CW_HOST_COOKIES_HEAD "# Netscape HTTP Cookie File\n# Written by crawl; it will be replaced as a whole.\n\n"

/* Digits of a digest, in SHA-1. */
enum { CW_HOST_COOKIES_DIGITS = 40 };

typedef struct cw_host_cookie_saver cw_host_cookie_saver;

static inline bool cw_host_cookies_wanted(const crawl_config *config)
{
    return config->cookies || config->cookies_file || config->cookies_save;
}
/* Creates the jar if cookies are wanted, and fills it unless other processes share the crawl. Call after the state is
 * open. If the state has cookies already, those of the user's file replace them only if it has other contents than the
 * file read last; if the state does not know these, only if it is newer. On return the state has the contents of the
 * user's file. CRAWL_EINVAL: cookies_save exists and is not a regular file; CRAWL_EPARSE: not a cookie file, error says
 * where; CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_host_cookies_open(crawl_engine *engine, crawl_error *error);
/* Writes the cookies to their files if something has changed. Does nothing in a crawl that other processes share. Call
 * after all workers have ended. */
crawl_err cw_host_cookies_save(crawl_engine *engine, crawl_error *error);
/* Begins to write the cookies if it is time to, and does not wait. Called from time to time by worker 0. */
void cw_host_cookies_tick(crawl_engine *engine);
/* Writes the digest of a user's file, and a NUL. CRAWL_ENOMEM. */
crawl_err cw_host_cookies_digest(crawl_slice text, char digits[CW_HOST_COOKIES_DIGITS + 1]);
/* Returns true if there is nothing to write. */
bool cw_host_cookies_are_saved(const crawl_engine *engine);
/* Call after the last save. */
void cw_host_cookie_saver_free(cw_host_cookie_saver *cookies);
