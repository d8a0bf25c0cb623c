/* The shape of a URL, by which the guard against sites without end (trap.h) judges it: its length, the depth of its
 * path, and segments that repeat. Pure. */
#ifndef CW_SCOPE_SHAPE_H
#define CW_SCOPE_SHAPE_H

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/url.h>

/* How many segments may repeat together, and how many segments of a path are looked at: a look takes as many steps as
 * the product of the two. */
#define CW_SCOPE_SHAPE_PERIOD_MAX 16u
#define CW_SCOPE_SHAPE_SEGMENTS_MAX 1024u

/* Judges by the URL alone: crawl.max_url, max_path_depth, max_repeats. CRAWL_TRAP_NONE: it is within these limits. */
crawl_trap cw_scope_shape_judge(const crawl_config *config, const crawl_url *url);

#endif
