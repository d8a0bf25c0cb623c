/* A request checked, copied, and told to an easy handle. */
#ifndef CW_FETCH_REQUEST_H
#define CW_FETCH_REQUEST_H

#include <crawl/fetch.h>

#include <curl/curl.h>

/* What libcurl borrows while the transfer runs. {0} is an empty one; its memory is used again by the next request. */
typedef struct cw_fetch_request {
    crawl_buf text;           /* URL first, target, method, header lines, each ended by NUL; the body */
    struct curl_slist *lines; /* an array; linked */
    size_t line_capacity;
    crawl_buf cookie; /* what the request's own Cookie lines say, without the name */
    bool special;     /* the handle was told more than a URL */
    bool has_target;  /* the handle was told a target */
    bool has_range;   /* a part of the page was asked for */
} cw_fetch_request;

void cw_fetch_request_free(cw_fetch_request *request);

/* Of the request that was applied last. */
static inline const char *cw_fetch_request_url(const cw_fetch_request *request)
{
    return request->text.data;
}

/* Sets easy up for source. usual: the headers that are sent unless source has them.
 * CRAWL_EINVAL: see crawl_fetch. CRAWL_ENOMEM. */
crawl_err cw_fetch_request_apply(cw_fetch_request *request, const crawl_fetch_request *source, struct curl_slist *usual,
                                 CURL *easy);

#endif
