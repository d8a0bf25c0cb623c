/* libcurl's codes in the classes of <crawl/fetch.h>. */
#ifndef CW_FETCH_CLASSIFY_H
#define CW_FETCH_CLASSIFY_H

#include <crawl/fetch.h>

#include <curl/curl.h>

/* text: what libcurl wrote into the error buffer; "": nothing. Some codes stand for several things that only the words
 * tell apart. */
crawl_fetch_error cw_classify(CURLcode code, const char *text);

#endif
