/* See audit.h. The window is a heap. A request that leaves it is checked against the state of its host and its address
 * at the request's start. */
#include "tools/audit/audit.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/map.h"

#include <stdlib.h>

/* A request that had not ended when its host's latest request started. */
typedef struct running {
    int64_t start_us;
    int64_t end_us;
    int64_t hold_until_us;
    const char *hold_by;
    uint64_t line;
    uint32_t log;
    int64_t within_us;
} running;

typedef struct group {
    cw_audit_host known; /* first, for the result */
    int64_t last_us;     /* start of the next pause */
    uint64_t last_line;  /* 0: none */
    uint32_t last_log;
    int64_t last_within_us;
    uint64_t seq;
    uint64_t run;
    running hold; /* the longest among ended requests */
    running *active;
    size_t active_count;
    size_t active_capacity;
    char name[];
} group;

typedef struct windowed {
    cw_audit_request request; /* without host and ip */
    group *host;
    group *address;
} windowed;

struct cw_audit {
    cw_audit_options options;
    windowed *heap;
    size_t count;
    size_t capacity;
    bool any;         /* a request has left the window */
    int64_t since_us; /* valid if any */
    uint64_t absent;  /* of the present run, see cw_audit_end_run */
    uint64_t checked;
    uint64_t violations;
    cw_map *hosts;
    cw_map *addresses;
    cw_audit_host *answer;
};

const char *cw_audit_kind_name(cw_audit_kind kind)
{
    static const char *const names[CW_AUDIT_KINDS] = {"too-soon", "held",     "at-once", "missing", "foreign",
                                                      "chain",    "unpaired", "differs", "lost"};
    return names[kind];
}

cw_audit *cw_audit_create(const cw_audit_options *options)
{
    cw_audit *audit = calloc(1, sizeof *audit);
    if (!audit)
        return NULL;
    audit->options = *options;
    if (!audit->options.window)
        audit->options.window = CW_AUDIT_WINDOW;
    audit->hosts = cw_map_create((uintptr_t)audit);
    audit->addresses = cw_map_create((uintptr_t)audit + 1);
    if (audit->hosts && audit->addresses)
        return audit;
    cw_audit_free(audit);
    return NULL;
}

static void free_groups(cw_map *map)
{
    size_t cursor = 0;
    for (group *one; map && (one = cw_map_next(map, &cursor));) {
        free(one->active);
        free(one);
    }
    cw_map_free(map);
}

void cw_audit_free(cw_audit *audit)
{
    if (!audit)
        return;
    free_groups(audit->hosts);
    free_groups(audit->addresses);
    free(audit->heap);
    free(audit->answer);
    free(audit);
}

/* NULL: out of memory. */
static group *get_group(cw_map *map, crawl_slice name, bool is_address)
{
    group *one = cw_map_get(map, name);
    if (one)
        return one;
    one = calloc(1, sizeof *one + name.size);
    if (!one)
        return NULL;
    memcpy(one->name, name.data, name.size);
    one->known =
        (cw_audit_host){.name = crawl_slice_of(one->name, name.size), .is_address = is_address, .gap_us = INT64_MAX};
    if (cw_map_put(map, one->known.name, one)) {
        free(one);
        return NULL;
    }
    return one;
}

/* ---- the window ---- */

/* Returns when the request counts: at its start or, if it was not sent, at its end. */
static int64_t audit_moment(const cw_audit_request *r)
{
    return r->sent ? r->start_us : r->end_us;
}

/* Orders requests by that moment; at the same moment, by their number, then by their line. */
static bool audit_before(const windowed *a, const windowed *b)
{
    int64_t a_us = audit_moment(&a->request);
    int64_t b_us = audit_moment(&b->request);
    if (a_us != b_us)
        return a_us < b_us;
    if (a->host == b->host && a->request.seq != b->request.seq)
        return a->request.seq < b->request.seq;
    return a->request.line < b->request.line;
}

