/* Sitemaps in a crawl. When the first seed of a site may be asked, so that its robots.txt is known, the sitemaps that
 * this names and /sitemap.xml are queued, ahead of all pages. They are requests like any other: they keep to the pause,
 * to the limit at once and to the robots.txt of their host, are asked for again after a failure, and wait in the
 * frontier. Of what they name, further sitemaps are queued likewise, and URLs in scope as if a seed had linked to them.
 * A page that turns out to be a sitemap is read as one too, and what it names is as if the page had linked to it.
 *
 * They make no records and are no pages. They are in the seen-set under a method of their own, so that none is read
 * twice and a page at the same URL is still a page. With revisit they are visited again as pages are, and read where
 * they changed. */
#include "crawler/engine/links/sitemaps.h"

#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/links/sitemap_faults.h"
#include "crawler/engine/links/userinfo.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/revisits.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/worker.h"

#include <crawl/sitemap.h>
#include <math.h>

enum {
    MAX_LEVEL = 3,     /* sitemaps in indexes in indexes; the protocol has one level of them */
    MAX_REDIRECTS = 5, /* in a row, as for robots.txt */
    PRIORITY_SCALE = 10,
    SCORE_SCALE = 100 /* see score.h */
};

static uint32_t level_of(const crawl_lease *lease)
{
    return lease->tag >> CW_TAG_LEVEL_SHIFT & CW_TAG_LEVEL_MASK;
}

static uint32_t redirects_of(const crawl_lease *lease)
{
    return lease->tag & CW_TAG_REDIRECTS;
}

static void count_fault(cw_visit *visit, crawl_sitemap_fault fault, crawl_slice url)
{
    cw_sitemap_faults_count(&cw_engine_of(visit)->sitemap_faults, fault, url);
}

static void fail(cw_visit *visit, crawl_err err)
{
    cw_engine_fail(cw_engine_of(visit), err, "a sitemap cannot be read");
}

/* Room for one more at the site of this URL. */
static crawl_err change_room(crawl_engine *engine, const crawl_url *url,
                             crawl_err (*change)(cw_sites *sites, cw_host_record *host))
{
    crawl_buf origin = {0};
    cw_host_record *host;
    crawl_err err = crawl_url_origin(url, &origin);
    if (!err)
        err = cw_host_table_get_named(engine->host_table, crawl_buf_slice(&origin), &host);
    crawl_buf_free(&origin);
    return err ? err : change(engine->sites, host);
}

/* What was not queued, since it was before or since the frontier is full, gives its room back. */
static crawl_err push(cw_visit *visit, const crawl_url *url, const crawl_request *request)
{
    crawl_engine *engine = cw_engine_of(visit);
    size_t accepted = 0;
    crawl_err err =
        crawl_frontier_push(engine->frontier, request, 1, visit->lease.url, NULL, &accepted, cw_engine_now(engine));
    if (err && err != CRAWL_FULL)
        return err;
    return accepted ? CRAWL_OK : change_room(engine, url, cw_sites_return_sitemap);
}

/* tag: CW_TAG_GUESSED, or redirects in a row. */
static crawl_err queue(cw_visit *visit, const crawl_url *url, uint32_t level, uint32_t tag)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_worker *worker = visit->worker;
    crawl_request request = {
        .url = crawl_url_request(url),
        .priority = INT32_MAX,
        .depth = visit->lease.depth,
        .tag = CW_TAG_SITEMAP | level << CW_TAG_LEVEL_SHIFT | tag,
    };
    crawl_err err = change_room(engine, url, cw_sites_take_sitemap);
    if (err == CRAWL_FULL)
        count_fault(visit, CRAWL_SITEMAP_REFUSED, request.url);
    if (!err)
        err = cw_key_canonical(&engine->key, url, &worker->canonical);
    if (!err)
        err = cw_key_fingerprint(&engine->key, worker->fingerprinter, crawl_slice_from("SITEMAP"),
                                 crawl_buf_slice(&worker->canonical), (crawl_slice){0}, &request.fingerprint);
    if (!err)
        err = push(visit, url, &request);
    return err == CRAWL_FULL ? CRAWL_OK : err;
}

