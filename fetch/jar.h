/* What easy handles share: TLS sessions, and cookies when they are on. */
#ifndef CW_FETCH_JAR_H
#define CW_FETCH_JAR_H

#include <crawl/fetch.h>

#include <curl/curl.h>

CURLSH *cw_jar_share(crawl_jar *jar);

/* Does it keep cookies? */
bool cw_jar_keeps(const crawl_jar *jar);

/* Notes what an answer set; when there are too many all are forgotten. */
void cw_jar_count(crawl_jar *jar, const crawl_response *response);

#endif