static void audit_put(cw_audit *audit, const windowed *one)
{
    size_t at = audit->count++;
    for (; at && audit_before(one, &audit->heap[(at - 1) / 2]); at = (at - 1) / 2)
        audit->heap[at] = audit->heap[(at - 1) / 2];
    audit->heap[at] = *one;
}

static windowed audit_take(cw_audit *audit)
{
    windowed first = audit->heap[0];
    windowed last = audit->heap[--audit->count];
    size_t at = 0;
    for (size_t child; (child = at * 2 + 1) < audit->count; at = child) {
        child += child + 1 < audit->count && audit_before(&audit->heap[child + 1], &audit->heap[child]);
        if (!audit_before(&audit->heap[child], &last))
            break;
        audit->heap[at] = audit->heap[child];
    }
    audit->heap[at] = last;
    return first;
}

/* ---- the checks ---- */

static void audit_violate(cw_audit *audit, group *where, cw_audit_violation violation)
{
    if (where) {
        violation.host = where->known.name;
        where->known.violations++;
    }
    audit->violations++;
    if (audit->options.on_violation)
        audit->options.on_violation(audit->options.user, &violation);
}

/* Returns the maximum error of the measured distance of two requests. */
static int64_t may_be_off(uint32_t log, uint32_t earlier_log, int64_t earlier_within_us)
{
    return log == earlier_log ? 0 : earlier_within_us;
}

/* Returns true if the request was certainly sent after this time of another log, whatever the error of its clock.
 * Otherwise no rule between them can be checked. */
static bool is_after(const cw_audit_request *r, uint32_t earlier_log, int64_t earlier_us)
{
    return r->log == earlier_log || r->start_us - r->within_us >= earlier_us;
}

/* Removes the requests that had ended when this one started. */
static void retire(group *g, int64_t start_us, uint32_t log, int64_t tolerance_us)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->active_count; i++) {
        running one = g->active[i];
        if (one.end_us - tolerance_us - may_be_off(log, one.log, one.within_us) > start_us)
            g->active[kept++] = one;
        else if (one.hold_until_us > g->hold.hold_until_us)
            g->hold = one;
    }
    g->active_count = kept;
}

static crawl_err add_active(group *g, const cw_audit_request *r)
{
    if (g->active_count == CW_AUDIT_AT_ONCE_MAX)
        return CRAWL_FULL;
    if (CW_ARRAY_RESERVE(g->active, g->active_capacity, g->active_count + 1, 4))
        return CRAWL_ENOMEM;
    g->active[g->active_count++] = (running){.start_us = r->start_us,
                                             .end_us = r->end_us,
                                             .hold_until_us = r->hold_until_us,
                                             .hold_by = r->hold_by,
                                             .line = r->end_line ? r->end_line : r->line,
                                             .log = r->log,
                                             .within_us = r->within_us};
    return CRAWL_OK;
}

static bool is_of_concern(const cw_audit *audit, const cw_audit_request *r, uint32_t earlier_log)
{
    return !audit->options.between_logs || r->log != earlier_log;
}

static void check_pause(cw_audit *audit, group *g, const cw_audit_request *r)
{
    if (!g->last_line)
        return;
    int64_t gap = audit_moment(r) - g->last_us;
    bool nearest = g->known.gap_us == INT64_MAX || gap - r->pause_us < g->known.gap_us - g->known.pause_us;
    if (nearest) {
        g->known.gap_us = gap;
        g->known.pause_us = r->pause_us;
    }
    int64_t off_us = may_be_off(r->log, g->last_log, g->last_within_us);
    if (is_of_concern(audit, r, g->last_log) && is_after(r, g->last_log, g->last_us) &&
        gap + audit->options.tolerance_us + off_us < r->pause_us)
        audit_violate(audit, g,
                      (cw_audit_violation){.kind = CW_AUDIT_TOO_SOON,
                                           .line = r->line,
                                           .other_line = g->last_line,
                                           .by_us = r->pause_us - gap,
                                           .allowed = r->pause_us,
                                           .got = gap,
                                           .reason = r->pause_by});
}

