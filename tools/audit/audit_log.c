#include "tools/audit/audit_log.h"

#include "base/map.h"
#include <crawl/sys/request_log.h>

#include <stdlib.h>

/* A request that has left, without its end so far. */
typedef struct departure {
    uint64_t number; /* key */
    cw_audit_request request;
    char text[]; /* host and address */
} departure;

/* The present run. */
typedef struct span {
    bool open;
    bool is_shared;    /* others took part in the crawl */
    uint64_t line;     /* of its beginning */
    uint64_t workers;  /* each may have numbered a request that did not leave */
    uint64_t requests; /* seen: departures, and failed connections */
    uint64_t numbered; /* highest number */
    int64_t latest_us; /* latest time on its lines */
} span;

struct cw_audit_log {
    cw_audit_log_options options;
    cw_audit_reader reader;
    crawl_chain *chain;
    cw_map *away; /* departures */
    span run;
    cw_audit_runs runs;
    cw_audit_clock clock; /* last reported; at_us 0: never */
    uint64_t line;
    bool broken; /* already reported for this line */
};

cw_audit_log *cw_audit_log_create(const cw_audit_log_options *options)
{
    cw_audit_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->options = *options;
    log->reader.per_ip = options->per_ip;
    log->away = cw_map_create((uintptr_t)log);
    log->chain = crawl_chain_create();
    if (log->away && log->chain)
        return log;
    cw_audit_log_free(log);
    return NULL;
}

static void forget_departures(cw_audit_log *log)
{
    size_t cursor = 0;
    for (departure *one; log->away && (one = cw_map_next(log->away, &cursor));)
        free(one);
    if (log->away)
        cw_map_clear(log->away);
}

void cw_audit_log_free(cw_audit_log *log)
{
    if (!log)
        return;
    forget_departures(log);
    cw_map_free(log->away);
    cw_audit_reader_free(&log->reader);
    crawl_chain_free(log->chain);
    free(log);
}

cw_audit_runs cw_audit_log_runs(const cw_audit_log *log)
{
    return log->runs;
}

static void audit_log_violate(cw_audit_log *log, cw_audit_violation violation)
{
    if (!violation.line)
        violation.line = log->line;
    cw_audit_violate(log->options.audit, &violation);
}

static void break_chain(cw_audit_log *log)
{
    if (!log->broken)
        audit_log_violate(log, (cw_audit_violation){.kind = CW_AUDIT_CHAIN});
    log->broken = true;
}

/* Adds a request to the check between several logs. Its numbers are checked within its own log. */
static crawl_err add_between(cw_audit_log *log, cw_audit_request request)
{
    if (!log->clock.at_us)
        return CRAWL_ABSENT;
    request.log = log->options.number;
    request.line = cw_audit_log_place(request.log, request.line);
    request.end_line = cw_audit_log_place(request.log, request.end_line);
    request.seq = request.run = 0;
    if (request.address_limit) /* each process has its own */
        request.ip = (crawl_slice){0};
    request.start_us += request.ahead_us;
    request.end_us += request.ahead_us;
    request.hold_until_us += request.hold_until_us ? request.ahead_us : 0;
    return cw_audit_add(log->options.between, &request);
}

static crawl_err audit_log_add(cw_audit_log *log, cw_audit_request *request)
{
    log->options.on_request(log->options.user, request);
    crawl_err err = log->options.between ? add_between(log, *request) : CRAWL_OK;
    return err ? err : cw_audit_add(log->options.audit, request);
}

static crawl_slice audit_log_key_of(const uint64_t *number)
{
    return crawl_slice_of(number, sizeof *number);
}

/* ---- requests ---- */

static void see(cw_audit_log *log, int64_t at_us)
{
    if (at_us > log->run.latest_us)
        log->run.latest_us = at_us;
}

static void audit_log_count(cw_audit_log *log, uint64_t number)
{
    log->run.requests++;
    if (number > log->run.numbered)
        log->run.numbered = number;
}

static crawl_err audit_log_read_request(cw_audit_log *log, cw_audit_event event, cw_audit_request *request,
                                        uint64_t *number, crawl_error *error)
{
    bool foreign = false;
    crawl_err err = cw_audit_read_record(&log->reader, event, request, number, &foreign, error);
    if (err)
        return err;
    request->line = log->line;
    request->comes_back = log->run.is_shared;
    request->ahead_us = log->clock.ahead_us;
    request->within_us = log->clock.within_us;
    if (foreign)
        log->options.on_foreign(log->options.user, request, crawl_buf_slice(&log->reader.text));
    request->run = log->runs.runs;
    see(log, request->end_us);
    return CRAWL_OK;
}

