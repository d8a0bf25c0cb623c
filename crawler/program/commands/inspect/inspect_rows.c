/* Prints the lines of `crawl inspect`: hosts, requests, and the filter, each by a walk over the directory. */
#include "base/date.h"
#include "crawler/program/commands/inspect/inspect.h"
#include "crawler/program/summary/report.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/status.h"

#include <inttypes.h>

/* Returns "unknown", "absent", "rules", "refused" or, for any of the last three, "expired". */
static const char *inspect_rows_verdict(const crawl_state_note *note, int64_t now_ms)
{
    bool expired = note->robots != CRAWL_HOST_ROBOTS_UNKNOWN && now_ms >= note->robots_expires_ms;
    return expired ? "expired" : cw_report_robots(note->robots);
}

/* A walk that prints: its settings and its result. */
typedef struct printer {
    cw_inspect *inspect;
    crawl_state_note note;
    crawl_slice origin; /* of the present host */
    crawl_err err;
    crawl_error *error;
} printer;

static bool inspect_rows_take_note(crawl_slice name, crawl_slice bytes, void *user)
{
    printer *p = user;
    if (crawl_slice_equal(name, p->origin))
        crawl_state_note_read(name, bytes, &p->note);
    return false; /* the first note that begins with an origin is its own */
}

static json_t *date_or_null(int64_t wall_ms)
{
    cw_date date = cw_date_or_end(wall_ms);
    return wall_ms < 0 ? json_null() : json_string(date.text);
}

static json_t *inspect_rows_host_object(const crawl_frontier_host *host, const crawl_state_note *note, int64_t now_ms)
{
    bool blocked = host->blocked_ms > now_ms;
    bool away = note->away_until_ms > now_ms;
    return json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:s, s:o, s:o}", "origin", cw_tool_json_text(host->origin),
                     "ready", (json_int_t)host->ready, "delayed", (json_int_t)host->delayed, "urgent",
                     (json_int_t)host->urgent, "pause_ms",
                     host->pause_ms < 0 ? json_null() : json_integer(host->pause_ms), "blocked_until",
                     date_or_null(blocked ? host->blocked_ms : -1), "started_at", date_or_null(host->started_ms),
                     "robots", inspect_rows_verdict(note, now_ms), "robots_expires_at",
                     date_or_null(note->robots == CRAWL_HOST_ROBOTS_UNKNOWN ? -1 : note->robots_expires_ms),
                     "away_until", date_or_null(away ? note->away_until_ms : -1));
}

static crawl_err print_host_line(const crawl_frontier_host *host, const crawl_state_note *note, int64_t now_ms)
{
    char pause[32] = "-";
    cw_date blocked = host->blocked_ms > now_ms ? cw_date_or_end(host->blocked_ms) : (cw_date){"-"};
    if (host->pause_ms >= 0)
        snprintf(pause, sizeof pause, "%" PRId64 "ms", host->pause_ms);
    int printed = printf("%8" PRIu64 " %8" PRIu64 " %7" PRIu64 "  %-9s %-25s %-8s %.*s\n", host->ready, host->delayed,
                         host->urgent, pause, blocked.text, inspect_rows_verdict(note, now_ms), (int)host->origin.size,
                         host->origin.data);
    return printed < 0 ? CRAWL_EIO : CRAWL_OK;
}

static bool inspect_rows_print_host(const crawl_frontier_host *host, void *user)
{
    printer *p = user;
    cw_inspect *inspect = p->inspect;
    p->note = (crawl_state_note){0};
    p->origin = host->origin;
    p->err = crawl_frontier_view_notes(inspect->view, host->origin, inspect_rows_take_note, p, p->error);
    if (!p->err)
        p->err = inspect->jsonl ? cw_tool_json_print(inspect_rows_host_object(host, &p->note, inspect->now_ms))
                                : print_host_line(host, &p->note, inspect->now_ms);
    return !p->err;
}

crawl_err cw_inspect_hosts(cw_inspect *inspect, crawl_error *error)
{
    printer p = {.inspect = inspect, .error = error};
    if (!inspect->jsonl)
        printf("%8s %8s %7s  %-9s %-25s %-8s %s\n", "READY", "DELAYED", "URGENT", "PAUSE", "BLOCKED UNTIL", "ROBOTS",
               "ORIGIN");
    crawl_err err = crawl_frontier_view_hosts(inspect->view, inspect_rows_print_host, &p, error);
    return err ? err : p.err;
}

