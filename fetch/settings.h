/* The options of a fetcher, checked and copied, and what libcurl is told of them once per easy handle. */
#ifndef CW_FETCH_SETTINGS_H
#define CW_FETCH_SETTINGS_H

#include <crawl/fetch.h>

#include <curl/curl.h>

typedef struct cw_fetch_settings {
    crawl_fetch_options options; /* strings are ours; NULL where none */
    struct curl_slist *headers;  /* sent with each request that does not set them itself */
    bool new_handles;            /* an easy handle serves one transfer: see cw_fetch_settings_init */
    long names_for_ever;         /* CURLOPT_DNS_CACHE_TIMEOUT of a transfer that forgets no names: likewise */
} cw_fetch_settings;

/* What libcurl says when it is told an option, as an error of ours: CRAWL_ENOMEM, or CRAWL_EINVAL for a value or an
 * option that it does not take. */
crawl_err cw_fetch_settings_err(CURLcode code);

/* CRAWL_EINVAL, CRAWL_EIO (ca_file), CRAWL_ENOMEM with words; settings is to be freed all the same.
 *
 * libcurl 7.88 keeps a pointer to the last header of a handle's answer, frees that header when the handle is used
 * again, and reads and writes there if the next answer begins with a folded line. Versions from 8.2 on are trusted not
 * to; with earlier ones no handle is used again.
 *
 * -1 keeps libcurl 7 from looking for names to forget; 8.14 takes it for an age that all names are beyond, and forgets
 * them all. */
crawl_err cw_fetch_settings_init(cw_fetch_settings *settings, const crawl_fetch_options *options, crawl_error *error);
void cw_fetch_settings_free(cw_fetch_settings *settings);

/* Everything about easy that no request changes, but for callbacks. */
CURLcode cw_fetch_settings_apply(const cw_fetch_settings *settings, CURL *easy);

/* What access says beyond headers, on top of that. The handle is not to be used again for anything else. */
CURLcode cw_fetch_settings_route(const cw_fetch_settings *settings, CURL *easy, const crawl_fetch_access *access);

/* The limit of a body as a size. 0: none. */
size_t cw_fetch_settings_body_limit(uint64_t max_body_bytes);

#endif
