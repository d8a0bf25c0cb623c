#include "crawler/program/summary/report.h"

#include "config/config_values.h"
#include "crawler/program/summary/units.h"
#include "tools/common/say.h"

#include <crawl/links.h>
#include <crawl/robots.h>
#include <inttypes.h>

void cw_report_record(const crawl_record *record, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "crawl: ");
    if (record->status)
        CW_PROGRAM_SAY(out, "%d ", record->status);
    (void)cw_escape(record->url, out);
    if (record->redirect.size) {
        CW_PROGRAM_SAY(out, " -> ");
        (void)cw_escape(record->redirect, out);
    }
    if (record->error) {
        CW_PROGRAM_SAY(out, ": %s: ", record->error);
        (void)cw_escape(crawl_slice_from(record->error_text), out);
    }
    CW_PROGRAM_SAY(out, "\n");
}

const char *cw_report_end(crawl_end end)
{
    static const char *const words[] = {
        [CRAWL_END_RUNNING] = "running",
        [CRAWL_END_DRAINED] = "nothing left to fetch",
        [CRAWL_END_MAX_PAGES] = "crawl.max_pages reached",
        [CRAWL_END_MAX_TIME] = "crawl.max_time reached",
        [CRAWL_END_MAX_BYTES] = "crawl.max_bytes reached",
        [CRAWL_END_STOPPED] = "stopped",
        [CRAWL_END_FAILED] = "ended by a failure",
    };
    return words[end];
}

const char *cw_report_robots(crawl_host_robots robots)
{
    static const char *const words[CRAWL_HOST_ROBOTS_COUNT] = {
        [CRAWL_HOST_ROBOTS_UNKNOWN] = "unknown",
        [CRAWL_HOST_ROBOTS_ABSENT] = "absent",
        [CRAWL_HOST_ROBOTS_RULES] = "rules",
        [CRAWL_HOST_ROBOTS_REFUSED] = "refused",
    };
    return words[robots];
}

static void say_totals(const crawl_engine_stats *stats, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "crawl: %s after ", cw_report_end(stats->end));
    cw_program_duration(out, stats->elapsed_ms);
    CW_PROGRAM_SAY(out, "\n  pages     %" PRIu64 " (%.1f/s), %s, %s received\n", stats->pages,
                   cw_program_per_second(stats->pages, stats->elapsed_ms), cw_program_size(stats->bytes).text,
                   cw_program_size(stats->wire_bytes).text);
}

static void say_statuses(const crawl_engine_stats *stats, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "  status   ");
    for (size_t i = 1; i <= 5; i++)
        if (stats->status[i])
            CW_PROGRAM_SAY(out, " %zuxx %" PRIu64, i, stats->status[i]);
    if (stats->status[0])
        CW_PROGRAM_SAY(out, " other %" PRIu64, stats->status[0]);
    CW_PROGRAM_SAY(out, stats->pages ? "\n" : " none\n");
}

static void say_external(const crawl_engine_stats *stats, crawl_buf *out)
{
    const char *before = "  external ";
    for (size_t i = 1; i <= 5; i++)
        if (stats->external[i]) {
            CW_PROGRAM_SAY(out, "%s %zuxx %" PRIu64, before, i, stats->external[i]);
            before = "";
        }
    if (stats->external[0])
        CW_PROGRAM_SAY(out, "%s without an answer %" PRIu64, before, stats->external[0]);
    if (!*before || stats->external[0])
        CW_PROGRAM_SAY(out, "\n");
}

static void report_say_kept(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    if (!config->keep.count && !config->keep_types.count)
        return;
    CW_PROGRAM_SAY(out, "  kept      %" PRIu64 " of %" PRIu64 " answered", stats->kept, stats->pages);
    if (stats->keeps_stopped)
        CW_PROGRAM_SAY(out, "; of %" PRIu64 " a match of keep took too many steps to tell", stats->keeps_stopped);
    CW_PROGRAM_SAY(out, "\n");
}

static void say_withheld(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    if (config->respect)
        CW_PROGRAM_SAY(out, "  withheld  %" PRIu64 " of %" PRIu64 " answered: their sites refuse the use\n",
                       stats->withheld, stats->pages);
}

static void say_errors(const crawl_engine_stats *stats, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "  errors    %" PRIu64, stats->errors);
    const char *separator = ": ";
    for (int i = 0; i < CRAWL_CLASS_COUNT; i++) {
        if (!stats->error_classes[i])
            continue;
        CW_PROGRAM_SAY(out, "%s%s %" PRIu64, separator, crawl_error_class_name((crawl_error_class)i),
                       stats->error_classes[i]);
        separator = ", ";
    }
    CW_PROGRAM_SAY(out, "; %" PRIu64 " retries, %" PRIu64 " robots.txt asked\n", stats->retries, stats->robots);
}

