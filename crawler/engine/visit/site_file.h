/* The visit of a file about a site, robots.txt or tdmrep.json: the site is blocked until its answer is there, and its
 * redirects may lead to other hosts. */
#pragma once

#include "crawler/engine/visit/maker.h"

typedef struct cw_visit_site_file {
    const char *path;
    uint32_t tag;           /* of its requests */
    const char *cannot_ask; /* words for a failure to make its request */
} cw_visit_site_file;

/* Queues the request for the file of the visit's host, and ends the visit, whose own request follows it. */
void cw_visit_site_file_ask(cw_visit *visit, const cw_visit_site_file *file);

/* Finds the site of a visit for such a file, and parses its URL. CRAWL_ENOMEM, and errors of the frontier. */
crawl_err cw_visit_site_file_take_over(cw_visit *visit);

/* Follows a redirect; the request obeys the pause of the host that it goes to. False: the redirect leads nowhere. */
bool cw_visit_site_file_follow(cw_visit *visit, const crawl_response *response, const cw_visit_site_file *file);

/* Ends the visit and the crawl, since the file cannot be asked for. */
void cw_visit_site_file_fail(cw_visit *visit, const cw_visit_site_file *file, crawl_err err);
