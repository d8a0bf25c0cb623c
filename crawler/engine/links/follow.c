/* Where an answer leads: its links and its redirect, each resolved, held against scope and patterns, canonicalized,
 * fingerprinted, and pushed in batches: the links of a page, those of its headers, what a sitemap names. */
#include "crawler/engine/links/follow.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/rel.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/links/score.h"
#include "crawler/engine/links/trap.h"
#include "crawler/engine/links/userinfo.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/state.h"
#include "crawler/engine/visit/redirect_headers.h"
#include "crawler/engine/visit/revisits.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/worker.h"

/* Canonical form into worker->canonical; does the URL belong to the crawl? NEW: it does. worker->trapped: what of the
 * trap guard refused it. */
static crawl_edge_verdict place(cw_worker *worker, const crawl_url *url, bool widens_scope)
{
    crawl_engine *engine = worker->engine;
    worker->trapped = CRAWL_TRAP_NONE;
    if (!widens_scope && !cw_scope_contains(worker->scope, url))
        return CRAWL_EDGE_SCOPE;
    if (!cw_guard_opens(engine->guard, url))
        return CRAWL_EDGE_PORT;
    if (cw_key_canonical(&engine->key, url, &worker->canonical))
        return CRAWL_EDGE_NO_URL;
    if (!cw_engine_passes(engine, worker->scope, crawl_buf_slice(&worker->canonical)))
        return CRAWL_EDGE_FILTER;
    worker->trapped = cw_trap_check(engine->trap, url, crawl_buf_slice(&worker->canonical));
    return cw_edge_of_trap(worker->trapped);
}

/* Adds the URL, whose canonical form is in worker->canonical, to the batch, in which there is room. */
static crawl_err add(cw_worker *worker, const crawl_url *url, crawl_slice method, crawl_slice body)
{
    crawl_request *request = &worker->batch[worker->batch_size];
    crawl_slice text = crawl_url_request(url);
    *request = (crawl_request){.method = method, .body = body, .url = {.size = text.size}};
    crawl_err err = cw_key_fingerprint(&worker->engine->key, worker->fingerprinter, method,
                                       crawl_buf_slice(&worker->canonical), body, &request->fingerprint);
    if (err)
        return err;
    worker->batch_at[worker->batch_size] = worker->batch_text.size;
    err = crawl_buf_append(&worker->batch_text, text.data, text.size);
    if (!err)
        worker->batch_size++;
    return err;
}

/* What is known beforehand of the page just added. False: there is no memory, and the crawl ends. */
static bool add_hint(cw_worker *worker, int64_t lastmod)
{
    crawl_slice memo;
    crawl_err err = cw_revisits_hint(worker, lastmod, &memo);
    if (!err)
        err = crawl_buf_append(&worker->batch_text, memo.data, memo.size);
    if (err)
        cw_engine_fail(worker->engine, err, "no memory for what is known of a page");
    worker->batch[worker->batch_size - 1].memo.size = err ? 0 : memo.size;
    return !err;
}

/* Asks the caller about the request just added to the batch; false: it is not wanted, and taken out again. */
static bool wants(cw_visit *visit, const crawl_link *link, int64_t lastmod)
{
    cw_worker *worker = visit->worker;
    crawl_engine *engine = worker->engine;
    if (!engine->hooks.on_link)
        return true;
    size_t last = worker->batch_size - 1;
    crawl_request *request = &worker->batch[last];
    crawl_found found = {
        .link = link,
        .parent = visit->lease.url,
        .url = crawl_slice_of(worker->batch_text.data + worker->batch_at[last], request->url.size),
        .canonical = crawl_buf_slice(&worker->canonical),
        .fingerprint = request->fingerprint,
        .depth = request->depth,
        .lastmod = lastmod,
    };
    crawl_err err = engine->hooks.on_link(engine->hooks.user, engine, &found, &request->priority);
    if (!err)
        return true;
    worker->batch_text.size = worker->batch_at[last];
    worker->batch_size = last;
    if (err != CRAWL_REFUSED)
        cw_engine_fail(engine, err, "");
    return false;
}