static void say_walls(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (!stats->walled_hosts && stats->walled_queued) /* another process of a shared crawl has met them */
        CW_PROGRAM_SAY(out, "  walls     %" PRIu64 " URL%s wait for hosts that answer with a wall in place of pages\n",
                       stats->walled_queued, cw_program_plural(stats->walled_queued));
    if (!stats->walled_hosts)
        return;
    CW_PROGRAM_SAY(out, "  walls     %" PRIu64 " host%s answered with a wall in place of pages", stats->walled_hosts,
                   cw_program_plural(stats->walled_hosts));
    if (*stats->walled_by)
        CW_PROGRAM_SAY(out, "%s%s", stats->walled_hosts > 1 ? ", most of them behind " : ", that of ",
                       stats->walled_by);
    if (stats->walled_queued)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " URL%s wait there: ask the operator, or slow down", stats->walled_queued,
                       cw_program_plural(stats->walled_queued));
    CW_PROGRAM_SAY(out, "\n");
}

static void say_replaced(const crawl_engine_stats *stats, crawl_buf *out)
{
    static const crawl_verdict verdicts[] = {CRAWL_VERDICT_LOGIN, CRAWL_VERDICT_CONSENT, CRAWL_VERDICT_PARKED,
                                             CRAWL_VERDICT_SOFT_404};
    enum { COUNT = sizeof verdicts / sizeof *verdicts };
    uint64_t all = 0;
    for (size_t i = 0; i < COUNT; i++)
        all += stats->verdicts[verdicts[i]];
    if (!all)
        return;
    CW_PROGRAM_SAY(out, "  replaced  %" PRIu64 " page%s by another", all, cw_program_plural(all));
    const char *separator = ": ";
    for (size_t i = 0; i < COUNT; i++)
        if (stats->verdicts[verdicts[i]]) {
            CW_PROGRAM_SAY(out, "%s%s %" PRIu64, separator, crawl_verdict_name(verdicts[i]),
                           stats->verdicts[verdicts[i]]);
            separator = ", ";
        }
    CW_PROGRAM_SAY(out, "\n");
}

cw_report_pushes cw_report_pushes_of(const crawl_engine_stats *stats)
{
    const crawl_frontier_stats *now = &stats->frontier;
    const crawl_frontier_stats *before = &stats->before;
    return (cw_report_pushes){
        .accepted = now->accepted - before->accepted,
        .seen = now->seen - before->seen,
        .full = now->full - before->full,
    };
}

/* Appends the counts of verdicts, by their names in --links, without zeros. */
static void say_verdicts(const uint64_t *verdicts, crawl_buf *out)
{
    const char *before = ": ";
    for (int i = 0; i < CRAWL_EDGE_COUNT; i++) {
        if (!verdicts[i])
            continue;
        CW_PROGRAM_SAY(out, "%s%" PRIu64 " %s", before, verdicts[i], crawl_edge_verdict_name((crawl_edge_verdict)i));
        before = ", ";
    }
    CW_PROGRAM_SAY(out, "\n");
}

static void say_sockets(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->no_socket)
        CW_PROGRAM_SAY(out,
                       "  sockets   %" PRIu64 " times there was none for a request, which was tried again: see "
                       "ulimit -n\n",
                       stats->no_socket);
}

static void say_rendered(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    const crawl_engine_renders *renders = &stats->renders;
    uint64_t parts = renders->parts + renders->cached;
    if (!config->render)
        return;
    CW_PROGRAM_SAY(out, "  rendered  %" PRIu64 " of %" PRIu64 " pages", renders->rendered, stats->pages);
    if (renders->cut || renders->failed)
        CW_PROGRAM_SAY(out, ", %" PRIu64 " of them in part; %" PRIu64 " failed, and went on as they were fetched",
                       renders->cut, renders->failed);
    if (parts)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " requests of their scripts, %" PRIu64 " more had an earlier answer",
                       renders->parts, renders->cached);
    CW_PROGRAM_SAY(out, "\n");
}

