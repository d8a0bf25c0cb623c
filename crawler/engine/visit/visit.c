/* The life of a request from lease to record: may it be asked, what came back, is it asked again, where does it
 * lead. */
#include "crawler/engine/visit/visit.h"

#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/host_rules.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/sitemap_faults.h"
#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/links/trap.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/documents.h"
#include "crawler/engine/visit/duplicates.h"
#include "crawler/engine/visit/exchange.h"
#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/revisits.h"
#include "crawler/engine/visit/robots_visit.h"
#include "crawler/engine/worker.h"

#include <assert.h>
#include <stdio.h>

static void before_end(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (!visit->wall_ms)
        cw_pacer_unasked(engine->pacer, visit->host, &visit->pass);
    if (visit->lease.visit > 1)
        atomic_fetch_sub(&engine->visits_out, 1);
}

/* The lease has ended, and the visit does. */
static void release(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (err)
        cw_engine_fail(engine, err, "the frontier does not take a request back");
    if (visit->has_ticket)
        cw_engine_return_ticket(engine);
    cw_worker_release(visit);
}

/* A page that is over counts in the runs to come. */
static void settle(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_err err = visit->is_counted ? cw_trap_settle(engine->trap, visit->url) : CRAWL_OK;
    if (err)
        cw_engine_fail(engine, err, "the pages of a host cannot be counted");
}

/* The date of a request that goes back. One beyond the longest wait there is would be a request that never comes: a
 * fault of whoever made it, and the crawl would not end. */
static int64_t way_back(const cw_visit *visit, int64_t at_ms)
{
    int64_t last_ms = cw_engine_now(cw_engine_of(visit)) + cw_engine_of(visit)->longest_wait_ms;
    at_ms = visit->return_ms > at_ms ? visit->return_ms : at_ms;
    assert(at_ms <= last_ms);
    return at_ms < last_ms ? at_ms : last_ms;
}

/* Ends the lease, and with it the visit. */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms)
{
    crawl_engine *engine = cw_engine_of(visit);
    /* What came of it may not have arrived where it belongs: it is asked for once more. */
    if (atomic_load(&engine->end) == CRAWL_END_FAILED && outcome != CRAWL_DONE_RETRY) {
        outcome = CRAWL_DONE_RETURN;
        at_ms = 0;
    }
    if (outcome == CRAWL_DONE_RETURN || outcome == CRAWL_DONE_RETRY)
        at_ms = way_back(visit, at_ms);
    before_end(visit);
    int64_t began_us = cw_disk_begin(visit->worker);
    if (outcome != CRAWL_DONE_RETURN)
        settle(visit);
    crawl_err err = crawl_frontier_done(engine->frontier, visit->lease.id, outcome, at_ms, cw_engine_now(engine));
    cw_disk_end(visit->worker, began_us);
    if (visit->is_counted && outcome == CRAWL_DONE_RETURN)
        cw_trap_return(engine->trap, visit->url);
    release(visit, err);
}

void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (atomic_load(&engine->end) == CRAWL_END_FAILED) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return;
    }
    before_end(visit);
    int64_t began_us = cw_disk_begin(visit->worker);
    settle(visit);
    crawl_err err = crawl_frontier_done_again(engine->frontier, visit->lease.id, at_ms, memo, cw_engine_now(engine));
    cw_disk_end(visit->worker, began_us);
    if (err == CRAWL_ENOMEM) /* the lease is still out; it is asked for once more when the crawl goes on */
        crawl_frontier_done(engine->frontier, visit->lease.id, CRAWL_DONE_RETURN, 0, cw_engine_now(engine));
    release(visit, err);
}

