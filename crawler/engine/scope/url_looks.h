/* Facts told by a URL alone: its worth, its shape, and whether it has a user and a password. Pure. */
#pragma once

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/url.h>

#define CW_SCOPE_SCORE_LEAST (-1000000)

/* The priority, from 0 down to CW_SCOPE_SCORE_LEAST, that a link gets before its page is fetched, when crawl.order is
 * best and on_link sets no other.
 *
 * A seed has 0. From a link this is taken off; the weights stand in url_looks.c:
 *   100  for each link away from a seed
 *    10  for each segment of its path beyond the first
 *    20  for a query, and 5 for each of its parameters (filters, sorting, sessions)
 *     1  for each 10 bytes beyond 80
 *    30  if the page that links to it is not on the host of a seed
 * So what is near the seeds, short and plain comes first; two parameters weigh as much as three segments, and a page
 * one link nearer comes first unless much else speaks against it. The priority in a sitemap counts 100 from its
 * least priority to its highest. Among equals the frontier takes the one that was found first. */
int32_t cw_scope_score(const crawl_url *url, uint32_t depth, bool from_seed_host);

/* The shape of a URL, by which the guard against sites without end (trap.h) judges it: its length, the depth of its
 * path, and segments that repeat. */

/* How many segments may repeat together, and how many segments of a path are looked at: a look takes as many steps as
 * the product of the two. */
#define CW_SCOPE_SHAPE_PERIOD_MAX 16u
#define CW_SCOPE_SHAPE_SEGMENTS_MAX 1024u

/* Judges by the URL alone: crawl.max_url, max_path_depth, max_repeats. CRAWL_TRAP_NONE: it is within these limits. */
crawl_trap cw_scope_shape_judge(const crawl_config *config, const crawl_url *url);

/* User and password in URLs (RFC 3986, 3.2.1): they are taken out, so that no record, link or file has them. */

/* Does the URL have a user or a password? */
bool cw_scope_userinfo_is_there(const crawl_url *url);

/* Takes user and password out of the URL, and appends them, decoded, to user and password (NULL: not wanted).
 * CRAWL_ENOMEM: url is as it was. */
crawl_err cw_scope_userinfo_take(crawl_url *url, crawl_buf *user, crawl_buf *password);
