/* Captures the bytes of a transfer as sent over the wire, which archives (WARC) need and which libcurl passes only to
 * its debug function: the request as sent, the header of the last answer, and the body with its chunks and trailers. */
#pragma once

#include <crawl/base.h>

#include <curl/curl.h>

/* A capture; {0} is an empty one. */
typedef struct cw_fetch_capture {
    bool on;
    bool cut;        /* body exceeded max_body, or memory ran out: body is incomplete */
    bool in_fields;  /* the header of an answer is being read */
    size_t max_body; /* maximum bytes of body; 0: no limit */
    crawl_buf sent;
    crawl_buf header; /* of the last answer read */
    crawl_buf body;   /* with its chunks and trailers */
} cw_fetch_capture;

/* Makes the handle report what it sends and receives, or stop reporting. CRAWL_EINVAL: not supported by this libcurl;
 * CRAWL_ENOMEM. */
crawl_err cw_fetch_capture_set(cw_fetch_capture *capture, CURL *easy, bool on, size_t max_body);

/* Empties the capture but keeps its memory. Must be called when a request begins or is repeated. */
void cw_fetch_capture_clear(cw_fetch_capture *capture);
/* Takes bytes of the body, as on the wire. */
void cw_fetch_capture_body(cw_fetch_capture *capture, crawl_slice bytes);

void cw_fetch_capture_free(cw_fetch_capture *capture);