/* Under order = best, what the request just added to the batch is worth, before on_link is asked. */
static void rate(cw_visit *visit, const crawl_url *url)
{
    cw_worker *worker = visit->worker;
    crawl_engine *engine = worker->engine;
    crawl_request *request = &worker->batch[worker->batch_size - 1];
    if (engine->config->order == CRAWL_ORDER_BEST)
        request->priority += cw_score(url, request->depth, worker->at_seed_host);
}

static void place_texts(cw_worker *worker, size_t i)
{
    crawl_request *request = &worker->batch[i];
    request->url.data = worker->batch_text.data + worker->batch_at[i];
    request->memo.data = request->url.data + request->url.size;
}

static void push_batch(cw_worker *worker, crawl_slice parent)
{
    if (!worker->batch_size)
        return;
    for (size_t i = 0; i < worker->batch_size; i++)
        place_texts(worker, i);
    memset(worker->results, CRAWL_PUSHED_FULL, worker->batch_size); /* of what a push that fails does not come to */
    int64_t began_us = cw_disk_begin(worker);
    crawl_err err = crawl_frontier_push(worker->engine->frontier, worker->batch, worker->batch_size, parent,
                                        worker->results, NULL, cw_engine_now(worker->engine));
    cw_disk_end(worker, began_us);
    if (err && err != CRAWL_FULL)
        cw_engine_fail(worker->engine, err, "the frontier takes no more requests");
}

static void clear_batch(cw_worker *worker)
{
    crawl_buf_clear(&worker->batch_text);
    worker->batch_size = 0;
}

/* Is it one of those to be followed, by how and where it stands? NEW: it is. */
static crawl_edge_verdict judge(const crawl_config *config, const crawl_link *link)
{
    bool followed =
        (config->follow & (unsigned)link->kind) && (link->kind != CRAWL_LINK_LINK || cw_rel_leads_to_page(link->rel));
    if (!followed)
        return CRAWL_EDGE_ELEMENT;
    return config->obey_nofollow && link->nofollow ? CRAWL_EDGE_NOFOLLOW : CRAWL_EDGE_NEW;
}

/* Pages name the same links again and again, and places within themselves; a fragment makes no other request. */
static bool repeats(cw_worker *worker, const crawl_link *link)
{
    const char *hash = memchr(link->href.data, '#', link->href.size);
    crawl_slice href = crawl_slice_of(link->href.data, hash ? (size_t)(hash - link->href.data) : link->href.size);
    return cw_map_put(worker->on_page, href, worker) == CRAWL_EXISTS;
}

/* Adds a request to the batch; false: there is no memory, and the crawl ends. */
static bool add_found(cw_worker *worker, const crawl_url *url)
{
    crawl_err err = add(worker, url, (crawl_slice){0}, (crawl_slice){0});
    if (err)
        cw_engine_fail(worker->engine, err, "no memory for the links of a page");
    return !err;
}

/* NEW: it is in the batch now. */
static crawl_edge_verdict add_link(cw_visit *visit, const crawl_link *link, const cw_link_list *list)
{
    cw_worker *worker = visit->worker;
    crawl_url *url = worker->link;
    if (crawl_url_parse(url, link->href, list->base, list->charset))
        return CRAWL_EDGE_NO_URL;
    if (!crawl_url_is_http(url))
        return CRAWL_EDGE_NOT_HTTP;
    if (cw_userinfo_take(url, NULL, NULL) || cw_upgrade(worker->engine, url)) /* a user: a stranger's, neither sent nor
                                                                                 shown */
        return CRAWL_EDGE_NO_URL;
    crawl_edge_verdict verdict = place(worker, url, false);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    if (!add_found(worker, url))
        return CRAWL_EDGE_REFUSED;
    worker->batch[worker->batch_size - 1].depth = visit->lease.depth + 1;
    rate(visit, url);
    return wants(visit, link, CRAWL_SITEMAP_NO_DATE) ? CRAWL_EDGE_NEW : CRAWL_EDGE_REFUSED;
}

static crawl_edge_verdict decide(cw_visit *visit, const crawl_link *link, const cw_link_list *list,
                                 crawl_edge_verdict closed)
{
    cw_worker *worker = visit->worker;
    crawl_edge_verdict verdict = judge(worker->engine->config, link);
    if (verdict == CRAWL_EDGE_NEW)
        verdict = closed;
    if (verdict == CRAWL_EDGE_NEW && repeats(worker, link))
        verdict = CRAWL_EDGE_REPEATED;
    return verdict == CRAWL_EDGE_NEW ? add_link(visit, link, list) : cw_edge_unless_http(worker, link, list, verdict);
}