static void say_links(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "  links     %" PRIu64 " found", stats->links);
    say_verdicts(stats->edges, out);
    if (stats->feeds_asked)
        CW_PROGRAM_SAY(out, "  feeds     %" PRIu64 " found, %" PRIu64 " places asked\n", stats->feeds_found,
                       stats->feeds_asked);
    if (!stats->sitemaps && !stats->sitemap_urls)
        return;
    CW_PROGRAM_SAY(out, "  sitemaps  ");
    if (stats->sitemaps || !stats->feeds_found)
        CW_PROGRAM_SAY(out, "%" PRIu64 " asked, ", stats->sitemaps);
    if (stats->feeds_found)
        CW_PROGRAM_SAY(out, "%" PRIu64 " feed%s found, ", stats->feeds_found, cw_program_plural(stats->feeds_found));
    if (config->llms_txt)
        CW_PROGRAM_SAY(out, "%" PRIu64 " llms.txt found, ", stats->llms_txt);
    CW_PROGRAM_SAY(out, "%" PRIu64 " URLs in them", stats->sitemap_urls);
    say_verdicts(stats->sitemap_edges, out);
}

/* Appends the sitemaps that were not read, or not completely, with the first URL of each fault. */
static void say_sitemap_faults(const crawl_engine_stats *stats, crawl_buf *out)
{
    const char *before = "  unread    of sitemaps ";
    for (int i = 0; i < CRAWL_SITEMAP_FAULT_COUNT; i++) {
        if (!stats->sitemap_faults[i])
            continue;
        CW_PROGRAM_SAY(out, "%s%" PRIu64 " %s (%s", before, stats->sitemap_faults[i],
                       crawl_sitemap_fault_name((crawl_sitemap_fault)i), stats->sitemap_faults[i] > 1 ? "first " : "");
        CW_PROGRAM_SAY(out, "%s", stats->sitemap_first[i]);
        CW_PROGRAM_SAY(out, ")");
        before = ", ";
    }
    if (before[0] == ',')
        CW_PROGRAM_SAY(out, "\n");
}

static void say_cut(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->links_cut)
        CW_PROGRAM_SAY(out, "  warning   pages cut at %u links: %" PRIu64 "\n", CRAWL_PAGE_MAX_LINKS, stats->links_cut);
    if (stats->robots_cut)
        CW_PROGRAM_SAY(out, "  warning   robots.txt cut at %u bytes: %" PRIu64 "\n", CRAWL_ROBOTS_MAX_SIZE,
                       stats->robots_cut);
}

static void say_queue(const crawl_engine_stats *stats, crawl_buf *out)
{
    const crawl_frontier_stats *frontier = &stats->frontier;
    cw_report_pushes pushes = cw_report_pushes_of(stats);
    uint64_t left = cw_report_unfinished(stats, frontier);
    uint64_t others = frontier->revisits + (stats->is_shared ? 0 : frontier->leased); /* which left counts, too */
    CW_PROGRAM_SAY(out, "  queue     %" PRIu64 " requests taken on %" PRIu64 " host%s", pushes.accepted,
                   frontier->hosts, cw_program_plural(frontier->hosts));
    if (pushes.full)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " left out by crawl.max_queued or crawl.max_hosts", pushes.full);
    if (left > others)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " not fetched", left - others);
    CW_PROGRAM_SAY(out, "\n");
}

static void say_duplicates(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->duplicates || stats->near_duplicates)
        CW_PROGRAM_SAY(out,
                       "  same      %" PRIu64 " pages with the body of another, %" PRIu64 " with nearly its text\n",
                       stats->duplicates, stats->near_duplicates);
}

static void say_revisits(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (!stats->visits && !stats->frontier.revisits)
        return;
    CW_PROGRAM_SAY(out,
                   "  visits    %" PRIu64 " of pages visited before: %" PRIu64 " changed, %" PRIu64
                   " not, of them %" PRIu64 " by status 304; %" PRIu64 " pages are gone",
                   stats->visits, stats->changed, stats->unchanged, stats->not_modified, stats->gone);
    if (stats->hastened)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " made due by their lastmod", stats->hastened);
    if (stats->frontier.revisits)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " wait for the next", stats->frontier.revisits);
    if (stats->frontier.revisits && stats->next_ms >= 0) {
        CW_PROGRAM_SAY(out, ", due in ");
        cw_program_duration(out, stats->next_ms);
    }
    CW_PROGRAM_SAY(out, "\n");
}

static void say_state(const crawl_engine_stats *stats, const char *directory, crawl_buf *out)
{
    const crawl_frontier_stats *frontier = &stats->frontier;
    CW_PROGRAM_SAY(out, "  state     %s: %" PRIu64 " request%s finished in all its runs, %" PRIu64 " left", directory,
                   frontier->finished, cw_program_plural(frontier->finished), cw_report_unfinished(stats, frontier));
    if (frontier->disk_bytes) /* a small queue is only in the log of the database */
        CW_PROGRAM_SAY(out, ", %s of database", cw_program_size(frontier->disk_bytes).text);
    CW_PROGRAM_SAY(out, "\n");
}