/* What a line of robots.txt, a place or a Location names, relative to the visit's own URL. */
static crawl_err queue_text(cw_visit *visit, crawl_slice text, uint32_t level, uint32_t tag)
{
    crawl_url *url = visit->worker->link;
    crawl_err err = crawl_url_parse(url, text, visit->url, NULL);
    if (err || !crawl_url_is_http(url))
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    err = cw_userinfo_take(url, NULL, NULL);
    if (!err)
        err = cw_upgrade(cw_engine_of(visit), url);
    return err ? err : queue(visit, url, level, tag);
}

static crawl_err queue_lines(cw_visit *visit, crawl_slice lines)
{
    crawl_err err = CRAWL_OK;
    while (lines.size && !err) {
        const char *end = memchr(lines.data, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.data) : lines.size;
        err = queue_text(visit, crawl_slice_of(lines.data, size), 0, 0);
        size += end != NULL;
        lines = crawl_slice_of(lines.data + size, lines.size - size);
    }
    return err;
}

void cw_sitemaps_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    const crawl_config *config = engine->config;
    if (!config->sitemaps || config->depth == 0 || !(visit->lease.tag & CW_TAG_SEED))
        return;
    crawl_buf lines = {0};
    crawl_err err = cw_sites_sitemaps(engine->sites, visit->host, &lines);
    if (!err)
        err = queue_lines(visit, crawl_buf_slice(&lines));
    if (!err)
        err = queue_text(visit, crawl_slice_from("/sitemap.xml"), 0, CW_TAG_GUESSED);
    if (!err)
        err = cw_sites_sitemaps_queued(engine->sites, visit->host);
    crawl_buf_free(&lines);
    if (err && err != CRAWL_EXISTS)
        fail(visit, err);
}

/* An index names sitemaps of its own site or of one in scope. */
static crawl_err on_sitemap(cw_visit *visit, const crawl_url *url)
{
    uint32_t level = level_of(&visit->lease) + 1;
    bool leads_on = cw_follow_same_origin(url, visit->lease.origin) || cw_scope_contains(visit->worker->scope, url);
    leads_on = leads_on && !cw_userinfo_is_there(url);
    if (level < MAX_LEVEL && leads_on)
        return queue(visit, url, level, 0);
    count_fault(visit, CRAWL_SITEMAP_REFUSED, crawl_url_request(url));
    return CRAWL_OK;
}

/* 0.5, the protocol's default, is the priority of a link. */
static int32_t priority_of(const crawl_config *config, const crawl_sitemap_entry *entry)
{
    int scale = config->order == CRAWL_ORDER_BEST ? SCORE_SCALE : PRIORITY_SCALE;
    return (int32_t)lround((entry->priority - 0.5) * scale);
}

typedef struct reading {
    cw_visit *visit;
    size_t links;
} reading;

static crawl_err on_entry(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    cw_visit *visit = r->visit;
    r->links++;
    if (cw_worker_must_stop(visit->worker)) {
        visit->cut_short = true;
        return CRAWL_DRAINED;
    }
    if (entry->is_sitemap)
        return on_sitemap(visit, entry->url);
    cw_follow_found(visit, entry, visit->lease.depth + 1, priority_of(cw_engine_of(visit)->config, entry));
    return CRAWL_OK;
}

/* Counts what is wrong with the sitemap that was read, if anything is. */
static void judge(cw_visit *visit, const crawl_sitemap *sitemap, bool cut)
{
    crawl_sitemap_stats stats;
    crawl_sitemap_stats_get(sitemap, &stats);
    if (stats.none)
        count_fault(visit, CRAWL_SITEMAP_NONE, visit->lease.url);
    else if (stats.full || cut)
        count_fault(visit, CRAWL_SITEMAP_CUT, visit->lease.url);
    else if (stats.broken)
        count_fault(visit, CRAWL_SITEMAP_BROKEN, visit->lease.url);
}