/* NULL: out of memory. */
static departure *audit_log_keep(const cw_audit_request *request, uint64_t number)
{
    crawl_slice host = request->host;
    crawl_slice ip = request->ip;
    departure *one = malloc(sizeof *one + host.size + ip.size);
    if (!one)
        return NULL;
    one->number = number;
    one->request = *request;
    memcpy(one->text, host.data, host.size);
    if (ip.size)
        memcpy(one->text + host.size, ip.data, ip.size);
    one->request.host.data = one->text;
    one->request.ip.data = one->text + host.size;
    return one;
}

static crawl_err take_departure(cw_audit_log *log, crawl_error *error)
{
    cw_audit_request request;
    uint64_t number;
    crawl_err err = audit_log_read_request(log, CW_AUDIT_DEPART, &request, &number, error);
    if (err)
        return err;
    departure *one = audit_log_keep(&request, number);
    err = one ? cw_map_put(log->away, audit_log_key_of(&one->number), one) : CRAWL_ENOMEM;
    if (!err)
        audit_log_count(log, number);
    else
        free(one);
    if (err != CRAWL_EXISTS)
        return err;
    audit_log_violate(log,
                      (cw_audit_violation){.kind = CW_AUDIT_UNPAIRED, .host = request.host, .got = (int64_t)number});
    return CRAWL_OK;
}

static bool agree(const cw_audit_request *a, const cw_audit_request *b)
{
    return crawl_slice_equal(a->host, b->host) && crawl_slice_equal(a->ip, b->ip) && a->start_us == b->start_us &&
           a->pause_us == b->pause_us && a->pause_by == b->pause_by && a->limit == b->limit && a->seq == b->seq;
}

/* Joins a departure and its end. The values of the departure count. */
static crawl_err audit_log_join(cw_audit_log *log, departure *from, const cw_audit_request *end)
{
    cw_audit_request whole = from->request;
    if (!agree(&whole, end))
        audit_log_violate(log, (cw_audit_violation){.kind = CW_AUDIT_DIFFERS,
                                                    .host = whole.host,
                                                    .other_line = whole.line,
                                                    .got = (int64_t)from->number});
    whole.end_line = end->line;
    whole.end_us = end->end_us > whole.start_us ? end->end_us : whole.start_us;
    whole.hold_until_us = end->hold_until_us;
    whole.hold_by = end->hold_by;
    crawl_err err = audit_log_add(log, &whole);
    free(from);
    return err;
}

static crawl_err audit_log_take_end(cw_audit_log *log, crawl_error *error)
{
    cw_audit_request request;
    uint64_t number;
    crawl_err err = audit_log_read_request(log, CW_AUDIT_END, &request, &number, error);
    if (err)
        return err;
    departure *from = cw_map_remove(log->away, audit_log_key_of(&number));
    if (from)
        return audit_log_join(log, from, &request);
    if (request.sent)
        audit_log_violate(
            log, (cw_audit_violation){.kind = CW_AUDIT_UNPAIRED, .host = request.host, .got = (int64_t)number});
    audit_log_count(log, number);
    return audit_log_add(log, &request);
}

/* ---- runs ---- */

/* Adds departures without an end, as requests that were under way until the end of the run. */
static crawl_err add_departures(cw_audit_log *log, bool in_flight)
{
    size_t cursor = 0;
    crawl_err err = CRAWL_OK;
    for (departure *one; !err && (one = cw_map_next(log->away, &cursor));) {
        if (!in_flight)
            audit_log_violate(log, (cw_audit_violation){.kind = CW_AUDIT_UNPAIRED,
                                                        .line = one->request.line,
                                                        .host = one->request.host,
                                                        .got = (int64_t)one->number});
        one->request.end_us = log->run.latest_us + 1;
        err = audit_log_add(log, &one->request);
    }
    forget_departures(log);
    return err;
}

static void audit_log_lose(cw_audit_log *log, uint64_t line, uint64_t wanted)
{
    audit_log_violate(
        log, (cw_audit_violation){
                 .kind = CW_AUDIT_LOST, .line = line, .allowed = (int64_t)wanted, .got = (int64_t)log->run.requests});
}

