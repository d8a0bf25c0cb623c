/* Reports for people: the progress line while crawling, and the summary at the end. */
#pragma once

#include "config/config_values.h"
#include <crawl/engine.h>
#include <crawl/sys/bound.h>
#include <crawl/sys/explain.h>

/* Appends the progress line, of at most `columns` characters and without a line end. previous: earlier figures, for the
 * pace. */
void cw_report_progress(const crawl_engine_stats *now, const crawl_engine_stats *previous, unsigned columns,
                        crawl_buf *out);

/* Appends a line for one request. */
void cw_report_record(const crawl_record *record, crawl_buf *out);

/* Returns true if a page came, or an answer that one has not changed. */
static inline bool cw_report_fetched(const crawl_engine_stats *stats)
{
    return stats->status[2] - stats->failed_2xx + stats->not_modified > 0;
}

/* Returns how many requests are left, without those for robots.txt and the like, which are queued too. A shared crawl
 * counts these, since its figures of accepted requests are of another kind. */
static inline uint64_t cw_report_unfinished(const crawl_engine_stats *stats, const crawl_frontier_stats *frontier)
{
    return stats->is_shared ? frontier->queued : frontier->accepted + frontier->again - frontier->finished;
}

/* Appends the summary, of several lines. */
void cw_report_summary(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out);

/* Appends a line for a resumed crawl: how much is left to do. */
void cw_report_resumed(const crawl_engine_stats *stats, const char *directory, crawl_buf *out);

/* Appends a line if something is left for another run, otherwise nothing. */
void cw_report_left(const crawl_engine_stats *stats, crawl_revisit revisit, const char *place, crawl_buf *out);

/* Returns "running", "nothing left to fetch", "crawl.max_pages reached", ... */
const char *cw_report_end(crawl_end end);

/* Returns "unknown", "absent", "rules" or "refused". */
const char *cw_report_robots(crawl_host_robots robots);

/* The pushes of this run (links, seeds, sitemaps, robots.txt) by the queue's answers. */
typedef struct cw_report_pushes {
    uint64_t accepted;
    uint64_t seen; /* queued before */
    uint64_t full; /* left out by crawl.max_queued or crawl.max_hosts */
} cw_report_pushes;
cw_report_pushes cw_report_pushes_of(const crawl_engine_stats *stats);

/* Appends the lines about a filter, whose keys are `things`, such as "URLs". One more line warns if its rate exceeds
 * its limit. */
void cw_report_filter(const crawl_bloom_stats *filter, crawl_bloom_kind kind, const char *things, crawl_buf *out);

void cw_report_hints(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out);

/* Appends what binds the crawl now, and until when; nothing if nothing does. */
void cw_report_bound(const crawl_load *load, crawl_bound bound, crawl_buf *out);

/* Appends the lines about what bound the crawl, and which setting would change it; nothing if the crawl was too short
 * to tell. */
void cw_report_bound_tally(const crawl_bound_tally *tally, crawl_buf *out);
