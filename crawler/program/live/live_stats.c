/* See live_stats.h. One table gives each figure's place, its name in JSON and as a metric, and its meaning. Names,
 * words and dates are added to the JSON by code. */
#include "crawler/program/live/live_stats.h"

#include "base/date.h"
#include "crawler/program/live/live_shared.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"
#include "tools/common/io.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* The engine's figures, and values derived from them. */
typedef struct figures {
    crawl_engine_stats stats;
    cw_report_pushes pushes; /* of this run */
    double pages_per_s;
    double recent_pages_per_s;
    int64_t due_ms; /* until the soonest time at which a held host may be asked; negative: unknown */
    uint64_t resident_bytes;
    double started_s; /* since 1970, UTC */
} figures;

typedef enum value_type {
    COUNT,   /* uint64_t */
    SECONDS, /* int64_t, milliseconds; negative: unknown */
    REAL     /* double */
} value_type;

typedef const char *(*label_of)(int index);

typedef struct figure_row {
    const char *object; /* in JSON; NULL: the top object */
    const char *name;
    const char *metric; /* without "crawl_"; NULL: none, because it is derived */
    const char *kind;   /* of the metric */
    const char *help;
    value_type type;
    size_t offset;     /* in figures */
    const char *label; /* NULL: one value */
    label_of label_at;
    int labels;
} figure_row;

/* --- Labels, each from a fixed set. --- */

static const char *status_label(int index)
{
    static const char *const labels[] = {"other", "1xx", "2xx", "3xx", "4xx", "5xx"};
    return labels[index];
}

static const char *error_label(int index)
{
    return crawl_error_class_name((crawl_error_class)index);
}

static const char *external_label(int index)
{
    return index ? status_label(index) : "none";
}

/* The first trap is no trap, and has no name. */
static const char *trap_label(int index)
{
    return crawl_trap_name((crawl_trap)index);
}

static const char *fault_label(int index)
{
    return crawl_sitemap_fault_name((crawl_sitemap_fault)index);
}

static const char *verdict_label(int index)
{
    return crawl_edge_verdict_name((crawl_edge_verdict)index);
}

/* Content has no name, and is omitted. */
static const char *wall_label(int index)
{
    return crawl_verdict_name((crawl_verdict)(index + CRAWL_VERDICT_CHALLENGE));
}

static const char *bound_label(int index)
{
    return crawl_bound_name((crawl_bound)index);
}

const char *cw_live_standing(crawl_standing standing)
{
    static const char *const labels[CRAWL_STANDING_COUNT + 1] = {
        [CRAWL_STANDING_READY] = "ready",     [CRAWL_STANDING_PAUSED] = "paused", [CRAWL_STANDING_BUSY] = "busy",
        [CRAWL_STANDING_BLOCKED] = "blocked", [CRAWL_STANDING_DATED] = "later",   [CRAWL_STANDING_COUNT] = "idle",
    };
    return labels[standing];
}

static const char *standing_label(int index)
{
    return cw_live_standing((crawl_standing)index);
}

/* --- The table. --- */

#define AT(field) .offset = offsetof(figures, field)
#define LABELS(name, function, count) .label = name, .label_at = function, .labels = count

static const char counter[] = "counter";
static const char gauge[] = "gauge";