crawl_error_class cw_class_of(crawl_fetch_error error)
{
    static const crawl_error_class classes[] = {
        [CRAWL_FETCH_OK] = CRAWL_CLASS_LOCAL,          [CRAWL_FETCH_DNS] = CRAWL_CLASS_DNS,
        [CRAWL_FETCH_CONNECT] = CRAWL_CLASS_CONNECT,   [CRAWL_FETCH_TLS] = CRAWL_CLASS_TLS,
        [CRAWL_FETCH_TIMEOUT] = CRAWL_CLASS_TIMEOUT,   [CRAWL_FETCH_RESET] = CRAWL_CLASS_RESET,
        [CRAWL_FETCH_PROTOCOL] = CRAWL_CLASS_PROTOCOL, [CRAWL_FETCH_TOO_LARGE] = CRAWL_CLASS_TOO_LARGE,
        [CRAWL_FETCH_CANCELLED] = CRAWL_CLASS_LOCAL,   [CRAWL_FETCH_PRIVATE] = CRAWL_CLASS_PRIVATE,
        [CRAWL_FETCH_LOCAL] = CRAWL_CLASS_LOCAL,       [CRAWL_FETCH_NO_SOCKET] = CRAWL_CLASS_LOCAL,
    };
    return classes[error];
}

bool cw_visit_allows_private(const cw_visit *visit)
{
    return cw_guard_admits(cw_engine_of(visit)->guard, visit->url);
}

bool cw_visit_has_open_port(const cw_visit *visit)
{
    return cw_guard_opens(cw_engine_of(visit)->guard, visit->url);
}

const char *cw_visit_words(const cw_visit *visit, const crawl_response *response)
{
    bool guarded = response->error == CRAWL_FETCH_PRIVATE && !cw_visit_allows_private(visit);
    return guarded ? cw_guard_words(cw_engine_of(visit)->guard, visit->url) : response->error_text;
}

crawl_err cw_visit_access(const cw_visit *visit, const crawl_fetch_access **out)
{
    if (!visit->rules)
        return CRAWL_ENOMEM;
    *out = visit->rules->has_access ? &visit->rules->access : NULL;
    return CRAWL_OK;
}

void cw_count_status(crawl_engine *engine, const crawl_response *response)
{
    int group = response->status / 100;
    cw_count(&engine->counters.status[group >= 1 && group <= 5 ? group : 0], 1);
}

static void set_error(const cw_visit *visit, crawl_record *record, crawl_error_class error_class, const char *words)
{
    if (record->error)
        return;
    record->error = crawl_error_class_name(error_class);
    record->error_text = words;
    cw_count(&cw_engine_of(visit)->counters.errors, 1);
    cw_count(&cw_engine_of(visit)->counters.error_classes[error_class], 1);
}

static crawl_record record_of(const cw_visit *visit)
{
    const crawl_lease *lease = &visit->lease;
    return (crawl_record){
        .url = lease->url,
        .fingerprint = lease->fingerprint,
        .method = lease->method,
        .depth = lease->depth,
        .parent = lease->parent,
        .fetched_at_ms = visit->wall_ms ? visit->wall_ms : cw_wall_ms(),
        .ip = "",
        .error_text = "",
        .attempt = lease->attempt,
        .visit = lease->visit,
    };
}

static void emit(cw_visit *visit, crawl_record *record)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_worker *worker = visit->worker;
    crawl_err err = engine->hooks.on_record ? cw_key_canonical(&engine->key, visit->url, &worker->canonical) : CRAWL_OK;
    record->canonical = crawl_buf_slice(&worker->canonical);
    if (!err && engine->hooks.on_record)
        err = engine->hooks.on_record(engine->hooks.user, record);
    if (!err)
        err = cw_duplicates_settle(visit, record);
    if (err)
        cw_engine_fail(engine, err, "");
}

void cw_visit_refuse(cw_visit *visit, crawl_error_class error_class, const char *words)
{
    if (!(visit->lease.tag & CW_TAG_SITEMAP)) {
        crawl_record record = record_of(visit);
        set_error(visit, &record, error_class, words);
        emit(visit, &record);
    } else {
        cw_sitemap_faults_count(&cw_engine_of(visit)->sitemap_faults, CRAWL_SITEMAP_REFUSED, visit->lease.url);
    }
    cw_revisits_refused(visit, error_class);
}

