/* Keeps the bytes of a transfer as they went over the wire, which archives (WARC) ask for and which libcurl shows only
 * to its debug function: the request as sent, the header of the last answer, and the body with its chunks and
 * trailers. */
#pragma once

#include <crawl/base.h>

#include <curl/curl.h>

/* {0} is an empty one. */
typedef struct cw_fetch_capture {
    bool on;
    bool cut;        /* more came than max_body, or there was no memory: body is not all of it */
    bool in_fields;  /* the header of an answer is being read */
    size_t max_body; /* bytes of body kept; 0: no limit */
    crawl_buf sent;
    crawl_buf header; /* of the answer read last */
    crawl_buf body;   /* with its chunks and trailers */
} cw_fetch_capture;

/* Makes the handle tell what it sends and receives, or stop telling. CRAWL_EINVAL: this libcurl cannot;
 * CRAWL_ENOMEM. */
crawl_err cw_fetch_capture_set(cw_fetch_capture *capture, CURL *easy, bool on, size_t max_body);

/* To be called when a request begins, or is sent once more. Empties the capture and keeps its memory. */
void cw_fetch_capture_clear(cw_fetch_capture *capture);
/* Takes bytes of the body, as they were on the wire. */
void cw_fetch_capture_body(cw_fetch_capture *capture, crawl_slice bytes);

void cw_fetch_capture_free(cw_fetch_capture *capture);
