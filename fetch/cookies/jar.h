/* What the fetchers of a program share: TLS sessions, and cookies when they are on. */
#ifndef CW_COOKIE_JAR_H
#define CW_COOKIE_JAR_H

#include "fetch/cookies/cookie_store.h"

#include <crawl/fetch.h>

#include <curl/curl.h>

/* With the sessions of the host that this URL asks for. */
CURLSH *cw_cookie_jar_share(crawl_jar *jar, crawl_slice url);

/* NULL: it keeps none. */
cw_cookie_cookies *cw_cookie_jar_cookies(const crawl_jar *jar);

#endif
