#include "crawler/engine/visit/begin.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/http_date.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/redirect.h"
#include "crawler/engine/scope/variants.h"
#include "crawler/engine/visit/again/revisits.h"
#include "crawler/engine/visit/answer/claims.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/probing.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/preprocess/preprocess_visit.h"
#include "crawler/engine/visit/receipts.h"
#include "crawler/engine/visit/render/render_visit.h"
#include "crawler/engine/visit/visit.h"

/* ---- the record ---- */

static void set_error(const cw_visit *visit, crawl_record *record, crawl_error_class error_class, const char *words)
{
    if (record->error)
        return;
    record->error = crawl_error_class_name(error_class);
    record->error_text = words;
    if (record->external)
        return;
    cw_engine_count(&cw_visit_engine(visit)->counters.errors, 1);
    cw_engine_count(&cw_visit_engine(visit)->counters.error_classes[error_class], 1);
}

static crawl_record page_visit_record_of(const cw_visit *visit)
{
    const crawl_lease *lease = &visit->lease;
    return (crawl_record){
        .size = sizeof(crawl_record),
        .url = lease->url,
        .fingerprint = lease->fingerprint,
        .method = lease->method,
        .depth = lease->depth,
        .external = cw_visit_is_external(visit),
        .requisite = cw_links_requisites_is_part(lease->tag),
        .guessed = cw_links_guesses_is(lease->tag),
        .parent = lease->parent,
        .fetched_at_ms = visit->wall_ms ? visit->wall_ms : cw_wall_ms(),
        .ip = "",
        .error_text = "",
        .last_modified = CRAWL_SITEMAP_NO_DATE,
        .attempt = lease->attempt,
        .visit = lease->visit,
        .exchange = visit->number,
        .left_out = !visit->is_kept,
        .withheld = visit->withheld,
        .withheld_by = visit->withheld_by,
    };
}

/* Makes the record of a request that was not sent. */
static crawl_record record_without_answer(cw_visit *visit)
{
    cw_visit_keeping_judge(visit, NULL);
    return page_visit_record_of(visit);
}

/* Hands the record over to on_record. */
static void emit(cw_visit *visit, crawl_record *record)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_links_judge *judge = &visit->maker->judge;
    crawl_err err = CRAWL_OK;
    if (record->external)
        cw_visit_external_count(engine, record->status);
    record->receipt = visit->lease.id;
    if (engine->hooks.on_record) {
        err = cw_links_judge_canonical(judge, visit->url);
        record->canonical = crawl_buf_slice(&judge->canonical);
        if (!err)
            err = engine->hooks.on_record(engine->hooks.user, record);
    }
    if (err == CRAWL_AGAIN) {
        visit->awaits_receipt = true;
        err = cw_visit_receipts_await(engine->receipts, visit->lease.id);
    }
    visit->original = cw_visit_document_original(engine, record);
    if (err)
        cw_engine_fail(engine, err, "");
}

void cw_visit_page_refuse(cw_visit *visit, crawl_error_class error_class, const char *words)
{
    crawl_record record = record_without_answer(visit);
    set_error(visit, &record, error_class, words);
    emit(visit, &record);
    cw_visit_revisits_refused(visit, error_class);
}

/* ---- the redirect ---- */

static void follow_redirect(cw_visit *visit, const cw_links_redirect *redirect, crawl_record *record)
{
    const cw_links_source source = cw_visit_source(visit);
    crawl_edge_verdict verdict = cw_links_redirect_follow(&visit->maker->batch, &source, redirect, &record->redirect);
    cw_links_fate_error error = cw_links_fate_of_redirect(verdict);
    record->fresh = verdict == CRAWL_EDGE_NEW;
    if (verdict == CRAWL_EDGE_REFUSED && cw_engine_failed(cw_visit_engine(visit)))
        set_error(visit, record, CRAWL_CLASS_LOCAL, "the redirect was not followed: the crawl has failed");
    else if (error.words)
        set_error(visit, record, error.error_class, error.words);
}

