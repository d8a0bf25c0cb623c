/* Properties of a URL by itself: its worth, its shape, and whether it has a user and a password. Pure. */
#pragma once

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/url.h>

#define CW_SCOPE_SCORE_LEAST (-1000000)

/* Returns the priority of a link, from 0 down to CW_SCOPE_SCORE_LEAST, for crawl.order = best, if on_link sets no
 * other.
 *
 * A seed has 0. A link loses points as follows; url_looks.c has the weights:
 *   100  for each link away from a seed
 *    10  for each segment of its path beyond the first
 *    20  for a query, and 5 for each of its parameters (filters, sorting, sessions)
 *     1  for each 10 bytes beyond 80
 *    30  if the page that links to it is not on the host of a seed
 * So short and plain URLs near the seeds come first. Two parameters weigh as much as three segments, and a page one
 * link nearer comes first unless much else speaks against it. The priority in a sitemap is worth 100 from its lowest to
 * its highest value. Among equals the frontier takes the one found first. */
int32_t cw_scope_score(const crawl_url *url, uint32_t depth, bool from_seed_host);

/* The shape of a URL, by which the guard against sites without end (trap.h) judges it: its length, the depth of its
 * path, and repeated segments. */

/* The most segments that may repeat together, and the most segments of a path that are examined: the steps are the
 * product of the two. */
#define CW_SCOPE_SHAPE_PERIOD_MAX 16u
#define CW_SCOPE_SHAPE_SEGMENTS_MAX 1024u

/* Judges by the URL alone: crawl.max_url, max_path_depth, max_repeats. CRAWL_TRAP_NONE: within these limits. */
crawl_trap cw_scope_shape_judge(const crawl_config *config, const crawl_url *url);

/* User and password in URLs (RFC 3986, 3.2.1): they are taken out, so that they get into no record, link or file. */

/* Returns true if the URL has a user or a password. */
bool cw_scope_userinfo_is_there(const crawl_url *url);

/* Takes user and password out of the URL, and appends them, decoded, to user and password (NULL: not wanted).
 * CRAWL_ENOMEM: url is unchanged. */
crawl_err cw_scope_userinfo_take(crawl_url *url, crawl_buf *user, crawl_buf *password);
