/* Asks whoever watches a cookie store. */
#ifndef CW_COOKIE_WATCH_H
#define CW_COOKIE_WATCH_H

#include "fetch/cookies/cookie_parts.h"

/* Would this cookie change nothing but the time when the other one was set? One that would only last a little longer
 * counts as the same: servers send it with every answer, and it is news when an eighth of what is left is over. */
bool cw_cookies_is_same(const cw_cookie *cookie, const cw_cookie_words *words, int64_t now_ms);

/* Under the lock of the shard, before the cookie is kept. *is_done: nothing is left to be done. Other than CRAWL_OK: it
 * is not to be kept. place: NULL: no answer has set it. */
crawl_err cw_cookies_ask_watch(cw_cookie_cookies *cookies, const cw_cookie_shard *shard, const cw_cookie_place *place,
                               crawl_slice name, cw_cookie_words *words, int64_t now_ms, bool *is_done);

#endif
