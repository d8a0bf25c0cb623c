/* Rates a link before its page is fetched: the priority that links get when crawl.order is best, unless on_link sets
 * another.
 *
 * A seed has 0. From a link this is taken off; the weights stand in score.c:
 *   100  for each link away from a seed
 *    10  for each segment of its path beyond the first
 *    20  for a query, and 5 for each of its parameters (filters, sorting, sessions)
 *     1  for each 10 bytes beyond 80
 *    30  if the page that links to it is not on the host of a seed
 * So what is near the seeds, short and plain comes first; two parameters weigh as much as three segments, and a page
 * one link nearer comes first unless much else speaks against it. What a sitemap says of its URLs counts 100 from its
 * least priority to its highest. Among equals the frontier takes the one that was found first. */
#ifndef CW_SCOPE_SCORE_H
#define CW_SCOPE_SCORE_H

#include <crawl/url.h>

#define CW_SCOPE_SCORE_LEAST (-1000000)

/* The priority, from 0 down to CW_SCOPE_SCORE_LEAST. Pure. */
int32_t cw_scope_score(const crawl_url *url, uint32_t depth, bool from_seed_host);

#endif