/* Pushes the batch, and says what became of those of the links from `first` up to `end` that are in it. */
static void push_links(cw_visit *visit, size_t first, size_t end)
{
    cw_worker *worker = visit->worker;
    push_batch(worker, visit->lease.url);
    for (size_t i = first, in_batch = 0; i < end; i++)
        if (worker->verdicts[i] == CRAWL_EDGE_NEW)
            worker->verdicts[i] = (uint8_t)cw_edge_of_push(worker->results[in_batch++]);
    clear_batch(worker);
}

size_t cw_follow_links(cw_visit *visit, const cw_link_list *list, crawl_edge_verdict closed)
{
    cw_worker *worker = visit->worker;
    cw_link_list decided = *list;
    size_t pushed = 0;
    decided.count = 0;
    if (list->count == 0)
        return 0;
    cw_follow_begin(visit);
    if (closed == CRAWL_EDGE_NEW)
        cw_map_clear(worker->on_page);
    for (; decided.count < list->count && !cw_worker_must_stop(worker); decided.count++) {
        if (worker->batch_size == CW_BATCH_MAX) {
            push_links(visit, pushed, decided.count);
            pushed = decided.count;
        }
        worker->verdicts[decided.count] = (uint8_t)decide(visit, &list->links[decided.count], list, closed);
    }
    visit->cut_short |= decided.count < list->count;
    push_links(visit, pushed, decided.count);
    return cw_edges_links(visit, &decided);
}

/* RFC 9110, 15.4: 303 turns everything but HEAD into GET; 301 and 302 turn POST into GET, as browsers do. */
static bool becomes_get(int status, crawl_slice method)
{
    if (status == 303)
        return !crawl_slice_equal(method, crawl_slice_from("HEAD"));
    return status <= 302 && crawl_slice_equal(method, crawl_slice_from("POST"));
}

bool cw_follow_same_origin(const crawl_url *url, crawl_slice origin)
{
    crawl_buf other = {0};
    bool same = crawl_url_origin(url, &other) == CRAWL_OK && crawl_slice_equal(crawl_buf_slice(&other), origin);
    crawl_buf_free(&other);
    return same;
}

/* A wall of cookies sends whoever has none to get one, and from there back to where they came from: to be asked again
 * with the cookie, though it was seen. max_redirects ends it where the cookie is of no use. */
static bool leads_back_with_cookie(const cw_visit *visit, crawl_slice target)
{
    const crawl_lease *lease = &visit->lease;
    if (!cw_engine_of(visit)->jar || !visit->sets_cookie)
        return false;
    bool redirected = (lease->tag & CW_TAG_REDIRECTS) != 0;
    return crawl_slice_equal(target, lease->url) || (redirected && crawl_slice_equal(target, lease->parent));
}

/* Where a seed leads belongs to the crawl. */
static crawl_err widen(crawl_engine *engine, const crawl_url *target)
{
    crawl_err err = cw_scope_add(engine->scope, target);
    if (!err)
        err = cw_state_keep_place(engine, target, false);
    if (err)
        cw_engine_fail(engine, err, "the scope cannot be widened");
    return err;
}

