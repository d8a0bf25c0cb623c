/* What the fetchers of a program share: TLS sessions, and cookies when they are on. */
#ifndef CW_FETCH_JAR_H
#define CW_FETCH_JAR_H

#include "fetch/cookie_store.h"

#include <crawl/fetch.h>

#include <curl/curl.h>

CURLSH *cw_jar_share(crawl_jar *jar);

/* NULL: it keeps none. */
cw_cookies *cw_jar_cookies(const crawl_jar *jar);

#endif