bool cw_visit_show(cw_visit *visit, const crawl_response *response, const crawl_record *record, const crawl_page *page)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (!engine->hooks.on_response)
        return true;
    crawl_err err = engine->hooks.on_response(engine->hooks.user, engine, record, response, page);
    if (err && err != CRAWL_REFUSED)
        cw_engine_fail(engine, err, "");
    return err == CRAWL_OK;
}

/* What a redirect is refused by. */
static const struct {
    crawl_error_class error_class;
    const char *words; /* NULL: it is not refused */
} refused_redirects[CRAWL_EDGE_COUNT] = {
    [CRAWL_EDGE_NO_URL] = {CRAWL_CLASS_REDIRECTS, "redirected to no http or https URL"},
    [CRAWL_EDGE_NOT_HTTP] = {CRAWL_CLASS_REDIRECTS, "redirected to no http or https URL"},
    [CRAWL_EDGE_REDIRECTS] = {CRAWL_CLASS_REDIRECTS, "too many redirects in a row"},
    [CRAWL_EDGE_SCOPE] = {CRAWL_CLASS_SCOPE, "redirected out of the scope of the crawl"},
    [CRAWL_EDGE_FILTER] = {CRAWL_CLASS_SCOPE, "redirected to what crawl.include and crawl.exclude leave out"},
    [CRAWL_EDGE_PORT] = {CRAWL_CLASS_PORT,
                         "redirected to a port that browsers block, and that no seed names for this host"},
    [CRAWL_EDGE_REFUSED] = {CRAWL_CLASS_REFUSED, "redirected to what a hook does not want"},
    [CRAWL_EDGE_FULL] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_queued or crawl.max_hosts"},
    [CRAWL_EDGE_MAX_URL] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_url"},
    [CRAWL_EDGE_MAX_PATH_DEPTH] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_path_depth"},
    [CRAWL_EDGE_MAX_REPEATS] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_repeats"},
    [CRAWL_EDGE_MAX_QUERIES] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_queries"},
    [CRAWL_EDGE_MAX_PAGES_PER_HOST] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_pages_per_host"},
    [CRAWL_EDGE_MAX_PAGES_PER_DOMAIN] = {CRAWL_CLASS_LIMIT, "redirected beyond crawl.max_pages_per_domain"},
};

static void lead_on(cw_visit *visit, int status, crawl_slice location, crawl_record *record)
{
    crawl_url *target = visit->worker->link;
    crawl_err err = cw_follow_redirect(visit, status, location, target);
    record->redirect = err == CRAWL_EPARSE ? location : crawl_url_href(target);
    crawl_edge_verdict verdict = visit->worker->redirect_verdict;
    if (verdict == CRAWL_EDGE_REFUSED && atomic_load(&cw_engine_of(visit)->end) == CRAWL_END_FAILED)
        set_error(visit, record, CRAWL_CLASS_LOCAL, "the redirect was not followed: the crawl has failed");
    else if (refused_redirects[verdict].words)
        set_error(visit, record, refused_redirects[verdict].error_class, refused_redirects[verdict].words);
    record->fresh = err == CRAWL_OK;
    cw_edges_redirect(visit, record->redirect);
}

static void follow_redirect(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    crawl_slice location = crawl_response_header(response, "Location");
    if (response->status == 300 || response->status == 304 || !location.data)
        return;
    visit->sets_cookie = crawl_response_header(response, "Set-Cookie").data != NULL;
    lead_on(visit, response->status, location, record);
}

/* As if the host had answered with a redirect to https (RFC 6797, 8.3): its URL by the URL itself, which
 * cw_follow_redirect upgrades. */