/* Returns true if the request may have had a condition, of ours or among the user's headers. */
static bool may_be_conditional(const cw_visit *visit)
{
    return visit->is_conditional || visit->lease.headers.size || cw_visit_engine(visit)->config->headers.count ||
           visit->rules->access.headers;
}

/* Names an answer that leads nowhere. A 300 may be a page of choices; the answer to HEAD does not tell. */
static void judge_lost(const cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    bool may_be_page = response->status == 300 && (response->body.size || record->external);
    if (response->status != 304 && !may_be_page)
        set_error(visit, record, CRAWL_CLASS_PROTOCOL, "a redirect without Location");
    else if (response->status == 304 && !may_be_conditional(visit))
        set_error(visit, record, CRAWL_CLASS_PROTOCOL, "304 to a request without a condition");
}

static void read_redirect(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    crawl_slice location = crawl_response_header(response, "Location");
    bool is_detour = visit->wall.verdict == CRAWL_VERDICT_LOGIN || visit->wall.verdict == CRAWL_VERDICT_CONSENT;
    const cw_links_redirect redirect = {
        .status = response->status,
        .location = location,
        .sets_cookie = crawl_response_header(response, "Set-Cookie").data != NULL,
        .is_detour = is_detour,
        .is_asked = is_detour && cw_visit_walls_asked(visit, location),
    };
    if (response->status == 304 || !redirect.location.data)
        judge_lost(visit, response, record);
    if (response->status == 300 || response->status == 304 || !redirect.location.data)
        return;
    cw_visit_probing_judge_redirect(visit, location);
    follow_redirect(visit, &redirect, record);
}

/* Makes a record as if the host had answered with a redirect to https (RFC 6797, 8.3). The redirect names the URL
 * itself, which is upgraded like every URL found. */
