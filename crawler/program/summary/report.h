/* The reports for people: the progress line while crawling, the summary at the end. */
#pragma once

#include "config/config_values.h"
#include <crawl/engine.h>
#include <crawl/sys/bound.h>
#include <crawl/sys/explain.h>

/* The progress line, of `columns` characters at most, without a line end. previous: the figures of a while ago, for the
 * pace. */
void cw_report_progress(const crawl_engine_stats *now, const crawl_engine_stats *previous, unsigned columns,
                        crawl_buf *out);

/* A line for one request. */
void cw_report_record(const crawl_record *record, crawl_buf *out);

/* Did a page come, or the word that one has not changed? */
static inline bool cw_report_fetched(const crawl_engine_stats *stats)
{
    return stats->status[2] - stats->walled_2xx + stats->not_modified > 0;
}

/* The summary, of several lines. */
void cw_report_summary(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out);

/* A line when a crawl is resumed: what there is to do. */
void cw_report_resumed(const crawl_engine_stats *stats, const char *directory, crawl_buf *out);

/* A line when something is left for another run; otherwise nothing. */
void cw_report_left(const crawl_engine_stats *stats, crawl_revisit revisit, const char *directory, crawl_buf *out);

/* "running", "nothing left to fetch", "crawl.max_pages reached", ... */
const char *cw_report_end(crawl_end end);

/* "unknown", "absent", "rules", "refused" */
const char *cw_report_robots(crawl_host_robots robots);

/* The pushes of this run (links, seeds, sitemaps, robots.txt) by the answers of the queue. */
typedef struct cw_report_pushes {
    uint64_t accepted;
    uint64_t seen; /* were queued before */
    uint64_t full; /* left out by crawl.max_queued or crawl.max_hosts */
} cw_report_pushes;
cw_report_pushes cw_report_pushes_of(const crawl_engine_stats *stats);

/* The lines of the summary about the filter, whose keys are `things`: "URLs". One more line warns where the rate is
 * beyond its limit. */
void cw_report_filter(const crawl_bloom_stats *filter, crawl_bloom_kind kind, const char *things, crawl_buf *out);

void cw_report_hints(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out);

/* Prints what binds the crawl now, and until when; if nothing does, prints nothing. */
void cw_report_bound(const crawl_load *load, crawl_bound bound, crawl_buf *out);

/* The lines of the summary about what bound the crawl, and which setting would change it; none of a crawl that was too
 * short to tell. */
void cw_report_bound_tally(const crawl_bound_tally *tally, crawl_buf *out);