static void upgrade(cw_visit *visit)
{
    enum { TEMPORARY = 307 };
    crawl_record record = record_of(visit);
    visit->sets_cookie = false;
    lead_on(visit, TEMPORARY, visit->lease.url, &record);
    if (!record.error)
        record.error_text = "not asked: Strict-Transport-Security";
    emit(visit, &record);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

/* The answer stands: what it holds, where it leads. */
static void read_answer(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_count(&engine->counters.pages, 1);
    cw_count(&engine->counters.bytes, response->body.size);
    cw_count_status(engine, response);
    bool complete = response->status >= 200 && response->status < 300 && response->error == CRAWL_FETCH_OK;
    if (complete && record->change != CRAWL_CHANGE_NO)
        cw_document_read(visit, response, record);
    else if (cw_visit_show(visit, response, record, NULL) && response->status >= 300 && response->status < 400)
        follow_redirect(visit, response, record);
}

static void fill_from_response(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    record->status = response->status;
    record->elapsed_ms = response->elapsed_ms;
    record->ip = response->ip;
    record->content_type = crawl_response_header(response, "Content-Type");
    record->charset = crawl_charset_of_content_type(record->content_type);
    record->body = response->body;
    record->bytes = response->body.size;
    bool wanted = response->status && (cw_engine_of(visit)->hooks.digests || cw_engine_of(visit)->dedupe);
    record->has_digest =
        wanted && crawl_fingerprint_bytes(visit->worker->fingerprinter, response->body, &record->digest) == CRAWL_OK;
}

static void finish(cw_visit *visit, const crawl_response *response, const cw_retry_verdict *verdict)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_record record = record_of(visit);
    cw_visit_stay_away(visit, visit->host, verdict);
    fill_from_response(visit, response, &record);
    if (response->error)
        set_error(visit, &record, cw_class_of(response->error), cw_visit_words(visit, response));
    else if (verdict->what == CW_RETRY_STAY_AWAY)
        set_error(visit, &record, CRAWL_CLASS_RETRY_AFTER, "asked to come back later than politeness.max_retry_delay");
    cw_revisits_compare(visit, response, &record);
    if (response->status)
        read_answer(visit, response, &record);
    if (visit->cut_short) { /* by the end of the crawl: the page comes again, so it has no record yet */
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return;
    }
    emit(visit, &record);
    const crawl_config *config = engine->config;
    if (config->max_pages && cw_counted(&engine->counters.pages) >= config->max_pages)
        cw_engine_end(engine, CRAWL_END_MAX_PAGES);
    if (config->max_bytes && cw_counted(&engine->counters.bytes) >= config->max_bytes)
        cw_engine_end(engine, CRAWL_END_MAX_BYTES);
    if (response->status)
        visit->has_ticket = false; /* used up */
    cw_revisits_end(visit, response, &record);
}

void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_retry_verdict *verdict)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (verdict->what != CW_RETRY_STAY_AWAY)
        return;
    crawl_err err = cw_sites_stay_away(engine->sites, host, cw_engine_now(engine) + verdict->delay_ms);
    if (err)
        cw_engine_fail(engine, err, "a host cannot be kept away from");
}

static void left(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    visit->wall_ms = cw_wall_ms();
    visit->number = atomic_fetch_add_explicit(&engine->requests, 1, memory_order_relaxed) + 1;
    /* The clock rounds down; a pause must not be shorter by what it cut off. */
    crawl_frontier_start(engine->frontier, visit->lease.id, cw_engine_now(engine) + 1);
}

/* May the request leave now? */
static bool may_leave(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_slice ip = crawl_fetch_address(visit->worker->fetcher, visit->transfer);
    if (cw_pacer_start(engine->pacer, visit->host, ip, &visit->pass)) {
        visit->return_ms = cw_engine_now(engine) + cw_pacing_wait_ms(&visit->pass);
        return false;
    }
    left(visit);
    return cw_exchange_departs(visit);
}

void cw_visit_on_start(void *user)
{
    cw_visit *visit = user;
    if (!may_leave(visit))
        crawl_fetch_cancel(visit->worker->fetcher, visit->transfer);
}

