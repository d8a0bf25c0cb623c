/* Requests to a search engine, one at a time. */
#pragma once

#include <crawl/base.h>

typedef struct cw_index_http cw_index_http;

typedef struct cw_index_http_options {
    const char *url;     /* of the engine, http or https, without a path or with one that all requests begin with */
    const char *header;  /* NULL, or a header of every request: "Name: value" */
    const char *user;    /* NULL, or "NAME:PASSWORD" */
    const char *ca_file; /* NULL: the system's certificates */
    long timeout_s;      /* per request */
    bool shows_life;     /* writes {} to standard output before each request, for the crawl that waits */
} cw_index_http_options;

typedef struct cw_index_answer {
    int status;        /* 0: no answer */
    crawl_slice body;  /* valid until the next request */
    int64_t retry_ms;  /* from Retry-After; negative: none */
    const char *words; /* why there is no answer */
} cw_index_answer;

/* options are borrowed. CRAWL_ENOMEM. */
crawl_err cw_index_http_create(const cw_index_http_options *options, cw_index_http **out);
void cw_index_http_free(cw_index_http *http);

/* Sends a request. path begins with "/". type: of the body; NULL: no body. */
cw_index_answer cw_index_http_ask(cw_index_http *http, const char *method, const char *path, const char *type,
                                  crawl_slice body);
