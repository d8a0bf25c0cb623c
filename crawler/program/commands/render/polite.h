/* Asks for a page and its parts as a crawl would: each site's robots.txt first, one request of a site at a time, a
 * pause between two, and no private address that the user did not name. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

struct event_base;

typedef struct cw_polite cw_polite;

/* The outcome of a request. Valid during the call. */
typedef struct cw_polite_answer {
    const crawl_response *response; /* with or without an error; NULL: the request was not made */
    const char *refused; /* why it was not: "robots.txt" forbids it; "port", which browsers do not ask, unless the user
                 named it; or why that cannot be had, "private", "dns", "no robots.txt" (5xx): then nothing is asked
                 (RFC 9309, 2.3.1.4). Static */
} cw_polite_answer;

/* Borrowed for the call that takes it. */
typedef struct cw_polite_request {
    crawl_slice url;     /* http or https */
    crawl_slice method;  /* empty: GET */
    crawl_slice headers; /* "Name: value" lines */
    crawl_slice body;
    void (*on_done)(void *user, const cw_polite_answer *answer); /* once; maybe from within the call */
    void *user;
} cw_polite_request;

/* Takes of config what says how to ask; it is borrowed, and must outlive the result. named: the URL that the user gave:
 * where its host is written as an address of a private network, or is localhost, it may be asked at its port. Empty:
 * none. CRAWL_EINVAL, CRAWL_EIO, CRAWL_ENOMEM, with words. */
crawl_err cw_polite_create(struct event_base *base, const crawl_config *config, crawl_slice named, cw_polite **out,
                           crawl_error *error);
/* Requests under way end, refused. Not from within a callback. */
void cw_polite_free(cw_polite *polite);

/* CRAWL_EINVAL: the request can be none; CRAWL_ENOMEM. Then on_done is not called. */
crawl_err cw_polite_ask(cw_polite *polite, const cw_polite_request *request);
