/* Maps the error codes of libcurl to the error classes of <crawl/fetch.h>, which callers see and which decide on
 * retries. */
#ifndef CW_FETCH_CLASSIFY_H
#define CW_FETCH_CLASSIFY_H

#include <crawl/fetch.h>

#include <curl/curl.h>

/* CURLE_TOO_LARGE, which has that name since libcurl 8.6: what libcurl receives or sends is too large. */
#define CW_FETCH_CURLE_TOO_LARGE ((CURLcode)100)

crawl_fetch_error cw_fetch_classify(CURLcode code);

#endif
