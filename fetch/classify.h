/* libcurl's codes in the classes of <crawl/fetch.h>. */
#ifndef CW_FETCH_CLASSIFY_H
#define CW_FETCH_CLASSIFY_H

#include <crawl/fetch.h>

#include <curl/curl.h>

/* CURLE_TOO_LARGE, which has that name since libcurl 8.6: of what it receives or sends. */
#define CW_FETCH_CURLE_TOO_LARGE ((CURLcode)100)

crawl_fetch_error cw_fetch_classify(CURLcode code);

#endif
