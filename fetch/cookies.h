/* What the handles of one fetcher share: TLS sessions, and cookies when they are on. */
#ifndef CW_FETCH_COOKIES_H
#define CW_FETCH_COOKIES_H

#include <crawl/fetch.h>

#include <curl/curl.h>

typedef struct cw_cookies {
    CURLSH *share;
    bool on;
    size_t set; /* by servers since they were last counted, and those found then */
} cw_cookies;

/* CRAWL_ENOMEM: cookies is to be freed all the same. */
crawl_err cw_cookies_init(cw_cookies *cookies, bool on);

/* No easy handle may use the share any more. */
void cw_cookies_free(cw_cookies *cookies);

/* Notes what an answer set; when there are too many all are forgotten. easy: any that uses the share and is not running. */
void cw_cookies_count(cw_cookies *cookies, CURL *easy, const crawl_response *response);

#endif