/* What is broken, cut off or no sitemap at all is read as far as it goes. */
cw_followed cw_sitemap_read(cw_visit *visit, crawl_slice body, bool cut)
{
    crawl_sitemap *sitemap;
    reading r = {.visit = visit};
    const crawl_sitemap_options options = {.url = visit->url, .on_entry = on_entry, .user = &r};
    crawl_err err = crawl_sitemap_create(&options, &sitemap);
    if (err) {
        fail(visit, err);
        return (cw_followed){0};
    }
    cw_follow_begin(visit);
    err = crawl_sitemap_feed(sitemap, body);
    if (!err)
        err = crawl_sitemap_end(sitemap);
    size_t fresh = cw_follow_end(visit);
    if (!visit->cut_short)
        judge(visit, sitemap, cut);
    crawl_sitemap_free(sitemap);
    if (err && err != CRAWL_EPARSE && err != CRAWL_FULL && err != CRAWL_DRAINED)
        fail(visit, err);
    return (cw_followed){r.links, fresh};
}

static void follow_redirect(cw_visit *visit, const crawl_response *response)
{
    crawl_slice location = crawl_response_header(response, "Location");
    uint32_t redirects = redirects_of(&visit->lease) + 1;
    if (!location.data || redirects > MAX_REDIRECTS) {
        count_fault(visit, location.data ? CRAWL_SITEMAP_REFUSED : CRAWL_SITEMAP_FAILED, visit->lease.url);
        return;
    }
    crawl_err err = queue_text(visit, location, level_of(&visit->lease), redirects);
    if (err)
        fail(visit, err);
}

static void read_answer(cw_visit *visit, const crawl_response *response)
{
    bool failed = response->error != CRAWL_FETCH_OK;
    bool absent = !failed && (response->status == 404 || response->status == 410);
    if (!failed && response->status >= 200 && response->status < 300)
        cw_sitemap_read(visit, response->body, response->body_cut);
    else if (!failed && response->status >= 300 && response->status < 400)
        follow_redirect(visit, response);
    else if (!absent || !(visit->lease.tag & CW_TAG_GUESSED))
        count_fault(visit, CRAWL_SITEMAP_FAILED, visit->lease.url);
}

static void finish(cw_visit *visit, const crawl_response *response, const cw_retry_verdict *verdict)
{
    crawl_record record = {.status = response->status};
    cw_visit_stay_away(visit, visit->host, verdict);
    cw_revisits_compare(visit, response, &record);
    if (record.change != CRAWL_CHANGE_NO)
        read_answer(visit, response);
    if (visit->cut_short) /* by the end of the crawl: it is read again when the crawl goes on */
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
    else
        cw_revisits_end(visit, response, &record);
}

static void on_done(void *user, const crawl_response *response)
{
    cw_visit_done(user, response, finish);
}

void cw_sitemap_visit_begin(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    crawl_fetch_request request = {
        .url = visit->lease.url,
        .cut_body = true, /* what fetch.max_body lets through of it is read */
        .allow_private = cw_visit_allows_private(visit),
        .capture = worker->engine->hooks.capture,
        .fresh_connection = visit->lease.attempt > 1,
        .on_start = cw_visit_on_start,
        .on_done = on_done,
        .user = visit,
    };
    crawl_err err = cw_visit_access(visit, &request.access);
    if (!err)
        err = cw_revisits_request(visit, &request.headers);
    if (!err)
        err = crawl_fetch(worker->fetcher, &request, &visit->transfer);
    if (err) {
        fail(visit, err);
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(worker->engine));
        return;
    }
    cw_count(&worker->engine->counters.sitemaps, 1);
    cw_worker_transfer_began(visit);
}