cw_admission cw_visit_admit(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    visit->rules = cw_pacing_rules(engine, visit->host);
    cw_admission admission = cw_pacing_admit(engine, visit->host, visit->lease.tag & CW_TAG_ROBOTS,
                                             cw_connections_have_room(visit->worker), &visit->pass);
    if (admission == CW_ADMIT_WAIT)
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine) + cw_pacing_wait_ms(&visit->pass));
    return admission;
}

/* Counts what was received, keeps to the pace that follows from it, and shows it to on_exchange. A connection that was
 * tried in vain is a request too: the host's pause runs from it. retry_after_ms: what the host asked for; negative:
 * nothing. */
static void come_back(cw_visit *visit, const crawl_response *response, int64_t retry_after_ms)
{
    crawl_engine *engine = cw_engine_of(visit);
    int64_t retry_after_us = retry_after_ms < 0 ? -1 : retry_after_ms * 1000;
    cw_lane_leave(&visit->worker->lane, &visit->lane);
    cw_count(&engine->counters.wire_bytes, response->wire_bytes);
    cw_pacer_effect effect =
        cw_pacing_done(engine, visit->host, visit->lease.tag & CW_TAG_ROBOTS, response, retry_after_us, &visit->pass);
    if (response->error == CRAWL_FETCH_CANCELLED && !visit->wall_ms)
        return;
    if (!visit->wall_ms)
        left(visit);
    cw_upgrade_note(engine, visit->url, response);
    cw_exchange_ended(visit, response, retry_after_us, &effect);
}

/* Where there was no socket for it: ends the visit, whose request goes back without having been tried. False: there
 * was. */
static bool had_no_socket(cw_visit *visit, const crawl_response *response)
{
    enum { COME_AGAIN_MS = 500 };
    cw_worker *worker = visit->worker;
    if (response->error != CRAWL_FETCH_NO_SOCKET)
        return false;
    crawl_response none = *response;
    none.error = CRAWL_FETCH_CANCELLED;
    come_back(visit, &none, -1);
    cw_worker_squeeze(worker, response->error_text);
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(worker->engine) + COME_AGAIN_MS);
    return true;
}

/* Spreads the retries of requests that fail together. */
static uint8_t salt_of(const crawl_lease *lease)
{
    return (uint8_t)(lease->id * 0x9e3779b97f4a7c15u >> 56);
}

static void end_transfer(cw_visit *visit, const crawl_response *response, cw_visit_reader *read)
{
    crawl_engine *engine = cw_engine_of(visit);
    const crawl_lease *lease = &visit->lease;
    if (had_no_socket(visit, response))
        return;
    int64_t now = cw_engine_now(engine);
    cw_retry_verdict verdict = cw_retry_decide(engine->config, response, lease->method, cw_visit_left(visit),
                                               lease->attempt, cw_wall_ms(), salt_of(lease));
    come_back(visit, response, verdict.retry_after_ms);
    if (response->error == CRAWL_FETCH_CANCELLED) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, now);
    } else if (verdict.what == CW_RETRY_AT) {
        cw_count(&engine->counters.retries, 1);
        cw_visit_end(visit, CRAWL_DONE_RETRY, now + verdict.delay_ms);
    } else {
        read(visit, response, &verdict);
    }
}

void cw_visit_done(cw_visit *visit, const crawl_response *response, cw_visit_reader *read)
{
    cw_worker *worker = visit->worker;
    end_transfer(visit, response, read);
    cw_worker_transfer_ended(worker);
}

static void on_done(void *user, const crawl_response *response)
{
    cw_visit_done(user, response, finish);
}

/* Without memory the crawl ends, and the page is asked for when it goes on; anything else is a fault of the request. */
static void not_asked(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (err != CRAWL_ENOMEM) {
        cw_visit_refuse(visit, CRAWL_CLASS_LOCAL, crawl_strerror(err));
        return;
    }
    cw_engine_fail(engine, err, "a page cannot be asked for");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}

