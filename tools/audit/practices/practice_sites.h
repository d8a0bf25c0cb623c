/* The hosts of a log: their robots.txt, and whether the crawler backs off from trouble. */
#pragma once

#include "tools/audit/practices/practice.h"

#include <crawl/url.h>

typedef struct cw_practice_sites cw_practice_sites;

/* The facts of a request that concern its host. Borrowed. */
typedef struct cw_practice_request {
    uint64_t line;
    crawl_slice host;
    crawl_slice site; /* of a robots.txt: its origin */
    bool is_robots;
    bool is_free;  /* needs no permission by robots.txt */
    bool is_whole; /* the log has all earlier requests */
    int64_t start_us;
    int64_t pause_us;
    bool is_as_asked; /* the pause is the Crawl-delay of robots.txt */
    /* Of an ended request: */
    int64_t end_us;
    int64_t status;
    const char *error; /* NULL: none */
    const char *rules; /* of a robots.txt; NULL: not read */
    bool is_held;
    bool asks_to_wait;
} cw_practice_request;

/* NULL: out of memory. */
cw_practice_sites *cw_practice_sites_create(cw_practice_findings *findings);
void cw_practice_sites_free(cw_practice_sites *sites);

/* Begins a run, which does not know the failures of the last one. */
void cw_practice_sites_begin(cw_practice_sites *sites);
/* Takes a departing request. CRAWL_ENOMEM. */
crawl_err cw_practice_sites_depart(cw_practice_sites *sites, const cw_practice_request *request, const crawl_url *url);
/* Takes an ended request. CRAWL_ENOMEM. */
crawl_err cw_practice_sites_end(cw_practice_sites *sites, const cw_practice_request *request);
/* Call after the last request. */
void cw_practice_sites_close(cw_practice_sites *sites);