/* Appends the figures of a shared crawl, as this process last saw them: after a failure they are outdated. With
 * revisits a page is finished only when it is gone. */
static void say_shared(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    const crawl_shared_figures *all = &stats->shared;
    if (stats->end == CRAWL_END_FAILED)
        return;
    CW_PROGRAM_SAY(out, "  shared    %s: ", config->shared);
    if (config->revisit == CRAWL_REVISIT_OFF)
        CW_PROGRAM_SAY(out, "%" PRIu64 " requests finished by all, ", all->finished);
    CW_PROGRAM_SAY(out, "%" PRIu64 " left", all->queued + all->held);
    if (all->later)
        CW_PROGRAM_SAY(out, ", %" PRIu64 " for a later run", all->later);
    if (all->lost)
        CW_PROGRAM_SAY(out, "; %" PRIu64 " session%s of hosts ended by their deadline", all->lost,
                       cw_program_plural(all->lost));
    CW_PROGRAM_SAY(out, "\n");
}

/* fpr_now is measured on a sample, so a filter that has just become full may seem slightly above its rate. */
#define RATE_TOLERANCE 1.1

void cw_report_filter(const crawl_bloom_stats *filter, crawl_bloom_kind kind, const char *things, crawl_buf *out)
{
    CW_PROGRAM_SAY(out,
                   "  filter    %s, %" PRIu64 " %s in %s, %" PRIu32 " filter%s, fill %.1f%%, false-positive rate %.2g",
                   crawl_bloom_kind_name(kind), filter->count, things, cw_program_size(filter->bytes).text,
                   filter->filters, cw_program_plural(filter->filters), filter->fill * 100, filter->fpr_now);
    if (filter->fpr > 0)
        CW_PROGRAM_SAY(out, " (limit %.2g)", filter->fpr);
    CW_PROGRAM_SAY(out, "\n");
    double lost = filter->expected_false;
    CW_PROGRAM_SAY(out, "  lost      %.*f %s expected to be taken for seen by the filter's false positives\n",
                   lost > 0 && lost < 10 ? 4 : 0, lost, things);
    if (filter->fpr > 0 && filter->fpr_now > filter->fpr * RATE_TOLERANCE)
        CW_PROGRAM_SAY(
            out,
            "  warning   the filter is beyond its capacity of %" PRIu64
            " and loses more than its limit allows: raise the capacity or the memory, or take a kind that grows\n",
            filter->capacity);
}

static void say_patterns(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->patterns_stopped)
        CW_PROGRAM_SAY(
            out, "  patterns  left out %" PRIu64 " URLs on which a match of include or exclude took too many steps\n",
            stats->patterns_stopped);
}

static void say_traps(const crawl_engine_stats *stats, crawl_buf *out)
{
    const char *separator = "  traps     left out ";
    for (int i = 0; i < CRAWL_TRAP_COUNT; i++) {
        if (!stats->traps[i])
            continue;
        CW_PROGRAM_SAY(out, "%s%" PRIu64 " by %s", separator, stats->traps[i], crawl_trap_name((crawl_trap)i));
        separator = ", ";
    }
    if (separator[0] == ',')
        CW_PROGRAM_SAY(out, "\n");
}

/* Appends where the results are. */
static void say_outputs(const crawl_config *config, crawl_buf *out)
{
    const struct {
        const char *what, *path;
    } outputs[] = {{"records in", config->output},    {"links in", config->links},
                   {"requests in", config->requests}, {"fields in", config->fields},
                   {"bodies below", config->bodies},  {"pictures below", config->screenshots},
                   {"a copy below", config->mirror},  {"WARC files", config->warc}};
    const char *between = "  results   ";
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        if (!outputs[i].path)
            continue;
        bool is_standard = strcmp(outputs[i].path, "-") == 0;
        CW_PROGRAM_SAY(out, "%s%s %s", between, outputs[i].what, is_standard ? "standard output" : outputs[i].path);
        between = ", ";
    }
    if (*between == ',')
        CW_PROGRAM_SAY(out, "\n");
    else if (!config->program.report)
        CW_PROGRAM_SAY(out, "  results   were not kept; --output pages.jsonl keeps a record of each page\n");
}