static const figure_row rows[] = {
    {NULL, "elapsed_s", "elapsed_seconds", gauge, "Time since the crawl began.", SECONDS, AT(stats.elapsed_ms)},
    {NULL, "pages", "pages_total", counter, "Answers, robots.txt and sitemaps excluded.", COUNT, AT(stats.pages)},
    {NULL, "pages_per_s", NULL, NULL, NULL, REAL, AT(pages_per_s)},
    {NULL, "recent_pages_per_s", NULL, NULL, NULL, REAL, AT(recent_pages_per_s)},
    {NULL, "bytes", "body_bytes_total", counter, "Decoded bodies, robots.txt and sitemaps excluded.", COUNT,
     AT(stats.bytes)},
    {NULL, "bytes_received", "received_bytes_total", counter, "Received in all.", COUNT, AT(stats.wire_bytes)},
    {NULL, "status", "responses_total", counter, "Answers by the class of their status.", COUNT, AT(stats.status),
     LABELS("class", status_label, 6)},
    {NULL, "external", "external_links_total", counter,
     "Links out of scope that were checked, by the class of their status.", COUNT, AT(stats.external),
     LABELS("class", external_label, 6)},
    {NULL, "errors", NULL, NULL, NULL, COUNT, AT(stats.errors)},
    {NULL, "errors_by_class", "errors_total", counter, "Requests finished with an error, by its class.", COUNT,
     AT(stats.error_classes), LABELS("class", error_label, CRAWL_CLASS_COUNT)},
    {NULL, "retries", "retries_total", counter, "Requests postponed to be tried again.", COUNT, AT(stats.retries)},
    {NULL, "robots_asked", "robots_requests_total", counter, "Requests for robots.txt.", COUNT, AT(stats.robots)},
    {NULL, "robots_cut", "robots_cut_total", counter,
     "Robots.txt files longer than 500 KiB, of which the rest is "
     "ignored.",
     COUNT, AT(stats.robots_cut)},
    {NULL, "links_cut", "pages_cut_total", counter, "Pages of which links beyond 100,000 are left out.", COUNT,
     AT(stats.links_cut)},
    {NULL, "duplicates", "duplicate_pages_total", counter, "Pages with the body of one before.", COUNT,
     AT(stats.duplicates)},
    {NULL, "near_duplicates", "near_duplicate_pages_total", counter, "Pages with nearly the text of one before.", COUNT,
     AT(stats.near_duplicates)},
    {NULL, "kept", "kept_pages_total", counter, "Answers that output.keep and output.keep_type keep.", COUNT,
     AT(stats.kept)},
    {NULL, "keeps_stopped", "keeps_stopped_total", counter,
     "Answers kept because a match of output.keep took too many steps.", COUNT, AT(stats.keeps_stopped)},
    {NULL, "withheld", "withheld_pages_total", counter, "Answers withheld because their sites refuse a use.", COUNT,
     AT(stats.withheld)},
    {"rendered", "pages", "rendered_pages_total", counter, "Pages whose scripts were run.", COUNT,
     AT(stats.renders.rendered)},
    {"rendered", "cut", "rendered_pages_cut_total", counter, "Of these, in part.", COUNT, AT(stats.renders.cut)},
    {"rendered", "failed", "rendered_pages_failed_total", counter, "Pages left as they were fetched.", COUNT,
     AT(stats.renders.failed)},
    {"rendered", "parts", "rendered_parts_total", counter, "Requests of scripts that were answered.", COUNT,
     AT(stats.renders.parts)},
    {"rendered", "cached", "rendered_parts_cached_total", counter, "Answers reused.", COUNT, AT(stats.renders.cached)},
    {"walls", "by_verdict", "answers_in_place_total", counter, "Answers in place of a page, by their verdict.", COUNT,
     AT(stats.verdicts[CRAWL_VERDICT_CHALLENGE]),
     LABELS("verdict", wall_label, CRAWL_VERDICT_COUNT - CRAWL_VERDICT_CHALLENGE)},
    {"walls", "hosts", "walled_hosts", gauge, "Hosts that have answered with a wall or a challenge.", COUNT,
     AT(stats.walled_hosts)},
    {"walls", "queued", "walled_requests", gauge, "Requests that wait for hosts that are given up for their walls.",
     COUNT, AT(stats.walled_queued)},
    {"sitemaps", "asked", "sitemap_requests_total", counter, "Requests for sitemaps and llms.txt.", COUNT,
     AT(stats.sitemaps)},
    {"sitemaps", "llms_txt", "llms_txt_total", counter, "llms.txt that were there.", COUNT, AT(stats.llms_txt)},
    {"sitemaps", "urls", "sitemap_urls_total", counter, "URLs found in sitemaps.", COUNT, AT(stats.sitemap_urls)},
    {"sitemaps", "urls_by_verdict", "sitemap_urls_by_verdict_total", counter,
     "URLs found in sitemaps, by what became of them.", COUNT, AT(stats.sitemap_edges),
     LABELS("verdict", verdict_label, CRAWL_EDGE_COUNT)},
    {"sitemaps", "unread_by_fault", "sitemaps_unread_total", counter, "Sitemaps of which nothing or not all was read.",
     COUNT, AT(stats.sitemap_faults), LABELS("fault", fault_label, CRAWL_SITEMAP_FAULT_COUNT)},
    {"feeds", "asked", "feed_requests_total", counter, "Requests for places where a feed may be.", COUNT,
     AT(stats.feeds_asked)},
    {"feeds", "found", "feeds_found_total", counter, "Feeds that were there.", COUNT, AT(stats.feeds_found)},
    {"links", "found", "links_found_total", counter, "Links of pages and headers, and redirects.", COUNT,
     AT(stats.links)},
    {"links", "by_verdict", "links_by_verdict_total", counter,
     "Links of pages and headers, and redirects, by what became of them.", COUNT, AT(stats.edges),
     LABELS("verdict", verdict_label, CRAWL_EDGE_COUNT)},
    {"links", "traps", "links_trapped_total", counter,
     "Links, redirects, URLs of sitemaps and queued URLs refused by a limit against sites without end.", COUNT,
     AT(stats.traps), LABELS("limit", trap_label, CRAWL_TRAP_COUNT)},
    {"links", "patterns_stopped", "patterns_stopped_total", counter,
     "URLs left out because a match of include or exclude took too many steps.", COUNT, AT(stats.patterns_stopped)},
    {"queue", "queued", "queue_requests", gauge, "Requests that wait to be fetched, ready or delayed.", COUNT,
     AT(stats.frontier.queued)},
    {"queue", "accepted", "queue_accepted_total", counter, "Requests that were new, and queued.", COUNT,
     AT(pushes.accepted)},
    {"queue", "seen", "queue_seen_total", counter, "Requests that were seen before, and dropped.", COUNT,
     AT(pushes.seen)},
    {"queue", "left_out", "queue_left_out_total", counter, "Requests left out by crawl.max_queued or crawl.max_hosts.",
     COUNT, AT(pushes.full)},
    {"queue", "leased", "queue_leased_requests", gauge, "Requests taken from the queue and not finished.", COUNT,
     AT(stats.frontier.leased)},
    {"queue", "revisits", "queue_revisits", gauge, "Waiting requests of pages visited before.", COUNT,
     AT(stats.frontier.revisits)},
    {"queue", "finished", "queue_finished_requests", gauge, "Requests finished, in all runs of a crawl with --state.",
     COUNT, AT(stats.frontier.finished)},
    {"queue", "memory_bytes", "queue_memory_bytes", gauge, "Memory of the queue, that of the filter excluded.", COUNT,
     AT(stats.frontier.bytes)},
    {"queue", "disk_bytes", "queue_disk_bytes", gauge, "Files of the queue, with --state.", COUNT,
     AT(stats.frontier.disk_bytes)},
    {"hosts", "known", "hosts", gauge, "Hosts known.", COUNT, AT(stats.frontier.hosts)},
    {"hosts", "standing", "hosts_queued", gauge, "Hosts with something queued, by their state.", COUNT,
     AT(stats.bound.load.frontier.hosts), LABELS("standing", standing_label, CRAWL_STANDING_COUNT)},
    {"hosts", "next_due_s", "hosts_next_due_seconds", gauge,
     "Time until the next of the hosts that are held may be asked.", SECONDS, AT(due_ms)},
    {"connections", "in_use", "connections_in_use", gauge, "Transfers under way.", COUNT, AT(stats.running)},
    {"connections", "limit", "connections_limit", gauge, "Transfers at once, at most.", COUNT, AT(stats.connections)},
    {"connections", "no_socket", "connections_without_socket_total", counter,
     "Transfers that got no socket and are tried again.", COUNT, AT(stats.no_socket)},
    {"rate", "limit_bytes_per_s", "rate_limit_bytes_per_second", gauge,
     "Bytes a second that all transfers may receive; 0: no limit.", COUNT, AT(stats.bound.load.rate)},
    {"rate", "held", "rate_held_transfers", gauge, "Transfers that are not read further until a rate limit allows it.",
     COUNT, AT(stats.bound.load.throttled)},
    {"names", "waiting", "names_waiting", gauge, "Transfers that wait for a host name to be looked up.", COUNT,
     AT(stats.names.waiting_for_names)},
    {"names", "asked", "names_asked_total", counter, "Host names asked of name servers.", COUNT,
     AT(stats.names.names_asked)},
    {"names", "cached", "names_cached_total", counter, "Transfers whose host name was known.", COUNT,
     AT(stats.names.names_cached)},
    {"names", "failed", "names_failed_total", counter, "Host names whose lookup failed.", COUNT,
     AT(stats.names.names_failed)},
    {"bound", "time_s", "bound_seconds_total", counter, "Time for which this limited the crawl.", SECONDS,
     AT(stats.bound.bound_ms), LABELS("by", bound_label, CRAWL_BOUND_COUNT)},
    {"bound", "processor", "processor_ratio", gauge, "Share of a core that each worker takes.", REAL,
     AT(stats.bound.load.processor)},
    {"bound", "disk", "disk_wait_ratio", gauge, "Share of its time that each worker spends in the queue of --state.",
     REAL, AT(stats.bound.load.disk)},
    {"filter", "keys", "filter_keys", gauge, "URLs in the filter of those seen.", COUNT,
     AT(stats.frontier.filter.count)},
    {"filter", "capacity", "filter_capacity_keys", gauge, "URLs that it was sized for.", COUNT,
     AT(stats.frontier.filter.capacity)},
    {"filter", "bytes", "filter_bytes", gauge, "Memory of the filter.", COUNT, AT(stats.frontier.filter.bytes)},
    {"filter", "fill", "filter_fill_ratio", gauge, "Share of its bits or slots in use.", REAL,
     AT(stats.frontier.filter.fill)},
    {"filter", "false_positive_rate", "filter_false_positive_ratio", gauge, "Its rate of false positives now.", REAL,
     AT(stats.frontier.filter.fpr_now)},
    {"filter", "false_positive_limit", "filter_false_positive_limit_ratio", gauge, "The rate that it was sized for.",
     REAL, AT(stats.frontier.filter.fpr)},
    {"filter", "expected_lost", "filter_expected_lost_urls", gauge,
     "URLs expected to have been taken for seen by mistake.", REAL, AT(stats.frontier.filter.expected_false)},
    {"visits", "again", "visits_again_total", counter, "Visits of pages that were visited before.", COUNT,
     AT(stats.visits)},
    {"visits", "changed", "visits_changed_total", counter, "Of these, pages that had changed.", COUNT,
     AT(stats.changed)},
    {"visits", "unchanged", "visits_unchanged_total", counter, "Of these, pages that had not.", COUNT,
     AT(stats.unchanged)},
    {"visits", "not_modified", "visits_not_modified_total", counter, "Of the unchanged, those answered by 304.", COUNT,
     AT(stats.not_modified)},
    {"visits", "hastened", "visits_hastened_total", counter, "Pages that the lastmod of a sitemap made due.", COUNT,
     AT(stats.hastened)},
    {"visits", "gone", "visits_gone_total", counter, "Pages dropped for 404 and 410.", COUNT, AT(stats.gone)},
    {"memory", "body_bytes", "bodies_memory_bytes", gauge, "Memory of the bodies under way.", COUNT,
     AT(stats.names.body_bytes)},
    {"memory", "bodies_waiting", "bodies_waiting", gauge,
     "Transfers that are not read further until there is memory for their bodies.", COUNT,
     AT(stats.names.bodies_waiting)},
    {"memory", "resident_bytes", "resident_memory_bytes", gauge, "Resident memory of the process.", COUNT,
     AT(resident_bytes)},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* --- Figures. --- */

static figures live_stats_figures_of(const cw_live_source *source)
{
    const crawl_engine_stats *stats = source->stats;
    const crawl_load *load = &stats->bound.load;
    const cw_live_moment now = {stats->elapsed_ms, stats->pages};
    bool is_held = load->frontier.due.origin[0] && load->frontier.due_ms < CRAWL_FOREVER;
    int64_t due_ms = is_held ? load->frontier.due_ms - load->now_ms : -1;
    return (figures){
        .stats = *stats,
        .pushes = cw_report_pushes_of(stats),
        .pages_per_s = cw_program_per_second(stats->pages, stats->elapsed_ms),
        .recent_pages_per_s = cw_live_history_pace(source->history, now, CW_LIVE_RECENT_MS),
        .due_ms = is_held && due_ms < 0 ? 0 : due_ms,
        .resident_bytes = source->resident_bytes,
        .started_s = (double)source->started_ms / 1000,
    };
}

typedef struct value {
    bool known;
    bool whole;
    uint64_t count;
    double real;
} value;

static value value_at(const figures *all, const figure_row *of, int index)
{
    const char *at = (const char *)all + of->offset;
    uint64_t count = 0;
    int64_t ms = 0;
    double real = 0;
    switch (of->type) {
    case COUNT:
        memcpy(&count, at + (size_t)index * sizeof count, sizeof count);
        return (value){.known = true, .whole = true, .count = count};
    case SECONDS:
        memcpy(&ms, at + (size_t)index * sizeof ms, sizeof ms);
        return (value){.known = ms >= 0, .real = (double)ms / 1000};
    default:
        memcpy(&real, at + (size_t)index * sizeof real, sizeof real);
        return (value){.known = isfinite(real), .real = real};
    }
}

/* --- JSON. --- */

static json_t *json_of(value one)
{
    if (!one.known)
        return json_null();
    return one.whole ? json_integer((json_int_t)one.count) : json_real(one.real);
}

static json_t *labelled(const figures *all, const figure_row *of)
{
    json_t *object = json_object();
    for (int i = 0; i < of->labels; i++)
        if (*of->label_at(i))
            json_object_set_new(object, of->label_at(i), json_of(value_at(all, of, i)));
    return object;
}

/* Returns the object of that name in the top object, creating it if needed. */
static json_t *object_in(json_t *top, const char *name)
{
    if (!name)
        return top;
    if (!json_object_get(top, name))
        json_object_set_new(top, name, json_object());
    return json_object_get(top, name);
}

static void add_rows(json_t *top, const figures *all)
{
    for (size_t i = 0; i < ROWS; i++)
        json_object_set_new(object_in(top, rows[i].object), rows[i].name,
                            rows[i].label ? labelled(all, &rows[i]) : json_of(value_at(all, &rows[i], 0)));
}

static json_t *most_queued(const crawl_frontier_binding *frontier)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < frontier->most_queued_count; i++) {
        const crawl_held_host *host = &frontier->most_queued[i];
        json_array_append_new(list, json_pack("{s:o, s:s, s:I}", "host",
                                              cw_tool_json_text(crawl_slice_from(host->origin)), "standing",
                                              cw_live_standing(host->standing), "queued", (json_int_t)host->queued));
    }
    return list;
}

