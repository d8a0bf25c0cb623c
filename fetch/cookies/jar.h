/* Shared by the fetchers of a program: TLS sessions, so that a connection to a known host needs a shorter handshake,
 * and cookies when they are on. Safe for use from many threads. */
#pragma once

#include "fetch/cookies/cookie_store.h"

#include <crawl/fetch.h>

#include <curl/curl.h>

/* The libcurl share that holds the TLS sessions of the URL's host. */
CURLSH *cw_cookie_jar_share(crawl_jar *jar, crawl_slice url);

/* The cookies of the jar; NULL: it keeps none. */
cw_cookie_cookies *cw_cookie_jar_cookies(const crawl_jar *jar);
