#include "tools/audit/audit_print.h"

#include "tools/common/io.h"
#include "tools/common/refused_memory.h"

#include <inttypes.h>

enum { SHOWN_VIOLATIONS = 100 /* in text */, PLACE_MAX = 4200 };

static double ms_of(int64_t us)
{
    return (double)us / 1000;
}

/* Returns "line 7", or "FILE: line 7" with several logs. */
static const char *audit_print_place_of(const cw_audit_printer *p, uint64_t line, char *room, size_t size)
{
    uint64_t number = line & (((uint64_t)1 << 40) - 1);
    if (p->paths)
        snprintf(room, size, "%s: line %" PRIu64, p->paths[line >> 40], number);
    else
        snprintf(room, size, "line %" PRIu64, line);
    return room;
}

static void set_line(const cw_audit_printer *p, json_t *object, const char *field, const char *file, uint64_t line)
{
    uint64_t number = line & (((uint64_t)1 << 40) - 1);
    if (p->paths)
        json_object_set_new(object, file, cw_tool_json_text(crawl_slice_from(p->paths[line >> 40])));
    json_object_set_new(object, field, json_integer((json_int_t)(p->paths ? number : line)));
}

static void print_violation_object(const cw_audit_printer *p, const cw_audit_violation *v)
{
    json_t *object = json_object();
    json_object_set_new(object, "violation", json_string(cw_audit_kind_name(v->kind)));
    set_line(p, object, "line", "file", v->line);
    if (v->host.size)
        json_object_set_new(object, "host", cw_tool_json_text(v->host));
    if (v->other_line)
        set_line(p, object, "after_line", "after_file", v->other_line);
    if (v->by_us)
        json_object_set_new(object, "early_ms", json_real(ms_of(v->by_us)));
    if (v->reason)
        json_object_set_new(object, "by", json_string(v->reason));
    bool is_time = v->kind == CW_AUDIT_TOO_SOON;
    if (v->kind != CW_AUDIT_HELD) {
        json_object_set_new(object, "allowed", is_time ? json_real(ms_of(v->allowed)) : json_integer(v->allowed));
        json_object_set_new(object, "got", is_time ? json_real(ms_of(v->got)) : json_integer(v->got));
    }
    cw_tool_json_print(object);
}

static void print_log_violation(const cw_audit_violation *v, const char *other)
{
    switch (v->kind) {
    case CW_AUDIT_CHAIN:
        printf("it does not follow the line before: one of them was changed, or lines between them are missing\n");
        break;
    case CW_AUDIT_UNPAIRED:
        printf("request %" PRId64 " of the run has a departure without an end, or an end without a departure\n",
               v->got);
        break;
    case CW_AUDIT_DIFFERS:
        printf("its departure, %s, contradicts request %" PRId64 "\n", other, v->got);
        break;
    default:
        printf("of %" PRId64 " requests of the run %" PRId64 " are there\n", v->allowed, v->got);
    }
}

static void print_violation_text(const cw_audit_printer *p, const cw_audit_violation *v)
{
    char room[PLACE_MAX];
    char other_room[PLACE_MAX];
    const char *other = audit_print_place_of(p, v->other_line, other_room, sizeof other_room);
    printf("%s: ", audit_print_place_of(p, v->line, room, sizeof room));
    if (v->host.size)
        printf("%.*s: ", (int)v->host.size, v->host.data);
    switch (v->kind) {
    case CW_AUDIT_TOO_SOON:
        printf("%.3f ms too soon: %.3f ms after %s, with a pause of %.3f ms (%s)\n", ms_of(v->by_us), ms_of(v->got),
               other, ms_of(v->allowed), v->reason);
        break;
    case CW_AUDIT_HELD:
        printf("%.3f ms too soon: the answer of %s asked for a hold (%s)\n", ms_of(v->by_us), other, v->reason);
        break;
    case CW_AUDIT_AT_ONCE:
        printf("%" PRId64 " requests at once, %" PRId64 " allowed\n", v->got, v->allowed);
        break;
    case CW_AUDIT_MISSING:
        printf("request %" PRId64 " of the host, where its request %" PRId64 " was due: %" PRId64
               " missing before it\n",
               v->got, v->allowed, v->got - v->allowed);
        break;
    case CW_AUDIT_FOREIGN:
        printf("request %" PRId64 " of the host, where its request %" PRId64 " was due: it or %s is of another host\n",
               v->got, v->allowed, other);
        break;
    default:
        print_log_violation(v, other);
    }
}

void cw_audit_print_violation(cw_audit_printer *p, const cw_audit_violation *violation)
{
    if (p->jsonl)
        print_violation_object(p, violation);
    else if (p->shown++ < SHOWN_VIOLATIONS)
        print_violation_text(p, violation);
}

