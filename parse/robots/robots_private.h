/* What tests see of robots.c beyond <crawl/robots.h>. */
#ifndef CW_ROBOTS_PRIVATE_H
#define CW_ROBOTS_PRIVATE_H

#include <crawl/robots.h>

/* Appends what rules are matched with: the URL's path and, where it has one, "?" and query, normalized.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_subject(const crawl_url *url, crawl_buf *out);

/* The verdict on such a subject. */
crawl_robots_verdict cw_robots_decide(const crawl_robots *robots, crawl_slice subject);

#endif
