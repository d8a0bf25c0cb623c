/* The hosts of a log: what robots.txt says, and whether trouble is followed by patience. */
#pragma once

#include "tools/audit/practices/practice.h"

#include <crawl/url.h>

typedef struct cw_practice_sites cw_practice_sites;

/* A request as far as its host is concerned. Borrowed. */
typedef struct cw_practice_request {
    uint64_t line;
    crawl_slice host;
    crawl_slice site; /* of a robots.txt: the origin that it is about */
    bool is_robots;
    bool is_free;  /* robots.txt needs not allow it */
    bool is_whole; /* the log has all that was asked before */
    int64_t start_us;
    int64_t pause_us;
    bool is_as_asked; /* the pause is the Crawl-delay of robots.txt */
    /* Of one that has ended: */
    int64_t end_us;
    int64_t status;
    const char *error; /* NULL: none */
    const char *rules; /* of a robots.txt; NULL: it was not read */
    bool is_held;
    bool asks_to_wait;
} cw_practice_request;

/* NULL: no memory. */
cw_practice_sites *cw_practice_sites_create(cw_practice_findings *findings);
void cw_practice_sites_free(cw_practice_sites *sites);

/* A run begins, which knows nothing of failures in the one before. */
void cw_practice_sites_begin(cw_practice_sites *sites);
/* A request leaves. CRAWL_ENOMEM. */
crawl_err cw_practice_sites_depart(cw_practice_sites *sites, const cw_practice_request *request, const crawl_url *url);
/* A request has ended. CRAWL_ENOMEM. */
crawl_err cw_practice_sites_end(cw_practice_sites *sites, const cw_practice_request *request);
/* There are no more requests. */
void cw_practice_sites_close(cw_practice_sites *sites);