void cw_audit_print_foreign(cw_audit_printer *p, const cw_audit_request *request, crawl_slice origin)
{
    char room[PLACE_MAX];
    p->foreign++;
    if (!p->jsonl) {
        if (p->shown++ < SHOWN_VIOLATIONS)
            printf("%s: %.*s: the URL is of %.*s\n", audit_print_place_of(p, request->line, room, sizeof room),
                   (int)request->host.size, request->host.data, (int)origin.size, origin.data);
        return;
    }
    json_t *object = json_object();
    json_object_set_new(object, "violation", json_string(cw_audit_kind_name(CW_AUDIT_FOREIGN)));
    set_line(p, object, "line", "file", request->line);
    json_object_set_new(object, "host", cw_tool_json_text(request->host));
    json_object_set_new(object, "url_host", cw_tool_json_text(origin));
    cw_tool_json_print(object);
}

static void print_host_object(const cw_audit_host *host)
{
    bool two = host->gap_us != INT64_MAX;
    json_t *object = json_object();
    json_object_set_new(object, host->is_address ? "address" : "host", cw_tool_json_text(host->name));
    json_object_set_new(object, "requests", json_integer((json_int_t)host->requests));
    json_object_set_new(object, "least_gap", two ? json_real(ms_of(host->gap_us)) : json_null());
    json_object_set_new(object, "pause", two ? json_real(ms_of(host->pause_us)) : json_null());
    json_object_set_new(object, "at_once", json_integer(host->at_once));
    json_object_set_new(object, "limit", host->limit ? json_integer(host->limit) : json_null());
    json_object_set_new(object, "violations", json_integer((json_int_t)host->violations));
    cw_tool_json_print(object);
}

static void print_host_text(const cw_audit_host *host)
{
    char gap[32] = "-";
    char pause[32] = "-";
    char limit[16] = "any";
    if (host->gap_us != INT64_MAX) {
        snprintf(gap, sizeof gap, "%.3f ms", ms_of(host->gap_us));
        snprintf(pause, sizeof pause, "%.3f ms", ms_of(host->pause_us));
    }
    if (host->limit)
        snprintf(limit, sizeof limit, "%" PRIu32, host->limit);
    printf("%-40.*s %9" PRIu64 " %15s %15s %8" PRIu32 " %8s%s\n", (int)host->name.size, host->name.data, host->requests,
           gap, pause, host->at_once, limit, host->violations ? "  VIOLATED" : "");
}

static void audit_print_hosts(cw_audit_printer *p, cw_audit *audit)
{
    size_t count;
    const cw_audit_host *hosts = cw_audit_hosts(audit, &count);
    if (!hosts && cw_audit_requests(audit))
        cw_tool_memory_refused();
    if (!p->jsonl)
        printf("\n%-40s %9s %15s %15s %8s %8s\n", "host", "requests", "least gap", "pause", "at once", "allowed");
    for (size_t i = 0; i < count && (p->jsonl || i < p->rows); i++)
        p->jsonl ? print_host_object(&hosts[i]) : print_host_text(&hosts[i]);
    if (!p->jsonl && count > p->rows)
        printf("and %zu more, farther from their pause\n", count - p->rows);
}

static void print_summary_object(uint64_t requests, uint64_t violations, const cw_audit_runs *runs)
{
    json_t *object = json_object();
    json_object_set_new(object, "proven", json_boolean(!violations));
    json_object_set_new(object, "requests", json_integer((json_int_t)requests));
    json_object_set_new(object, "violations", json_integer((json_int_t)violations));
    json_object_set_new(object, "runs", json_integer((json_int_t)runs->runs));
    json_object_set_new(object, "killed", json_integer((json_int_t)runs->killed));
    json_object_set_new(object, "in_flight", json_integer((json_int_t)runs->in_flight));
    json_object_set_new(object, "torn", json_boolean(runs->torn));
    cw_tool_json_print(object);
}

static void print_runs(const cw_audit_runs *runs)
{
    if (runs->killed)
        printf("\nruns without an end, killed or still going: %" PRIu64 " of %" PRIu64 ", with %" PRIu64
               " requests in flight\n",
               runs->killed, runs->runs, runs->in_flight);
    if (runs->torn)
        printf("\nthe last line is cut off: it was being written when its run was killed\n");
}

static void audit_print_verdict(uint64_t requests, uint64_t violations)
{
    if (violations)
        printf("\nnot proven: %" PRIu64 " violations in %" PRIu64 " requests\n", violations, requests);
    else
        printf("\nproven: of %" PRIu64 " requests, none came too soon, and never were too many in flight\n", requests);
}

void cw_audit_print_result(cw_audit_printer *p, cw_audit *audit, const cw_audit_runs *runs)
{
    uint64_t violations = cw_audit_violations(audit) + p->foreign;
    uint64_t requests = cw_audit_requests(audit);
    if (p->shown > SHOWN_VIOLATIONS)
        printf("and %" PRIu64 " more\n", p->shown - SHOWN_VIOLATIONS);
    audit_print_hosts(p, audit);
    if (p->jsonl) {
        print_summary_object(requests, violations, runs);
    } else {
        print_runs(runs);
        audit_print_verdict(requests, violations);
    }
}