static void check_hold(cw_audit *audit, group *g, const cw_audit_request *r)
{
    int64_t early = g->hold.hold_until_us - r->start_us;
    int64_t off_us = may_be_off(r->log, g->hold.log, g->hold.within_us);
    if (is_of_concern(audit, r, g->hold.log) && is_after(r, g->hold.log, g->hold.end_us) &&
        early > audit->options.tolerance_us + off_us)
        audit_violate(audit, g,
                      (cw_audit_violation){.kind = CW_AUDIT_HELD,
                                           .line = r->line,
                                           .other_line = g->hold.line,
                                           .by_us = early,
                                           .reason = g->hold.hold_by});
}

/* Counts the requests under way together, including this one, as far as that is certain: one of another log that may
 * have begun after the end of this one does not count. */
static uint32_t count_together(const group *g, const cw_audit_request *r)
{
    uint32_t count = 0;
    for (size_t i = 0; i < g->active_count; i++)
        count += g->active[i].log == r->log || r->end_us - r->within_us > g->active[i].start_us;
    return count;
}

static void check_at_once(cw_audit *audit, group *g, const cw_audit_request *r)
{
    uint32_t now = count_together(g, r);
    if (now > g->known.at_once)
        g->known.at_once = now;
    if (r->limit && (!g->known.limit || r->limit < g->known.limit))
        g->known.limit = r->limit;
    bool concerns_both = !audit->options.between_logs;
    for (size_t i = 0; i < g->active_count && !concerns_both; i++)
        concerns_both = g->active[i].log != r->log;
    if (concerns_both && r->limit && now > r->limit)
        audit_violate(audit, g,
                      (cw_audit_violation){.kind = CW_AUDIT_AT_ONCE, .line = r->line, .allowed = r->limit, .got = now});
}

/* Returns true if the hold belongs to a single run, as all do that the host has not asked for. */
static bool is_of_run(const running *one)
{
    return one->hold_by && (strcmp(one->hold_by, "backoff") == 0 || strcmp(one->hold_by, "given-up") == 0 ||
                            strcmp(one->hold_by, "wall") == 0);
}

/* Forgets the holds of a finished run. Only the longest of overlapping holds is known, so a hold of Retry-After may be
 * forgotten too. */
static void audit_forget_run(group *g)
{
    if (is_of_run(&g->hold))
        g->hold = (running){0};
    for (size_t i = 0; i < g->active_count; i++)
        if (is_of_run(&g->active[i]))
            g->active[i].hold_until_us = 0;
}

/* Checks the number of a request. A further run of the crawl counts from 1 again, and so does a process that has given
 * the host back and takes it again. The run's numbers show whether requests are missing there. */
static void check_seq(cw_audit *audit, group *g, const cw_audit_request *r)
{
    bool begins = r->run ? r->run != g->run : r->seq == 1;
    bool comes_back = r->comes_back && r->seq == 1;
    uint64_t due = begins || comes_back ? 1 : g->seq + 1;
    if (begins)
        audit_forget_run(g);
    g->seq = r->seq;
    g->run = r->run;
    if (!r->seq || r->seq == due)
        return;
    if (r->seq > due && r->seq - due <= audit->absent) {
        audit->absent -= r->seq - due;
        return;
    }
    audit_violate(audit, g,
                  (cw_audit_violation){.kind = r->seq > due ? CW_AUDIT_MISSING : CW_AUDIT_FOREIGN,
                                       .line = r->line,
                                       .other_line = r->seq > due ? 0 : g->last_line,
                                       .allowed = (int64_t)due,
                                       .got = (int64_t)r->seq});
}

static crawl_err check_group(cw_audit *audit, group *g, const cw_audit_request *r)
{
    retire(g, r->start_us, r->log, audit->options.tolerance_us);
    check_pause(audit, g, r);
    check_hold(audit, g, r);
    crawl_err err = add_active(g, r);
    check_at_once(audit, g, r);
    g->known.requests++;
    g->last_us = audit_moment(r);
    g->last_line = r->line;
    g->last_log = r->log;
    g->last_within_us = r->within_us;
    return err;
}

