/* The bytes of a transfer as they went over the wire, for archives: what libcurl would otherwise keep to itself. */
#ifndef CW_FETCH_CAPTURE_H
#define CW_FETCH_CAPTURE_H

#include <crawl/base.h>

#include <curl/curl.h>

/* {0} is an empty one. */
typedef struct cw_fetch_capture {
    bool on;
    bool cut;        /* more came than max_body, or there was no memory: body is not all of it */
    bool in_fields;  /* within the header of an answer */
    size_t max_body; /* bytes of body kept; 0: no limit */
    crawl_buf sent;
    crawl_buf header; /* of the answer read last */
    crawl_buf body;   /* with its chunks and trailers */
} cw_fetch_capture;

/* Makes the handle tell what it sends and receives, or stop telling. CRAWL_EINVAL: libcurl does not; CRAWL_ENOMEM. */
crawl_err cw_fetch_capture_set(cw_fetch_capture *capture, CURL *easy, bool on, size_t max_body);

/* A request begins, for the first time or once more. Keeps the memory. */
void cw_fetch_capture_clear(cw_fetch_capture *capture);
/* Bytes of the body have come, as on the wire. */
void cw_fetch_capture_body(cw_fetch_capture *capture, crawl_slice bytes);

void cw_fetch_capture_free(cw_fetch_capture *capture);

#endif
