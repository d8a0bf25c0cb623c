#include "crawler/engine/visit/again/revisits.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/http_validators.h"
#include "config/config_values.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/simhash.h>

/* Returns true if this page or sitemap is to be visited again. That is done only by GET, which is safe (RFC 9110,
 * 9.2.1) and reveals changes, or by HEAD for links that lead out of the crawl. */
static bool is_visited_again(const cw_visit *visit)
{
    const crawl_lease *lease = &visit->lease;
    bool may_come_again = !(lease->tag & (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_ONCE));
    bool goes_on = cw_visit_engine(visit)->config->revisit || lease->visit > 1;
    bool is_safe = cw_visit_is_external(visit) || crawl_slice_equal(lease->method, crawl_slice_from("GET"));
    return may_come_again && goes_on && is_safe;
}

crawl_err cw_visit_revisits_request(cw_visit *visit, crawl_buf *headers)
{
    crawl_slice own = visit->lease.headers;
    crawl_err err = crawl_buf_append(headers, own.data, own.size);
    if (err || !is_visited_again(visit))
        return err;
    cw_visit_revisit page = cw_visit_revisit_read(visit->lease.memo);
    return cw_visit_revisit_conditions(&page, own, headers, &visit->is_conditional);
}

/* ---- changes ---- */

static bool is_redirect(int status)
{
    return status > 300 && status < 400 && status != 304;
}

/* Returns the flags of X-Robots-Tag. A page changes with them: it may be indexed, and its links followed, or not. */
static unsigned revisits_tag(const cw_visit *visit, const crawl_response *response)
{
    return cw_visit_headers_robots(response, cw_visit_engine(visit)->config->robots_agent);
}

/* Sets the visit's digest: of the body, of the rendered page or, for a redirect, of its target's URL; and of
 * X-Robots-Tag. */
static crawl_err take_digest(cw_visit *visit, const crawl_response *response, const crawl_record *record)
{
    crawl_fingerprint print = record->digest;
    bool leads_on = is_redirect(response->status);
    crawl_slice content = leads_on ? crawl_response_header(response, "Location") : response->body;
    bool is_there = record->has_digest && !leads_on;
    if (record->render && record->render->has_digest) {
        print = record->render->digest;
        is_there = true;
    }
    crawl_err err = is_there ? CRAWL_OK : crawl_fingerprint_bytes(visit->maker->judge.fingerprinter, content, &print);
    const char *at = (const char *)print.bytes;
    visit->digest = err ? 0 : cw_le_get(&at, sizeof visit->digest) ^ leads_on ^ revisits_tag(visit, response) << 1;
    return err;
}

static cw_visit_revisit_outcome revisits_judge(cw_visit *visit, const crawl_response *response,
                                               const crawl_record *record)
{
    int status = response->error || cw_visit_is_walled(visit) ? 0 : response->status;
    if (status == 404 || status == 410)
        return CW_VISIT_REVISIT_GONE;
    if (status == 304 && visit->is_conditional)
        return CW_VISIT_REVISIT_UNCHANGED;
    if (status / 100 != 2 && !is_redirect(status))
        return CW_VISIT_REVISIT_FAILED;
    if (record->render && !record->render->has_digest)
        return CW_VISIT_REVISIT_FAILED; /* it lacks what its scripts make, and so proves nothing */
    if (take_digest(visit, response, record))
        return CW_VISIT_REVISIT_UNASKED;
    cw_visit_revisit page = cw_visit_revisit_read(visit->lease.memo);
    if (!page.is_known)
        return CW_VISIT_REVISIT_FIRST;
    return visit->digest == page.digest ? CW_VISIT_REVISIT_UNCHANGED : CW_VISIT_REVISIT_CHANGED;
}

/* A link that leads out of the crawl has no known body that could have changed. */
static void set_change(cw_visit *visit, cw_visit_revisit_outcome outcome, crawl_record *record)
{
    visit->outcome = outcome;
    if (cw_visit_is_external(visit))
        return;
    record->change = outcome == CW_VISIT_REVISIT_CHANGED     ? CRAWL_CHANGE_YES
                     : outcome == CW_VISIT_REVISIT_UNCHANGED ? CRAWL_CHANGE_NO
                                                             : CRAWL_CHANGE_UNKNOWN;
}

void cw_visit_revisits_compare(cw_visit *visit, const crawl_response *response, crawl_record *record)
{
    if (is_visited_again(visit))
        set_change(visit, revisits_judge(visit, response, record), record);
}

void cw_visit_revisits_compare_text(cw_visit *visit, crawl_record *record)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    bool has_text = record->has_simhash && !record->robots; /* robots: it must be read, however equal its text */
    if (record->change != CRAWL_CHANGE_YES || !has_text || config->dedupe != CRAWL_DEDUPE_NEAR)
        return;
    cw_visit_revisit page = cw_visit_revisit_read(visit->lease.memo);
    if (page.has_simhash && crawl_simhash_distance(page.simhash, record->simhash) <= config->dedupe_distance)
        set_change(visit, CW_VISIT_REVISIT_UNCHANGED, record);
}

