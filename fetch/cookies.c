/* libcurl keeps every cookie it is given, on every host, without an end. It has no cheap way to say how many they are: so
 * Set-Cookie fields are counted, and the cookies themselves only when there were enough fields to be too many. */
#include "fetch/cookies.h"

#include "base/bytes.h"

/* Of all hosts together: some 20 MiB. A crawl that needs cookies needs those of a few sites. */
#define MAX_COOKIES ((size_t)100 * 1000)

crawl_err cw_cookies_init(cw_cookies *cookies, bool on)
{
    cookies->on = on;
    cookies->set = 0;
    cookies->share = curl_share_init();
    if (!cookies->share || curl_share_setopt(cookies->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
        return CRAWL_ENOMEM;
    if (on && curl_share_setopt(cookies->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK)
        return CRAWL_ENOMEM;
    return CRAWL_OK;
}

void cw_cookies_free(cw_cookies *cookies)
{
    if (cookies->share)
        curl_share_cleanup(cookies->share);
    *cookies = (cw_cookies){0};
}

static size_t count_all(CURL *easy)
{
    struct curl_slist *list = NULL;
    curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list);
    size_t count = 0;
    for (const struct curl_slist *cookie = list; cookie; cookie = cookie->next)
        count++;
    curl_slist_free_all(list);
    return count;
}

static size_t count_fields(const crawl_response *response)
{
    crawl_slice name = crawl_slice_from("set-cookie");
    size_t count = 0;
    for (size_t i = 0; i < response->header_count; i++)
        count += cw_equal_nocase(response->headers[i].name, name);
    return count;
}

void cw_cookies_count(cw_cookies *cookies, CURL *easy, const crawl_response *response)
{
    if (!cookies->on)
        return;
    cookies->set += count_fields(response);
    if (cookies->set <= MAX_COOKIES)
        return;
    cookies->set = count_all(easy);
    if (cookies->set <= MAX_COOKIES / 2)
        return;
    curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");
    cookies->set = 0;
}