static void add_hosts(json_t *hosts, const figures *all)
{
    const crawl_frontier_binding *frontier = &all->stats.bound.load.frontier;
    bool is_due = all->due_ms >= 0;
    const char *origin = is_due ? frontier->due.origin : NULL;
    json_object_set_new(hosts, "next_due_at", is_due ? json_string(cw_date_of(frontier->due_ms).text) : json_null());
    json_object_set_new(hosts, "next_due_host", cw_tool_json_text(crawl_slice_from(origin)));
    json_object_set_new(hosts, "most_queued", most_queued(frontier));
}

static void add_bound(json_t *bound, const figures *all)
{
    const crawl_bound_tally *tally = &all->stats.bound;
    crawl_buf words = {0};
    cw_report_bound(&tally->load, tally->bound, &words);
    json_object_set_new(bound, "by", json_string(crawl_bound_name(tally->bound)));
    json_object_set_new(bound, "words", cw_tool_json_text(crawl_buf_slice(&words)));
    json_object_set_new(bound, "mostly_host",
                        *tally->host ? cw_tool_json_text(crawl_slice_from(tally->host)) : json_null());
    crawl_buf_free(&words);
}

static json_t *recent(const cw_live_history *history)
{
    double paces[CW_LIVE_MOMENTS];
    size_t count = cw_live_history_paces(history, paces);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(paces[i]));
    return list;
}