static void ask(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    crawl_fetch_request request = {
        .url = visit->lease.url,
        .method = visit->lease.method,
        .body = visit->lease.body,
        .allow_private = cw_visit_allows_private(visit),
        .capture = worker->engine->hooks.capture,
        .fresh_connection = visit->lease.attempt > 1,
        .on_start = cw_visit_on_start,
        .on_done = on_done,
        .user = visit,
    };
    visit->has_ticket = cw_engine_take_ticket(worker->engine);
    if (!visit->has_ticket) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return;
    }
    crawl_err err = cw_visit_access(visit, &request.access);
    if (!err)
        err = cw_revisits_request(visit, &request.headers);
    if (!err)
        err = crawl_fetch(worker->fetcher, &request, &visit->transfer);
    if (err)
        not_asked(visit, err);
    else
        cw_worker_transfer_began(visit);
}

static void refuse_by_limit(cw_visit *visit, crawl_trap limit)
{
    char words[80];
    snprintf(words, sizeof words, "%s is reached", crawl_trap_name(limit));
    cw_count(&cw_engine_of(visit)->counters.traps[limit], 1);
    cw_visit_refuse(visit, CRAWL_CLASS_LIMIT, words);
}

static void begin_allowed(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_admission admission = cw_visit_admit(visit);
    if (admission == CW_ADMIT_REFUSE)
        cw_visit_refuse(visit, cw_pacing_class(&visit->pass), visit->pass.words);
    if (admission == CW_ADMIT_REFUSE || admission == CW_ADMIT_WAIT)
        return;
    if (visit->lease.tag & CW_TAG_SITEMAP) {
        cw_sitemap_visit_begin(visit);
        return;
    }
    cw_sitemaps_ask(visit);
    bool is_new = visit->lease.attempt == 1 && visit->lease.visit == 1;
    crawl_trap full = is_new ? cw_trap_take(engine->trap, visit->url) : CRAWL_TRAP_NONE;
    visit->is_counted = is_new && !full;
    if (full)
        refuse_by_limit(visit, full);
    else
        ask(visit);
}

static void cannot_begin(cw_visit *visit, crawl_err err)
{
    cw_engine_fail(cw_engine_of(visit), err, "a request cannot be prepared");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(cw_engine_of(visit)));
}

/* Of a page or a sitemap. */
static void begin(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_site_answer answer;
    int64_t now = cw_engine_now(engine);
    crawl_err err = crawl_url_parse(visit->url, visit->lease.url, NULL, NULL);
    if (!err && !(visit->lease.tag & CW_TAG_SITEMAP) && cw_upgrade_wanted(engine, visit->url)) {
        upgrade(visit);
        return;
    }
    if (!err && !cw_visit_has_open_port(visit)) {
        cw_visit_refuse(visit, CRAWL_CLASS_PORT, cw_guard_port_words);
        return;
    }
    if (!err)
        err = cw_sites_check(engine->sites, visit->host, visit->url, !engine->config->robots, now, &answer);
    if (err) {
        cannot_begin(visit, err);
        return;
    }
    switch (answer.verdict) {
    case CW_SITE_ALLOWED:
        begin_allowed(visit);
        break;
    case CW_SITE_REFUSED:
        cw_visit_refuse(visit, answer.error_class, answer.words);
        break;
    case CW_SITE_FETCH_ROBOTS:
        cw_robots_visit_ask(visit);
        break;
    case CW_SITE_PENDING: {
        enum { LOOK_AGAIN_MS = 50 }; /* the host is blocked; this covers the moment before */
        cw_visit_end(visit, CRAWL_DONE_RETURN, now + LOOK_AGAIN_MS);
        break;
    }
    }
}

void cw_visit_begin(cw_visit *visit)
{
    visit->host = cw_host_table_get(cw_engine_of(visit)->host_table, visit->lease.origin);
    if (!visit->host)
        cannot_begin(visit, CRAWL_ENOMEM);
    else if (visit->lease.tag & CW_TAG_ROBOTS)
        cw_robots_visit_begin(visit);
    else
        begin(visit);
}