void cw_visit_page_upgrade(cw_visit *visit)
{
    enum { TEMPORARY = 307 };
    const cw_links_redirect redirect = {.status = TEMPORARY, .location = visit->lease.url};
    crawl_record record = record_without_answer(visit);
    follow_redirect(visit, &redirect, &record);
    if (!record.error)
        record.error_text = "not asked: Strict-Transport-Security";
    emit(visit, &record);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

/* ---- the answer ---- */

/* Returns true if the answer is of no use. A body that was cut at fetch.max_body is still the beginning of a page. */
static bool is_failed(const crawl_record *record, const crawl_response *response)
{
    return record->error && !(response->error == CRAWL_FETCH_TOO_LARGE && response->body.size);
}

static void count_answer(const cw_visit *visit, const crawl_response *response, bool failed)
{
    crawl_engine *engine = cw_visit_engine(visit);
    int group = response->status / 100;
    cw_engine_count(&engine->counters.pages, 1);
    cw_engine_count(&engine->counters.kept, visit->is_kept);
    cw_engine_count(&engine->counters.failed_2xx, group == 2 && failed);
    cw_engine_count(&engine->counters.withheld, visit->withheld != NULL);
    cw_engine_count(&engine->counters.bytes, response->body.size);
    cw_engine_count(&engine->counters.status[group >= 1 && group <= 5 ? group : 0], 1);
}

static void say_variants(crawl_engine *engine, const crawl_url *url, crawl_slice name)
{
    crawl_buf words = {0};
    crawl_slice host = crawl_url_hostname(url);
    if (!crawl_buf_printf(
            &words,
            "%.*s: the parameter %.*s changed nothing on %u pages: links that differ by it alone are left "
            "out (crawl.max_variants)",
            (int)host.size, host.data, (int)name.size, name.data, CW_SCOPE_VARIANTS_PROOF))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

static void learn_variants(const cw_visit_reading *reading)
{
    const cw_visit *visit = reading->visit;
    crawl_engine *engine = cw_visit_engine(visit);
    const crawl_response *response = reading->response;
    int64_t date_ms = cw_wall_ms();
    crawl_buf name = {0};
    (void)cw_http_date(crawl_response_header(response, "Date"), date_ms, &date_ms);
    if (response->error == CRAWL_FETCH_OK && cw_is(visit->lease.method, "GET") &&
        cw_scope_variants_learn(engine->variants, visit->url, response->status, reading->body, date_ms, &name))
        say_variants(engine, visit->url, crawl_buf_slice(&name));
    crawl_buf_free(&name);
}

/* Reads an answer that is not retried: its document and links, or its redirect. */
static void page_visit_read_answer(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    const crawl_response *response = reading->response;
    crawl_record *record = &reading->record;
    if (cw_visit_is_walled(visit) || cw_visit_is_in_place(visit, response->status))
        return;
    bool is_redirect = response->status >= 300 && response->status < 400;
    if (record->external) {
        if (is_redirect)
            read_redirect(visit, response, record);
        return;
    }
    learn_variants(reading);
    bool is_read = cw_visit_document_is_whole(response) && record->change != CRAWL_CHANGE_NO;
    if (!is_read)
        cw_visit_statements_read(reading, NULL);
    if (is_read)
        cw_visit_document_read(reading);
    else if (cw_visit_document_show(cw_visit_engine(visit), response, record, NULL) && is_redirect)
        read_redirect(visit, response, record);
}

/* Puts the media type into the record, in lower case. */
static void fill_media_type(cw_visit_reading *reading)
{
    crawl_record *record = &reading->record;
    crawl_slice type = crawl_media_type(record->content_type_header);
    record->content_type = type;
    if (!type.size || type.size > sizeof reading->media_type)
        return;
    for (size_t i = 0; i < type.size; i++)
        reading->media_type[i] = (char)cw_lower((unsigned char)type.data[i]);
    record->content_type.data = reading->media_type;
}

static void fill_from_response(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    record->status = response->status;
    record->elapsed_ms = response->elapsed_ms;
    record->ip = response->ip;
    record->headers = response->headers;
    record->header_count = response->header_count;
    if (response->is_signed)
        record->signed_by = crawl_identity_thumbprint(visit->rules->signing.identity);
    record->content_type_header = cw_visit_headers_content_type(response);
    record->last_modified = cw_visit_headers_last_modified(response, visit->wall_ms);
    if (record->external)
        return;
    record->bytes = response->body.size;
    if (cw_visit_is_walled(visit) || cw_visit_is_in_place(visit, response->status))
        return;
    if (!record->withheld)
        record->body = response->body;
    bool has_content = response->status && response->status != 304; /* a 304 says nothing of its page */
    bool wanted = has_content && (cw_visit_engine(visit)->hooks.digests || cw_visit_engine(visit)->dedupe);
    record->has_digest = !cw_visit_rendered_is(visit) && cw_visit_claim_digest(visit->claim, &record->digest);
    if (wanted && !record->has_digest)
        record->has_digest =
            crawl_fingerprint_bytes(visit->maker->judge.fingerprinter, response->body, &record->digest) == CRAWL_OK;
}

/* Puts the verdict on an answer that is not the page into the record. */
static void fill_verdict(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    crawl_record *record = &reading->record;
    if (visit->wall.verdict == CRAWL_VERDICT_CONTENT)
        return;
    record->verdict = crawl_verdict_name(visit->wall.verdict);
    record->wall = *visit->wall.service ? visit->wall.service : NULL;
    cw_visit_walls_say(visit, reading->wall_words, sizeof reading->wall_words);
    if (cw_visit_is_walled(visit))
        set_error(visit, record, CRAWL_CLASS_WALL, reading->wall_words);
    else if (visit->wall.verdict == CRAWL_VERDICT_SOFT_404 && cw_visit_engine(visit)->config->soft_404)
        set_error(visit, record, CRAWL_CLASS_SOFT_404, reading->wall_words);
    else if (visit->wall.verdict != CRAWL_VERDICT_RATE_LIMITED)
        record->error_text = reading->wall_words;
}

/* Ends the visit of an answer after all its links were followed. */
static void page_visit_finish(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    const crawl_response *response = reading->response;
    if (visit->wall.verdict == CRAWL_VERDICT_SOFT_404)
        fill_verdict(reading);
    cw_engine_count(&cw_visit_engine(visit)->counters.verdicts[visit->wall.verdict], response->status != 0);
    if (response->status && !reading->record.external)
        count_answer(visit, response, is_failed(&reading->record, response));
    if (reading->record.guessed && response->status)
        cw_links_guesses_answered(visit->host,
                                  !visit->wall.verdict && response->status != 404 && response->status != 410);
    emit(visit, &reading->record);
    cw_engine_end_at_limits(cw_visit_engine(visit));
    if (response->status && visit->has_ticket)
        cw_engine_use_ticket(cw_visit_engine(visit));
    visit->has_ticket = visit->has_ticket && !response->status;
    cw_visit_revisits_end(visit, response, &reading->record);
}

static bool begin_answer(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    const cw_links_source source = cw_visit_source(visit);
    if (cw_visit_is_external(visit) && cw_visit_external_wants_get(visit, response) &&
        cw_links_external_ask_by_get(&visit->maker->judge, &source)) {
        cw_visit_revisits_compare(visit, response, &(crawl_record){.size = sizeof(crawl_record)});
        cw_visit_revisits_end(visit, response, &(crawl_record){.size = sizeof(crawl_record)});
        return true;
    }
    cw_visit_reading *reading = cw_visit_reading_begin(visit, response, page_visit_finish);
    crawl_record *record = &reading->record;
    *record = page_visit_record_of(visit);
    cw_visit_stay_away(visit, visit->host, verdict);
    fill_from_response(visit, response, record);
    fill_media_type(reading);
    cw_visit_rendered_begin(reading);
    cw_visit_preprocess_begin(reading);
    if (response->error)
        set_error(visit, record, cw_links_fate_of_fetch(response->error), cw_visit_words(visit, response));
    else if (verdict->what == CW_VISIT_RETRY_STAY_AWAY)
        set_error(visit, record, CRAWL_CLASS_RETRY_AFTER, "asked to come back later than politeness.max_retry_delay");
    fill_verdict(reading);
    cw_visit_revisits_compare(visit, response, record);
    if (response->status)
        page_visit_read_answer(reading);
    return cw_visit_slices_begin(reading);
}

/* Begins to read the answer. If processes share the crawl, first asks at which page its body, or the page made of it,
 * appeared before. */
static bool page_visit_begin(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    if (!cw_visit_is_external(visit) && !cw_visit_is_walled(visit) && cw_visit_claims_wants(visit, response))
        return cw_visit_claims_ask(visit, response, verdict, begin_answer);
    return begin_answer(visit, response, verdict);
}

/* Reads the answer, or first has another program or the browser make a page of it. */
static bool page_visit_take_answer(cw_visit *visit, const crawl_response *response,
                                   const cw_visit_retry_verdict *verdict)
{
    char *const *command = cw_visit_preprocess_command(visit, response);
    if (command)
        return cw_visit_preprocess_ask(visit, response, verdict, page_visit_begin, command);
    const char *why = cw_visit_render_why(visit, response);
    return why ? cw_visit_render_ask(visit, response, verdict, page_visit_begin, why)
               : page_visit_begin(visit, response, verdict);
}

/* ---- the request ---- */

/* Ends the visit of a page that could not be asked for. Out of memory the crawl ends, and the page is asked for when it
 * continues. All other errors are faults of the request. */
static void not_asked(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (err != CRAWL_ENOMEM) {
        cw_visit_page_refuse(visit, CRAWL_CLASS_LOCAL, crawl_strerror(err));
        return;
    }
    cw_engine_fail(engine, err, "cannot request a page");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}

void cw_visit_page_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf headers = {0};
    crawl_fetch_request request = {.size = sizeof request, .method = visit->lease.method, .body = visit->lease.body};
    if (cw_visit_is_external(visit))
        cw_visit_external_prepare(&request);
    else
        visit->has_ticket = cw_engine_take_ticket(engine);
    if (!visit->has_ticket && !cw_visit_is_external(visit)) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return;
    }
    crawl_err err = cw_visit_revisits_request(visit, &headers);
    request.headers = crawl_buf_slice(&headers);
    if (!err)
        err = cw_visit_send(visit, &request, page_visit_take_answer);
    crawl_buf_free(&headers);
    if (err)
        not_asked(visit, err);
}
