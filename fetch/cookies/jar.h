/* Shared by the fetchers of a program: TLS sessions, so that a connection to a known host needs a shorter handshake,
 * and cookies if they are on. Thread-safe. */
#pragma once

#include "fetch/cookies/cookie_store.h"

#include <crawl/fetch.h>

#include <curl/curl.h>

/* Returns the libcurl share that holds the TLS sessions of the URL's host. */
CURLSH *cw_cookie_jar_share(crawl_jar *jar, crawl_slice url);

/* Returns the cookies of the jar; NULL: it stores none. */
cw_cookie_cookies *cw_cookie_jar_cookies(const crawl_jar *jar);