static json_t *request_object(const crawl_lease *request, int64_t due_ms)
{
    json_t *parent = request->parent.size ? cw_tool_json_text(request->parent) : json_null();
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:b, s:o, s:o}", "url", cw_tool_json_text(request->url), "method",
                     cw_tool_json_text(request->method), "depth", (json_int_t)request->depth, "attempt",
                     (json_int_t)request->attempt, "visit", (json_int_t)request->visit, "priority",
                     (json_int_t)request->priority, "urgent", (int)request->urgent, "due_at", date_or_null(due_ms),
                     "parent", parent);
}

static bool print_request(const crawl_lease *request, int64_t due_ms, void *user)
{
    printer *p = user;
    if (p->inspect->jsonl) {
        p->err = cw_tool_json_print(request_object(request, due_ms));
        return !p->err;
    }
    cw_date due = cw_date_or_end(due_ms);
    const char *state = due_ms >= 0 ? due.text : request->urgent ? "urgent" : "ready";
    if (printf("%s\t%u\t%u\t%u\t%d\t%.*s\n", state, request->depth, request->attempt, request->visit,
               (int)request->priority, (int)request->url.size, request->url.data) < 0)
        p->err = CRAWL_EIO;
    return !p->err;
}

crawl_err cw_inspect_queue(cw_inspect *inspect, crawl_error *error)
{
    printer p = {.inspect = inspect, .error = error};
    crawl_err err = crawl_frontier_view_requests(inspect->view, inspect->origin, print_request, &p, error);
    return err ? err : p.err;
}

static json_t *filter_object(const crawl_bloom_stats *stats, crawl_bloom_kind kind)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "kind", crawl_bloom_kind_name(kind), "count",
                     (json_int_t)stats->count, "capacity", (json_int_t)stats->capacity, "bytes",
                     (json_int_t)stats->bytes, "filters", (json_int_t)stats->filters, "fill", stats->fill, "fpr",
                     stats->fpr, "fpr_now", stats->fpr_now, "expected_false", stats->expected_false);
}

crawl_err cw_inspect_print_filter(const cw_inspect *inspect, const crawl_bloom_stats *stats, crawl_bloom_kind kind)
{
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    if (inspect->jsonl)
        return cw_tool_json_print(filter_object(stats, kind));
    cw_report_filter(stats, kind, "URLs", &text);
    if (text.data && fputs(text.data, stdout) == EOF)
        err = CRAWL_EIO;
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_inspect_filter(cw_inspect *inspect, crawl_error *error)
{
    crawl_bloom_stats stats;
    crawl_err err = crawl_frontier_view_filter(inspect->view, &stats, error);
    if (err)
        return err;
    return cw_inspect_print_filter(inspect, &stats, crawl_frontier_view_summary(inspect->view)->seen.kind);
}

/* `crawl inspect --check`: prints violations, one per line. */

void cw_inspect_print_violation(const char *violation, void *user)
{
    const cw_inspect *inspect = user;
    if (inspect->jsonl)
        cw_tool_json_print(json_pack("{s:o}", "violation", cw_tool_json_text(crawl_slice_from(violation))));
    else
        puts(violation);
}

crawl_err cw_inspect_print_violations(cw_inspect *inspect, const char *where, uint64_t violations)
{
    inspect->status = violations ? CW_EXIT_NOTHING : CW_EXIT_OK;
    if (inspect->jsonl)
        return cw_tool_json_print(json_pack("{s:I}", "violations", (json_int_t)violations));
    return printf("%s: %" PRIu64 " violation%s\n", where, violations, violations == 1 ? "" : "s") < 0 ? CRAWL_EIO
                                                                                                      : CRAWL_OK;
}

/* Appends a violation to a buffer, with its NUL. */
static void inspect_rows_keep(const char *violation, void *kept)
{
    cw_tool_memory_must(crawl_buf_append(kept, violation, strlen(violation) + 1));
}

crawl_err cw_inspect_check(cw_inspect *inspect, crawl_error *error)
{
    uint64_t violations = 0;
    crawl_error why = {0};
    crawl_buf kept = {0};
    crawl_err err = crawl_frontier_view_check(inspect->view, inspect_rows_keep, &kept, &violations, error);
    for (size_t at = 0; !err && at < kept.size; at += strlen(kept.data + at) + 1)
        cw_inspect_print_violation(kept.data + at, inspect);
    crawl_buf_free(&kept);
    if (err)
        return err;
    if (!cw_tool_resume_check(inspect->directory, &why)) {
        cw_inspect_print_violation(why.message, inspect);
        violations++;
    }
    return cw_inspect_print_violations(inspect, inspect->directory, violations);
}
