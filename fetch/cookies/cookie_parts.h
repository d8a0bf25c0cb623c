/* Shared by the files of a cookie store. */
#pragma once

#include "fetch/cookies/cookie_shard.h"
#include "fetch/cookies/cookie_store.h"

enum {
    /* More than the threads that would contend for one; all names below co.uk and similar share one. */
    CW_COOKIE_SHARDS = 64
};

struct cw_cookie_cookies {
    cw_cookie_shard shards[CW_COOKIE_SHARDS];
    size_t shard_count; /* initialised shards */
    uint64_t seed;
    atomic_size_t max_bytes;
    atomic_size_t total; /* bytes charged */
    atomic_uint_fast64_t changes;
    atomic_uint writings;
    cw_cookie_watch *watch; /* NULL: none */
    void *watch_user;
};

/* Returns the shard that a name is in. */
cw_cookie_shard *cw_cookies_shard_of(cw_cookie_cookies *cookies, crawl_slice host);
/* Stores a cookie, or removes it if it has expired. Call with the lock of the shard held. CRAWL_ENOMEM. */
crawl_err cw_cookies_keep(cw_cookie_cookies *cookies, cw_cookie_shard *shard, crawl_slice name,
                          const cw_cookie_words *words, int64_t now_ms);
/* Drops cookies if there are too many. Call with no lock held. */
void cw_cookies_make_room(cw_cookie_cookies *cookies, int64_t now_ms);

/* Returns true if this cookie would change nothing but the time when the other one was set. One that would only live a
 * little longer counts as the same: servers send it with every answer, and it is news only when an eighth of the
 * remaining time is over. */
bool cw_cookies_is_same(const cw_cookie *cookie, const cw_cookie_words *words, int64_t now_ms);

/* Asks the watch before a cookie is stored. Call with the lock of the shard held. *is_done: nothing is left to do.
 * Other than CRAWL_OK: the cookie must not be stored. place: NULL: no answer has set it. */
crawl_err cw_cookies_ask_watch(cw_cookie_cookies *cookies, const cw_cookie_shard *shard, const cw_cookie_place *place,
                               crawl_slice name, cw_cookie_words *words, int64_t now_ms, bool *is_done);