crawl_err cw_follow_redirect(cw_visit *visit, int status, crawl_slice location, crawl_url *target)
{
    cw_worker *worker = visit->worker;
    const crawl_lease *lease = &visit->lease;
    worker->redirect_verdict = CRAWL_EDGE_NO_URL;
    if (crawl_url_parse(target, location, visit->url, NULL))
        return CRAWL_EPARSE;
    worker->redirect_verdict = CRAWL_EDGE_NOT_HTTP;
    if (!crawl_url_is_http(target))
        return CRAWL_EPARSE;
    if (cw_userinfo_take(target, NULL, NULL) || cw_upgrade(worker->engine, target))
        return CRAWL_EPARSE;
    worker->redirect_verdict = CRAWL_EDGE_REDIRECTS;
    uint32_t redirects = (lease->tag & CW_TAG_REDIRECTS) + 1;
    if (redirects > worker->engine->config->max_redirects)
        return CRAWL_REFUSED;
    bool is_seed = lease->tag & CW_TAG_SEED;
    worker->redirect_verdict = place(worker, target, is_seed);
    if (worker->redirect_verdict != CRAWL_EDGE_NEW)
        return CRAWL_REFUSED;
    worker->redirect_verdict = CRAWL_EDGE_REFUSED;
    if (is_seed && widen(worker->engine, target))
        return CRAWL_REFUSED;
    clear_batch(worker);
    bool get = becomes_get(status, lease->method);
    bool same_origin = cw_follow_same_origin(target, lease->origin);
    crawl_buf_clear(&worker->redirect_headers);
    /* What identifies the asker never leaves its origin. */
    crawl_err err = cw_redirect_headers(lease->headers, same_origin, get, &worker->redirect_headers);
    if (!err)
        err = add(worker, target, get ? (crawl_slice){0} : lease->method, get ? (crawl_slice){0} : lease->body);
    if (err) {
        cw_engine_fail(worker->engine, err, "no memory for a redirect");
        return CRAWL_REFUSED;
    }
    crawl_request *request = &worker->batch[0];
    request->headers = crawl_buf_slice(&worker->redirect_headers);
    request->depth = lease->depth;
    request->priority = lease->priority;
    request->revisit = leads_back_with_cookie(visit, crawl_url_request(target));
    request->tag = redirects | (is_seed ? CW_TAG_SEED : 0) | (request->revisit ? CW_TAG_ONCE : 0);
    if (!wants(visit, NULL, CRAWL_SITEMAP_NO_DATE))
        return CRAWL_REFUSED;
    push_batch(worker, lease->url);
    worker->redirect_verdict = cw_edge_of_push(worker->results[0]);
    return worker->redirect_verdict == CRAWL_EDGE_NEW ? CRAWL_OK : CRAWL_EXISTS;
}

void cw_follow_begin(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    worker->at_seed_host = cw_guard_names(worker->engine->guard, visit->url);
    worker->found_fresh = 0;
    clear_batch(worker);
}

static void push_found(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    cw_verdicts verdicts = {{0}};
    push_batch(worker, visit->lease.url);
    for (size_t i = 0; i < worker->batch_size; i++)
        verdicts.of[cw_edge_of_push(worker->results[i])]++;
    worker->found_fresh += verdicts.of[CRAWL_EDGE_NEW];
    cw_verdicts_count(worker->engine->counters.sitemap_edges, &verdicts);
    clear_batch(worker);
}

size_t cw_follow_end(cw_visit *visit)
{
    push_found(visit);
    return visit->worker->found_fresh;
}

/* NEW: it is in the batch now. */
static crawl_edge_verdict add_entry(cw_visit *visit, const crawl_sitemap_entry *entry, uint32_t depth, int32_t priority)
{
    cw_worker *worker = visit->worker;
    if (cw_userinfo_is_there(entry->url)) /* nobody's business in a sitemap */
        return CRAWL_EDGE_NO_URL;
    if (depth > worker->engine->config->depth)
        return CRAWL_EDGE_DEPTH;
    crawl_edge_verdict verdict = place(worker, entry->url, false);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    if (!add_found(worker, entry->url) || !add_hint(worker, entry->lastmod))
        return CRAWL_EDGE_REFUSED;
    worker->batch[worker->batch_size - 1].depth = depth;
    worker->batch[worker->batch_size - 1].priority = priority;
    rate(visit, entry->url);
    return wants(visit, NULL, entry->lastmod) ? CRAWL_EDGE_NEW : CRAWL_EDGE_REFUSED;
}

void cw_follow_found(cw_visit *visit, const crawl_sitemap_entry *entry, uint32_t depth, int32_t priority)
{
    if (visit->worker->batch_size == CW_BATCH_MAX)
        push_found(visit);
    crawl_edge_verdict verdict = add_entry(visit, entry, depth, priority);
    if (verdict != CRAWL_EDGE_NEW)
        cw_count(&cw_engine_of(visit)->counters.sitemap_edges[verdict], 1);
}
