/* The options of a fetcher, checked and copied, and their translation into options of libcurl, which are set once on
 * each easy handle. */
#pragma once

#include <crawl/fetch.h>

#include <curl/curl.h>

typedef struct cw_fetch_settings {
    crawl_fetch_options options; /* strings are owned; NULL if not set */
    struct curl_slist *headers;  /* sent with each request that does not set them itself */
    bool lines_first;            /* header lines go to the write callback first: see cw_fetch_settings_init */
    long names_for_ever;         /* CURLOPT_DNS_CACHE_TIMEOUT of a transfer that drops no names: see there too */
} cw_fetch_settings;

/* Converts a result of curl_easy_setopt: CRAWL_ENOMEM, or CRAWL_EINVAL for an option or a value that libcurl
 * rejects. */
crawl_err cw_fetch_settings_err(CURLcode code);

/* Checks and copies options. CRAWL_EINVAL, CRAWL_EIO (ca_file), CRAWL_ENOMEM, each with words in error; settings must
 * still be freed.
 *
 * lines_first: libcurl 7.88 keeps a pointer to the last header of a handle's answer, frees that header when the handle
 * is reused, and reads and writes there if the next answer begins with a folded line. Versions from 8.2 on are trusted
 * not to do so. With earlier ones CURLOPT_HEADER is set: each header line goes to CURLOPT_WRITEFUNCTION, which must
 * refuse such a line, before libcurl stores it, and then to CURLOPT_HEADERFUNCTION. Trailers do not.
 *
 * names_for_ever: -1 keeps libcurl 7 from looking for names to drop. 8.14 takes -1 for an age that all names have
 * passed, and drops them all. */
crawl_err cw_fetch_settings_init(cw_fetch_settings *settings, const crawl_fetch_options *options, crawl_error *error);
void cw_fetch_settings_free(cw_fetch_settings *settings);

/* Sets all options of easy that are the same for each request, except for callbacks. */
CURLcode cw_fetch_settings_apply(const cw_fetch_settings *settings, CURL *easy);

/* Sets the options of an access, except for headers, after cw_fetch_settings_apply. The handle must not be reused for
 * anything else. */
CURLcode cw_fetch_settings_route(const cw_fetch_settings *settings, CURL *easy, const crawl_fetch_access *access);

/* Returns the limit of a body as a size. 0 stands for no limit. */
size_t cw_fetch_settings_body_limit(uint64_t max_body_bytes);
