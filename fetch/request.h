/* Checks a request, copies it, and sets up an easy handle for it: URL, method, header lines, body, and cookies. libcurl
 * borrows these texts while the transfer runs. */
#pragma once

#include <crawl/fetch.h>

#include <curl/curl.h>

/* The texts that libcurl borrows while the transfer runs. {0} is an empty request; its memory is reused by the next. */
typedef struct cw_fetch_request {
    crawl_buf text; /* the URL, the target, the method and the header lines, each NUL-terminated, then the body */
    struct curl_slist *lines; /* an array whose items are also linked as a list */
    size_t line_capacity;
    crawl_buf cookie;   /* the values of the request's own Cookie lines */
    crawl_slice method; /* as sent */
    crawl_slice body;
    const struct curl_slist *sent; /* the list of header lines */
    bool special;                  /* more than a URL was set on the handle */
    bool is_replaced;              /* other header lines were set on the handle since then */
    bool has_target;               /* a target was set on the handle */
    bool has_range;                /* the request has a header Range */
} cw_fetch_request;

void cw_fetch_request_free(cw_fetch_request *request);

/* Returns the URL of the request that was applied last. */
static inline const char *cw_fetch_request_url(const cw_fetch_request *request)
{
    return request->text.data;
}

/* Returns the request with all members, including those of its access: given, or own if members are missing. NULL:
 * wrong size. */
const crawl_fetch_request *cw_fetch_request_whole(const crawl_fetch_request *given, crawl_fetch_request *own,
                                                  crawl_fetch_access *own_access);

/* Sets up easy for source. usual: headers that are sent unless source has them. CRAWL_EINVAL: see crawl_fetch.
 * CRAWL_ENOMEM. */
crawl_err cw_fetch_request_apply(cw_fetch_request *request, const crawl_fetch_request *source, struct curl_slist *usual,
                                 CURL *easy);

/* Makes the handle send these lines, whose last one links to request->sent, instead of the request's own. */
CURLcode cw_fetch_request_replace(cw_fetch_request *request, struct curl_slist *lines, CURL *easy);