/* Returns true if the filter needs mentioning: with --verbose, or if it is unusual. */
static bool is_filter_told(const crawl_engine_stats *stats, const crawl_config *config)
{
    const crawl_bloom_stats *filter = &stats->frontier.filter;
    bool is_over = filter->fpr > 0 && filter->fpr_now > filter->fpr * RATE_TOLERANCE;
    bool is_usual = config->seen.kind == CRAWL_BLOOM_SCALABLE && filter->expected_false < 1 && !is_over;
    return !stats->is_shared && (config->program.verbosity > 0 || !is_usual); /* a shared crawl has it in Redis */
}

static void report_say_documents(const crawl_engine_stats *stats, crawl_buf *out)
{
    uint64_t all = stats->preprocessed + stats->preprocess_failed;
    if (all)
        CW_PROGRAM_SAY(out, "  documents %" PRIu64 " of %" PRIu64 " were read; detail says why others were not\n",
                       stats->preprocessed, all);
}

void cw_report_summary(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    say_totals(stats, out);
    say_statuses(stats, out);
    say_external(stats, out);
    report_say_kept(stats, config, out);
    say_withheld(stats, config, out);
    say_errors(stats, out);
    say_walls(stats, out);
    say_replaced(stats, out);
    say_sockets(stats, out);
    say_rendered(stats, config, out);
    report_say_documents(stats, out);
    say_links(stats, config, out);
    say_sitemap_faults(stats, out);
    say_cut(stats, out);
    say_queue(stats, out);
    say_patterns(stats, out);
    say_traps(stats, out);
    say_duplicates(stats, out);
    say_revisits(stats, out);
    cw_report_hints(stats, config, out);
    cw_report_bound_tally(&stats->bound, out);
    if (is_filter_told(stats, config))
        cw_report_filter(&stats->frontier.filter, config->seen.kind, "URLs", out);
    if (config->state)
        say_state(stats, config->state, out);
    else if (stats->is_shared)
        say_shared(stats, config, out);
    say_outputs(config, out);
}

void cw_report_resumed(const crawl_engine_stats *stats, const char *directory, crawl_buf *out)
{
    const crawl_frontier_stats *before = &stats->before;
    uint64_t left = cw_report_unfinished(stats, before);
    if (stats->is_shared)
        CW_PROGRAM_SAY(out, "crawl: %s: joined\n", directory);
    else if (left)
        CW_PROGRAM_SAY(out,
                       "crawl: %s: going on with %" PRIu64 " request%s on %" PRIu64 " host%s; %" PRIu64 " finished\n",
                       directory, left, cw_program_plural(left), before->hosts_queued,
                       cw_program_plural(before->hosts_queued), before->finished);
    else
        CW_PROGRAM_SAY(out, "crawl: %s: nothing is left to fetch; %" PRIu64 " request%s finished\n", directory,
                       before->finished, before->finished == 1 ? "" : "s");
}

void cw_report_left(const crawl_engine_stats *stats, crawl_revisit revisit, const char *place, crawl_buf *out)
{
    const crawl_frontier_stats *frontier = &stats->frontier;
    const char *end = cw_report_end(stats->end);
    bool visits_alone = stats->end == CRAWL_END_DRAINED && frontier->revisits && frontier->revisits == frontier->queued;
    if (stats->is_shared && (stats->end == CRAWL_END_MAX_PAGES || stats->end == CRAWL_END_MAX_BYTES))
        CW_PROGRAM_SAY(out, "crawl: %s by all processes together; to go on: crawl", end);
    else if (stats->is_shared && stats->end == CRAWL_END_FAILED)
        CW_PROGRAM_SAY(out, "crawl: %s; when that is mended, join again with: crawl", end);
    else if (stats->is_shared && stats->end != CRAWL_END_DRAINED)
        CW_PROGRAM_SAY(out, "crawl: %s; other processes, if any, go on; join again with: crawl", end);
    else if (visits_alone && revisit == CRAWL_REVISIT_DUE)
        CW_PROGRAM_SAY(out, "crawl: %" PRIu64 " pages wait until they are due again; resume with: crawl",
                       frontier->revisits);
    else if (visits_alone)
        CW_PROGRAM_SAY(out, "crawl: only pages visited before are left, %" PRIu64 "; resume with: crawl --revisit",
                       frontier->revisits);
    else if (frontier->queued + frontier->leased)
        CW_PROGRAM_SAY(out, "crawl: %s; resume with: crawl", end);
    else
        return;
    CW_PROGRAM_SAY(out, " --state ");
    cw_program_quoted(crawl_slice_from(place), out);
    CW_PROGRAM_SAY(out, "\n");
}
