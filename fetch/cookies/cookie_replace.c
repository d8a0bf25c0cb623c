/* What others know of the cookies of a host takes the place of what is kept of it here. */
#include "fetch/cookies/cookie_watch.h"

typedef struct replacement {
    const cw_cookie_words *words;
    size_t count;
    int64_t as_of_ms;
} replacement;

static bool cookie_replace_is_kept(void *user, const cw_cookie *cookie)
{
    const replacement *r = user;
    bool is_there = cookie->set_ms >= r->as_of_ms;
    for (size_t i = 0; i < r->count && !is_there; i++)
        is_there = ((cookie->flags ^ r->words[i].flags) & CW_COOKIE_HOST_ONLY) == 0 &&
                   crawl_slice_equal(cw_cookie_name(cookie), r->words[i].name) &&
                   crawl_slice_equal(cw_cookie_path(cookie), r->words[i].path);
    return is_there;
}

/* What others know is older than what is kept here. */
static void tell_again(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie *cookie)
{
    cw_cookie_words words = {.name = cw_cookie_name(cookie),
                             .value = cw_cookie_value(cookie),
                             .path = cw_cookie_path(cookie),
                             .expires_ms = cookie->expires_ms,
                             .set_ms = cookie->set_ms,
                             .flags = cookie->flags};
    if (cookies->watch)
        (void)cookies->watch(cookies->watch_user, NULL, name, &words, false, false);
}

static crawl_err replace_one(cw_cookie_cookies *cookies, cw_cookie_shard *shard, crawl_slice name,
                             const cw_cookie_words *words, int64_t now_ms)
{
    const cw_cookie *had = cw_cookie_shard_same(cw_cookie_shard_find(shard, name), words);
    bool is_newer = had && had->set_ms > words->set_ms && had->expires_ms > now_ms;
    if (is_newer && (words->expires_ms <= now_ms || !cw_cookies_is_same(had, words, now_ms)))
        tell_again(cookies, name, had);
    return is_newer ? CRAWL_OK : cw_cookies_keep(cookies, shard, name, words, now_ms);
}

crawl_err cw_cookies_replace(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, size_t count,
                             int64_t as_of_ms, int64_t now_ms)
{
    replacement r = {.words = words, .count = count, .as_of_ms = as_of_ms};
    cw_cookie_shard *shard = cw_cookies_shard_of(cookies, name);
    crawl_err err = CRAWL_OK;
    pthread_mutex_lock(&shard->lock);
    cw_cookie_host *host = cw_cookie_shard_find(shard, name);
    if (host)
        cw_cookie_shard_keep(shard, host, cookie_replace_is_kept, &r);
    for (size_t i = 0; i < count && !err; i++)
        err = replace_one(cookies, shard, name, &words[i], now_ms);
    pthread_mutex_unlock(&shard->lock);
    cw_cookies_make_room(cookies, now_ms);
    return err;
}