/* Ends a run without "run-end": it was killed. */
static crawl_err abandon_run(cw_audit_log *log)
{
    span *run = &log->run;
    if (!run->open)
        return CRAWL_OK;
    run->open = false;
    log->runs.killed++;
    log->runs.in_flight += cw_map_count(log->away);
    uint64_t absent = run->numbered > run->requests ? run->numbered - run->requests : 0;
    bool is_explained = absent <= run->workers;
    if (!is_explained)
        audit_log_lose(log, run->line, run->numbered);
    crawl_err err = add_departures(log, true);
    return err ? err : cw_audit_end_run(log->options.audit, is_explained ? absent : 0);
}

static void open_run(cw_audit_log *log, uint64_t workers)
{
    log->runs.runs++;
    log->run = (span){.open = true, .line = log->line, .workers = workers, .latest_us = log->run.latest_us};
}

/* Moves earlier times back before the beginning of the run, by as much as the clock is known to have been set back. */
static void set_back(cw_audit_log *log, const cw_audit_run *begun)
{
    int64_t by_us = log->run.latest_us - begun->at_us;
    if (by_us < begun->set_back_us)
        by_us = begun->set_back_us;
    if (by_us > 0)
        cw_audit_set_back(log->options.audit, by_us);
}

static crawl_err begin_run(cw_audit_log *log, bool follows, crawl_error *error)
{
    cw_audit_run begun;
    crawl_err err = cw_audit_read_run(&log->reader, CW_AUDIT_RUN, &begun, error);
    if (!err)
        err = abandon_run(log);
    if (err)
        return err;
    if (follows)
        set_back(log, &begun);
    open_run(log, begun.count);
    log->run.is_shared = begun.is_shared;
    log->run.latest_us = begun.at_us;
    return CRAWL_OK;
}

static crawl_err end_run(cw_audit_log *log, crawl_error *error)
{
    cw_audit_run ended;
    crawl_err err = cw_audit_read_run(&log->reader, CW_AUDIT_RUN_END, &ended, error);
    if (err)
        return err;
    see(log, ended.at_us);
    if (ended.count != log->run.requests || log->run.numbered > ended.count)
        audit_log_lose(log, log->line, ended.count > log->run.numbered ? ended.count : log->run.numbered);
    log->run.open = false;
    err = add_departures(log, false);
    return err ? err : cw_audit_end_run(log->options.audit, 0);
}

/* ---- lines ---- */

static crawl_err take_clock(cw_audit_log *log, crawl_error *error)
{
    crawl_err err = cw_audit_read_clock(&log->reader, &log->clock, error);
    if (!err)
        see(log, log->clock.at_us);
    return err;
}

static crawl_err audit_log_take_event(cw_audit_log *log, cw_audit_event event, bool follows, crawl_error *error)
{
    if (event == CW_AUDIT_RUN)
        return begin_run(log, follows, error);
    if (!log->run.open) {
        break_chain(log);
        open_run(log, 0);
    }
    return event == CW_AUDIT_CLOCK    ? take_clock(log, error)
           : event == CW_AUDIT_DEPART ? take_departure(log, error)
           : event == CW_AUDIT_END    ? audit_log_take_end(log, error)
                                      : end_run(log, error);
}

static crawl_err audit_log_take(cw_audit_log *log, cw_audit_event event, crawl_slice line, crawl_error *error)
{
    crawl_chain_answer answer;
    crawl_err err = crawl_chain_check(log->chain, line, &answer);
    if (err)
        return err;
    bool follows = answer == CRAWL_CHAIN_FOLLOWS;
    if (!follows && (answer != CRAWL_CHAIN_BEGINS || event != CW_AUDIT_RUN))
        break_chain(log);
    return audit_log_take_event(log, event, follows, error);
}

crawl_err cw_audit_log_line(cw_audit_log *log, crawl_slice line, uint64_t number, bool is_whole, crawl_error *error)
{
    cw_audit_event event;
    log->line = number;
    log->broken = false;
    crawl_err err = cw_audit_read_event(&log->reader, line, &event, error);
    if (err == CRAWL_EPARSE && !is_whole && log->runs.runs) {
        log->runs.torn = true;
        return CRAWL_OK;
    }
    if (!err)
        err = audit_log_take(log, event, line, error);
    if (err || !log->options.on_row)
        return err;
    return log->options.on_row(log->options.user, event, log->reader.row, number);
}

int64_t cw_audit_log_time(const cw_audit_log *log)
{
    return log->run.latest_us + log->clock.ahead_us;
}

crawl_err cw_audit_log_end(cw_audit_log *log)
{
    crawl_err err = abandon_run(log);
    return err ? err : cw_audit_end(log->options.audit);
}
