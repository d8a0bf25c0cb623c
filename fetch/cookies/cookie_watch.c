#include "fetch/cookies/cookie_watch.h"

bool cw_cookies_is_same(const cw_cookie *cookie, const cw_cookie_words *words, int64_t now_ms)
{
    const unsigned compared = CW_COOKIE_SECURE | CW_COOKIE_HTTP_ONLY;
    bool has_end = cookie->expires_ms != CW_COOKIE_SESSION && words->expires_ms != CW_COOKIE_SESSION;
    bool is_longer = has_end && words->expires_ms >= cookie->expires_ms &&
                     words->expires_ms - cookie->expires_ms <= (cookie->expires_ms - now_ms) / 8;
    return ((cookie->flags ^ words->flags) & compared) == 0 &&
           crawl_slice_equal(cw_cookie_value(cookie), words->value) &&
           (cookie->expires_ms == words->expires_ms || is_longer);
}

crawl_err cw_cookies_ask_watch(cw_cookie_cookies *cookies, const cw_cookie_shard *shard, const cw_cookie_place *place,
                               crawl_slice name, cw_cookie_words *words, int64_t now_ms, bool *is_done)
{
    *is_done = false;
    if (!cookies->watch)
        return CRAWL_OK;
    bool is_deleted = words->expires_ms <= now_ms;
    cw_cookie *had = cw_cookie_shard_same(cw_cookie_shard_find(shard, name), words);
    if (had && had->expires_ms <= now_ms)
        had = NULL;
    bool is_known = is_deleted ? !had : had && cw_cookies_is_same(had, words, now_ms);
    crawl_err err = cookies->watch(cookies->watch_user, place, name, words, is_deleted, is_known);
    if (!err && is_known && had)
        had->set_ms = words->set_ms;
    *is_done = is_known;
    return err;
}