static cw_live_shared live_stats_shared_of(const cw_live_source *source)
{
    return (cw_live_shared){.figures = &source->stats->shared, .crew = source->crew, .self = source->self};
}

static void live_stats_add_words(json_t *top, const figures *all, const cw_live_source *source)
{
    const char *kind = crawl_config_text(source->config, "seen.kind");
    const cw_live_shared shared = live_stats_shared_of(source);
    json_object_set_new(top, "shared", source->crew ? cw_live_shared_json(&shared) : json_null());
    add_hosts(json_object_get(top, "hosts"), all);
    add_bound(json_object_get(top, "bound"), all);
    json_object_set_new(json_object_get(top, "filter"), "kind", json_string(kind));
    json_object_set_new(top, "pages_per_s_history", recent(source->history));
}

static json_t *head(const cw_live_source *source)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:b}", "version", crawl_version(), "started",
                     cw_date_of(source->started_ms).text, "state", cw_report_end(source->stats->end), "paused",
                     (int)source->stats->paused, "draining", (int)source->is_draining);
}

crawl_err cw_live_json(const cw_live_source *source, crawl_buf *out)
{
    enum { DIGITS = 10 };
    figures all = live_stats_figures_of(source);
    json_t *top = head(source);
    add_rows(top, &all);
    live_stats_add_words(top, &all, source);
    char *text = json_dumps(top, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    crawl_err err = crawl_buf_printf(out, "%s\n", text);
    free(text);
    json_decref(top);
    return err;
}

/* --- Metrics: https://prometheus.io/docs/instrumenting/exposition_formats/. No label has a character that needs
 * escaping. --- */

static void put_head(cw_writer *out, const char *name, const char *kind, const char *help)
{
    cw_put_format(out, "# HELP crawl_%s %s\n# TYPE crawl_%s %s\n", name, help, name, kind);
}

static void live_stats_put_sample(cw_writer *out, const figure_row *of, int index, value one)
{
    if (!one.known || (of->label && !*of->label_at(index)))
        return;
    cw_put_format(out, "crawl_%s", of->metric);
    if (of->label)
        cw_put_format(out, "{%s=\"%s\"}", of->label, of->label_at(index));
    if (one.whole)
        cw_put_format(out, " %" PRIu64 "\n", one.count);
    else
        cw_put_format(out, " %.10g\n", one.real);
}

static void live_stats_put_row(cw_writer *out, const figures *all, const figure_row *of)
{
    if (!of->metric)
        return;
    put_head(out, of->metric, of->kind, of->help);
    for (int i = 0; i < (of->label ? of->labels : 1); i++)
        live_stats_put_sample(out, of, i, value_at(all, of, i));
}

crawl_err cw_live_metrics(const cw_live_source *source, crawl_buf *out)
{
    figures all = live_stats_figures_of(source);
    cw_writer to = {.out = out};
    put_head(&to, "info", gauge, "1; which crawl this is.");
    cw_put_format(&to, "crawl_info{version=\"%s\",filter=\"%s\"} 1\n", crawl_version(),
                  crawl_config_text(source->config, "seen.kind"));
    put_head(&to, "start_time_seconds", gauge, "When the crawl began, since 1970, UTC.");
    cw_put_format(&to, "crawl_start_time_seconds %.3f\n", all.started_s);
    for (size_t i = 0; i < ROWS; i++)
        live_stats_put_row(&to, &all, &rows[i]);
    const cw_live_shared shared = live_stats_shared_of(source);
    if (source->crew)
        cw_live_shared_metrics(&shared, &to);
    return to.err;
}