void cw_visit_revisits_missing(cw_visit *visit, crawl_record *record)
{
    if (is_visited_again(visit))
        set_change(visit, CW_VISIT_REVISIT_GONE, record);
}

/* ---- the end of a visit ---- */

/* Takes the validators of the answer. A 304 without validators confirms those of the request. The validators of a
 * redirect are not kept: they would not fit the page that may be there once the redirect is gone. Nor are those of a
 * rendered page: they do not cover what its scripts fetch. Nor are those of a withheld page: a 304 does not repeat what
 * the page says about its use. Nor are those of a 304 whose X-Robots-Tag says otherwise than the page's, or is missing
 * though the page had one; nor those of a 304 with another tag than the request, which is of content that never came
 * (RFC 9111, 4.3.4). */
static void take_validators(const cw_visit *visit, cw_visit_revisit *page, const crawl_response *response,
                            const crawl_record *record, int64_t *last_modified_ms)
{
    bool is_retagged = response->status == 304 && page->is_tagged != (revisits_tag(visit, response) != 0);
    if (is_redirect(response->status) || record->render || record->withheld || is_retagged) {
        page->etag = page->last_modified = (crawl_slice){0};
        return;
    }
    crawl_slice etag = cw_http_etag(crawl_response_header(response, "ETag"));
    crawl_slice date =
        cw_http_last_modified(crawl_response_header(response, "Last-Modified"), cw_wall_ms(), last_modified_ms);
    bool is_confirmed = response->status == 304 && page->etag.size && etag.size; /* the tag that was sent stays */
    if (is_confirmed && !cw_http_etag_is_same(page->etag, etag)) {
        page->etag = page->last_modified = (crawl_slice){0};
        return;
    }
    if (!is_confirmed && (response->status != 304 || etag.size))
        page->etag = etag;
    if (response->status != 304 || date.size)
        page->last_modified = date;
}

static void revisits_take_answer(const cw_visit *visit, cw_visit_revisit *page, const crawl_response *response,
                                 const crawl_record *record)
{
    if (response->status == 304)
        return;
    if (!page->is_known || !page->is_kept || visit->digest != page->digest)
        page->fetched_ms = visit->wall_ms;
    page->digest = visit->digest;
    page->is_kept = visit->is_kept && !visit->withheld;
    page->is_tagged = revisits_tag(visit, response) != 0;
    if (visit->outcome == CW_VISIT_REVISIT_UNCHANGED)
        return; /* the SimHash stays that of the last change, so that many small changes add up to one */
    page->has_simhash = record->has_simhash && !record->robots;
    page->simhash = record->simhash;
}

/* Returns true if the condition of the request may have caused its answer, unlike that of a server that is down. */
static bool fails_by_condition(const cw_visit *visit, const crawl_response *response)
{
    enum { TOO_MANY_REQUESTS = 429, BROKEN = 500 };
    int status = response->error ? 0 : response->status;
    return visit->is_conditional && (status == BROKEN || (status / 100 == 4 && status != TOO_MANY_REQUESTS));
}

/* Makes a page that is gone count as changed when it is back, and be read then, even if it is as before. */
static void forget_answer(cw_visit_revisit *page)
{
    page->digest = 0;
    page->has_simhash = false;
    page->etag = page->last_modified = (crawl_slice){0};
}

/* Tells the site the outcome of a visit that its sitemap's lastmod has caused. */
static void take_hint(const cw_visit *visit, const cw_visit_revisit *page)
{
    crawl_engine *engine = cw_visit_engine(visit);
    bool tells = visit->outcome == CW_VISIT_REVISIT_CHANGED || visit->outcome == CW_VISIT_REVISIT_UNCHANGED;
    if (!tells || !cw_visit_revisit_is_hinted(page, cw_engine_now(engine), cw_wall_ms()))
        return;
    crawl_err err = cw_host_sites_hinted(engine->sites, visit->host, visit->outcome == CW_VISIT_REVISIT_CHANGED);
    if (err)
        cw_engine_fail(engine, err, "cannot store the value of a sitemap");
}

static bool revisits_is_page(const cw_visit *visit)
{
    return !(visit->lease.tag & (CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_EXTERNAL));
}

static void revisits_count(const cw_visit *visit, int status)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!revisits_is_page(visit))
        return;
    cw_engine_count(&engine->counters.visits, visit->lease.visit > 1);
    cw_engine_count(&engine->counters.changed, visit->outcome == CW_VISIT_REVISIT_CHANGED);
    cw_engine_count(&engine->counters.unchanged, visit->outcome == CW_VISIT_REVISIT_UNCHANGED);
    cw_engine_count(&engine->counters.not_modified, visit->outcome == CW_VISIT_REVISIT_UNCHANGED && status == 304);
}

static uint64_t revisits_salt_of(const crawl_lease *lease)
{
    const char *at = (const char *)lease->fingerprint.bytes;
    return (cw_le_get(&at, 8) + lease->visit) * 0x9e3779b97f4a7c15u; /* differs for each visit */
}

