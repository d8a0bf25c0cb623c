/* Shared by the files of a cookie store. */
#pragma once

#include "fetch/cookies/cookie_shard.h"
#include "fetch/cookies/cookie_store.h"

enum {
    /* More than the threads that would meet in one; all names below co.uk and the like share one. */
    CW_COOKIE_SHARDS = 64
};

struct cw_cookie_cookies {
    cw_cookie_shard shards[CW_COOKIE_SHARDS];
    size_t shard_count; /* shards that were initialized */
    uint64_t seed;
    atomic_size_t max_bytes;
    atomic_size_t total; /* bytes charged */
    atomic_uint_fast64_t changes;
    atomic_uint writings;
    cw_cookie_watch *watch; /* NULL: nobody wants to know */
    void *watch_user;
};

/* The shard that a name is in. */
cw_cookie_shard *cw_cookies_shard_of(cw_cookie_cookies *cookies, crawl_slice host);
/* Under the lock of the shard: keeps a cookie, or removes it where it has expired. CRAWL_ENOMEM. */
crawl_err cw_cookies_keep(cw_cookie_cookies *cookies, cw_cookie_shard *shard, crawl_slice name,
                          const cw_cookie_words *words, int64_t now_ms);
/* Under no lock: drops cookies where there are too many. */
void cw_cookies_make_room(cw_cookie_cookies *cookies, int64_t now_ms);

/* Would this cookie change nothing but the time when the other one was set? One that would only last a little longer
 * counts as the same: servers send it with every answer, and it is news when an eighth of what is left is over. */
bool cw_cookies_is_same(const cw_cookie *cookie, const cw_cookie_words *words, int64_t now_ms);

/* Under the lock of the shard, before the cookie is kept. *is_done: nothing is left to be done. Other than CRAWL_OK: it
 * is not to be kept. place: NULL: no answer has set it. */
crawl_err cw_cookies_ask_watch(cw_cookie_cookies *cookies, const cw_cookie_shard *shard, const cw_cookie_place *place,
                               crawl_slice name, cw_cookie_words *words, int64_t now_ms, bool *is_done);