/* Checks the earliest request, which leaves the window. A hold applies to the host, not to the address. */
static crawl_err check_next(cw_audit *audit)
{
    windowed one = audit_take(audit);
    audit->any = true;
    audit->since_us = audit_moment(&one.request);
    audit->checked++;
    check_seq(audit, one.host, &one.request);
    crawl_err err = check_group(audit, one.host, &one.request);
    one.request.hold_until_us = 0;
    if (one.request.address_limit) {
        one.request.limit = one.request.address_limit;
        one.request.pause_us = one.request.address_pause_us;
        one.request.pause_by = "address_delay";
    }
    if (!err && one.address)
        err = check_group(audit, one.address, &one.request);
    return err;
}

crawl_err cw_audit_add(cw_audit *audit, const cw_audit_request *request)
{
    if (audit->any && audit_moment(request) < audit->since_us)
        return CRAWL_ESTATE;
    windowed one = {.request = *request, .host = get_group(audit->hosts, request->host, false)};
    if (request->ip.size)
        one.address = get_group(audit->addresses, request->ip, true);
    if (!one.host || (request->ip.size && !one.address) ||
        CW_ARRAY_RESERVE(audit->heap, audit->capacity, audit->count + 1, 1024))
        return CRAWL_ENOMEM;
    one.request.host = one.request.ip = (crawl_slice){0};
    audit_put(audit, &one);
    return audit->count > audit->options.window ? check_next(audit) : CRAWL_OK;
}

crawl_err cw_audit_end(cw_audit *audit)
{
    crawl_err err = CRAWL_OK;
    while (audit->count && !err)
        err = check_next(audit);
    return err;
}

crawl_err cw_audit_end_run(cw_audit *audit, uint64_t absent)
{
    audit->absent = absent;
    crawl_err err = cw_audit_end(audit);
    audit->absent = 0;
    audit->any = false;
    return err;
}

void cw_audit_set_back(cw_audit *audit, int64_t by_us)
{
    cw_map *const maps[] = {audit->hosts, audit->addresses};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        size_t cursor = 0;
        for (group *g; (g = cw_map_next(maps[i], &cursor));) {
            retire(g, INT64_MAX, 0, 0);
            g->last_us -= by_us;
            g->hold.hold_until_us -= by_us;
        }
    }
}

void cw_audit_violate(cw_audit *audit, const cw_audit_violation *violation)
{
    audit_violate(audit, violation->host.size ? cw_map_get(audit->hosts, violation->host) : NULL, *violation);
}

uint64_t cw_audit_violations(const cw_audit *audit)
{
    return audit->violations;
}

uint64_t cw_audit_requests(const cw_audit *audit)
{
    return audit->checked;
}

/* ---- results ---- */

static int64_t slack(const cw_audit_host *host)
{
    return host->gap_us == INT64_MAX ? INT64_MAX : host->gap_us - host->pause_us;
}

static int by_slack(const void *a, const void *b)
{
    const cw_audit_host *left = a;
    const cw_audit_host *right = b;
    if (left->is_address != right->is_address)
        return left->is_address ? 1 : -1;
    if (slack(left) != slack(right))
        return slack(left) < slack(right) ? -1 : 1;
    return cw_compare(left->name, right->name);
}

static size_t collect(const cw_map *map, cw_audit_host *out)
{
    size_t cursor = 0;
    size_t count = 0;
    for (group *one; (one = cw_map_next(map, &cursor));)
        out[count++] = one->known;
    return count;
}

const cw_audit_host *cw_audit_hosts(cw_audit *audit, size_t *count)
{
    size_t all = cw_map_count(audit->hosts) + cw_map_count(audit->addresses);
    *count = 0;
    free(audit->answer);
    audit->answer = all ? calloc(all, sizeof *audit->answer) : NULL;
    if (!audit->answer)
        return NULL;
    *count = collect(audit->hosts, audit->answer);
    *count += collect(audit->addresses, audit->answer + *count);
    qsort(audit->answer, *count, sizeof *audit->answer, by_slack);
    return audit->answer;
}
