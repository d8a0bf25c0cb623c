/* Requests a page and its parts as a crawl would: the robots.txt of each site first, one request per site at a time, a
 * pause between two, and no private address unless the user named it. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

struct event_base;

typedef struct cw_polite cw_polite;

/* The outcome of a request. Valid during the call. */
typedef struct cw_polite_answer {
    const crawl_response *response; /* with or without an error; NULL: no request was made */
    const char *refused; /* why none was made: "robots.txt" forbids it; "port": browsers do not use it, and the user did
                          * not name it; or why there is no robots.txt, in which case nothing is requested (RFC
                          * 9309, 2.3.1.4): "private", "dns", "no robots.txt" (5xx). Static */
} cw_polite_answer;

/* Borrowed for the call that takes it. */
typedef struct cw_polite_request {
    crawl_slice url;     /* http or https */
    crawl_slice method;  /* empty: GET */
    crawl_slice headers; /* "Name: value" lines */
    crawl_slice body;
    void (*on_done)(void *user, const cw_polite_answer *answer); /* once; perhaps within the call */
    void *user;
} cw_polite_request;

/* Creates a requester. config says how to request; it is borrowed, and must outlive the result. named: the URL that the
 * user gave, which may be requested at its port if its host is a private address or localhost. Empty: none.
 * CRAWL_EINVAL, CRAWL_EIO, CRAWL_ENOMEM, with words. */
crawl_err cw_polite_create(struct event_base *base, const crawl_config *config, crawl_slice named, cw_polite **out,
                           crawl_error *error);
/* Ends requests under way as refused. Must not be called from a callback. */
void cw_polite_free(cw_polite *polite);

/* Queues a request. CRAWL_EINVAL: not a valid request; CRAWL_ENOMEM. Then on_done is not called. */
crawl_err cw_polite_ask(cw_polite *polite, const cw_polite_request *request);