static void finish_for_good(cw_visit *visit, bool failed)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    int64_t after_ms = failed ? config->forget_failed_after_ms : config->forget_after_ms;
    int64_t at_ms = after_ms ? cw_engine_now(cw_visit_engine(visit)) + after_ms : 0;
    cw_visit_end(visit, after_ms ? CRAWL_DONE_FORGET : CRAWL_DONE_FINISHED, at_ms);
}

/* Queues the page for its next visit, not before at_least_ms, or drops it if it was gone too often. */
static void queue_next(cw_visit *visit, cw_visit_revisit *page, int64_t last_modified_ms, int64_t at_least_ms)
{
    crawl_engine *engine = cw_visit_engine(visit);
    const cw_visit_revisit_rules rules = cw_visit_revisit_rules_of(engine->config);
    int64_t due_ms = cw_visit_revisit_next(&rules, page, visit->outcome, last_modified_ms, cw_wall_ms(),
                                           cw_engine_now(engine), revisits_salt_of(&visit->lease));
    if (due_ms == CRAWL_FOREVER) {
        cw_engine_count(&engine->counters.gone, revisits_is_page(visit));
        finish_for_good(visit, true);
        return;
    }
    crawl_buf memo = {0};
    crawl_err err = cw_visit_revisit_write(page, &memo);
    if (err)
        cw_engine_fail(engine, err, "no memory for the state of a page");
    cw_visit_end_again(visit, due_ms > at_least_ms ? due_ms : at_least_ms, crawl_buf_slice(&memo));
    crawl_buf_free(&memo);
}

void cw_visit_revisits_end(cw_visit *visit, const crawl_response *response, const crawl_record *record)
{
    if (!is_visited_again(visit)) {
        finish_for_good(visit, response->error || response->status >= 400 || cw_visit_is_walled(visit));
        return;
    }
    cw_visit_revisit page = cw_visit_revisit_read(visit->lease.memo);
    int64_t last_modified_ms = CW_VISIT_REVISIT_NO_DATE;
    take_hint(visit, &page);
    if (visit->has_suspect)
        page.suspect = visit->suspect;
    if (cw_visit_revisit_is_usable(visit->outcome)) {
        take_validators(visit, &page, response, record, &last_modified_ms);
        revisits_take_answer(visit, &page, response, record);
    } else if (visit->outcome == CW_VISIT_REVISIT_GONE) {
        forget_answer(&page);
    } else if (fails_by_condition(visit, response)) {
        page.etag = page.last_modified = (crawl_slice){0};
    }
    revisits_count(visit, response->status);
    queue_next(visit, &page, last_modified_ms, 0);
}

/* A page that robots.txt refuses is visited again when robots.txt has been read again. A page that its host refuses for
 * a time is visited again as after a failure. */
void cw_visit_revisits_refused(cw_visit *visit, crawl_error_class error_class)
{
    bool for_now = error_class == CRAWL_CLASS_RETRY_AFTER || error_class == CRAWL_CLASS_GIVEN_UP ||
                   error_class == CRAWL_CLASS_WALL;
    if (error_class == CRAWL_CLASS_LIMIT || !is_visited_again(visit)) {
        if (for_now)
            cw_visit_end(visit, CRAWL_DONE_FORGET, 0); /* so that a link may lead to it again */
        else
            finish_for_good(visit, true);
        return;
    }
    cw_visit_revisit page = cw_visit_revisit_read(visit->lease.memo);
    bool by_robots = error_class == CRAWL_CLASS_ROBOTS;
    visit->outcome = by_robots ? CW_VISIT_REVISIT_UNASKED : CW_VISIT_REVISIT_FAILED;
    queue_next(visit, &page, CW_VISIT_REVISIT_NO_DATE,
               by_robots ? cw_engine_now(cw_visit_engine(visit)) + CW_HOST_ROBOTS_MAX_AGE_MS : 0);
}

/* ---- the configuration ---- */

crawl_err cw_visit_revisits_check(const crawl_config *config, crawl_error *error)
{
    const char *key = config->forget_after_ms          ? "forget_after"
                      : config->forget_failed_after_ms ? "forget_failed_after"
                                                       : NULL;
    if (key && !crawl_bloom_kind_forgets(config->seen.kind))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "seen.%s: a filter of the kind %s cannot forget a URL; seen.kind must be counting, "
                               "table, digest or exact%s",
                               key, crawl_bloom_kind_name(config->seen.kind),
                               config->seen.kind == CRAWL_BLOOM_ROTATING ? " (rotating forgets by seen.window)" : "");
    if (!config->revisit)
        return CRAWL_OK;
    if (config->seen.kind == CRAWL_BLOOM_ROTATING)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "revisit.revisit: seen.kind = rotating would forget pages that wait for their next "
                               "visit, and queue them twice; take another kind");
    if (config->revisit_min_ms > config->revisit_max_ms)
        return crawl_error_set(error, CRAWL_EINVAL, "revisit.min_interval is longer than revisit.max_interval");
    return CRAWL_OK;
}
