#include "crawler/engine/links/intake.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/header.h"
#include "base/sized.h"
#include "config/config_values.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/batch.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/links/judge.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/url_looks.h"
#include "crawler/engine/tags.h"

#include <crawl/sys/explain.h>
#include <stdlib.h>

struct cw_links_intake {
    pthread_mutex_t lock; /* guards everything below */
    cw_links_judge judge;
    crawl_buf from;        /* source of the seeds that are being read, until it is noted; empty: nothing to note */
    crawl_buf place;       /* place of the last seed: it is part of the scope, and kept */
    cw_links_batch *batch; /* seeds that are being read, and not pushed yet; NULL: each seed is pushed at once */
    crawl_buf places;      /* of the seeds in the batch, still to be kept: the names of their notes, one per line */
};

cw_links_intake *cw_links_intake_create(crawl_engine *engine)
{
    cw_links_intake *intake = calloc(1, sizeof *intake);
    if (!intake)
        return NULL;
    pthread_mutex_init(&intake->lock, NULL);
    if (cw_links_judge_open(&intake->judge, engine)) {
        cw_links_intake_free(intake);
        return NULL;
    }
    return intake;
}

/* Returns how many bytes of a text a message shows. */
static int shown(crawl_slice text, size_t most)
{
    return (int)(text.size < most ? text.size : most);
}

static crawl_err check_headers(crawl_slice headers, crawl_error *error)
{
    while (headers.size) {
        crawl_slice line = cw_cut_line(&headers);
        const char *why = cw_header_refused(line);
        const char *colon = memchr(line.data, ':', line.size); /* the value may be a secret */
        if (why)
            return crawl_error_set(error, CRAWL_EINVAL, "header \"%.*s\": %s",
                                   shown(crawl_slice_of(line.data, colon ? (size_t)(colon - line.data) : 0), 60),
                                   line.data, why);
    }
    return CRAWL_OK;
}

/* Takes user and password out of the URL; they are sent to its origin from now on. */
static crawl_err take_user(crawl_engine *engine, crawl_url *url, crawl_error *error)
{
    if (!cw_scope_userinfo_is_there(url))
        return CRAWL_OK;
    if (cw_engine_is_kept(engine))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "--state cannot keep a user in a URL: set user and password_file in [host NAME]");
    crawl_buf user = {0};
    crawl_buf password = {0};
    crawl_err err = cw_scope_userinfo_take(url, &user, &password);
    if (!err)
        err = cw_host_book_add_user(engine->hosts, url, crawl_buf_slice(&user), crawl_buf_slice(&password));
    crawl_buf_free(&user);
    cw_secret_free_buf(&password);
    if (err == CRAWL_EINVAL)
        return crawl_error_set(error, err, "the user in a URL cannot contain a colon or a NUL");
    return err ? cw_error(error, err) : CRAWL_OK;
}

/* Refuses CONNECT and TRACE. CONNECT asks a proxy for a tunnel and has no URL (RFC 9110, 9.3.6); TRACE returns what was
 * sent, passwords included, and must not carry any (9.3.8). Neither fetches a page, and no browser lets a page ask for
 * them (Fetch standard, 2.2.1). */
static crawl_err check_method(crawl_slice method, crawl_error *error)
{
    if (method.size && !cw_is_token(method))
        return crawl_error_set(error, CRAWL_EINVAL, "method is not a token: %.*s", shown(method, 40), method.data);
    if (cw_equal_nocase(method, crawl_slice_from("CONNECT")) || cw_equal_nocase(method, crawl_slice_from("TRACE")))
        return crawl_error_set(error, CRAWL_EINVAL, "method %.*s fetches nothing: a crawl does not send it",
                               shown(method, 40), method.data);
    return CRAWL_OK;
}

/* Checks a seed, and parses its URL into judge->url. */
static crawl_err intake_parse(const cw_links_judge *judge, const crawl_seed *seed, crawl_error *error)
{
    crawl_engine *engine = judge->engine;
    crawl_url *url = judge->url;
    crawl_err err = check_method(seed->method, error);
    if (err)
        return err;
    if (seed->depth > engine->config->depth)
        return crawl_error_set(error, CRAWL_EINVAL, "depth %u is beyond the crawl's depth of %u", seed->depth,
                               engine->config->depth);
    err = crawl_url_parse(url, seed->url, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "not an absolute URL: %.*s", shown(seed->url, 200), seed->url.data);
    if (err)
        return cw_error(error, err);
    if (!crawl_url_is_http(url))
        return crawl_error_set(error, CRAWL_EINVAL, "not http or https: %.*s", shown(seed->url, 200), seed->url.data);
    err = check_headers(seed->headers, error);
    if (!err)
        err = take_user(engine, url, error);
    if (!err && cw_host_upgrade(engine, url))
        err = cw_error(error, CRAWL_ENOMEM);
    return err;
}

/* Explains an error in the words of the frontier if that has failed, or else in those of the code. */
static crawl_err intake_explain(crawl_engine *engine, crawl_err err, crawl_error *error)
{
    crawl_error why = {0};
    if (crawl_frontier_failure(engine->frontier, &why) == err)
        return crawl_error_set(error, err, "%s: %.400s", cw_engine_place(engine), why.message);
    return cw_error(error, err);
}

static crawl_err intake_full(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_FULL, "crawl.max_queued or crawl.max_hosts is reached");
}

static crawl_request intake_request(const cw_links_judge *judge, const crawl_seed *seed, uint32_t tag)
{
    return (crawl_request){
        .url = crawl_url_request(judge->url),
        .method = seed->method,
        .headers = seed->headers,
        .body = seed->body,
        .depth = seed->depth,
        .priority = seed->priority,
        .tag = tag,
    };
}

/* Pushes the request for judge->url. CRAWL_EXISTS: it was queued before. */
static crawl_err intake_push(cw_links_judge *judge, const crawl_seed *seed, uint32_t tag, crawl_slice parent,
                             crawl_error *error)
{
    crawl_engine *engine = judge->engine;
    uint8_t result = CRAWL_PUSHED_NEW;
    crawl_request request = intake_request(judge, seed, tag);
    crawl_err err = cw_links_judge_fingerprint(judge, seed->method, seed->body, &request.fingerprint);
    if (!err)
        err = crawl_frontier_push(engine->frontier, &request, 1, parent, &result, NULL, cw_engine_now(engine));
    if (err == CRAWL_FULL)
        return intake_full(error);
    if (err)
        return intake_explain(engine, err, error);
    return result == CRAWL_PUSHED_SEEN ? CRAWL_EXISTS : CRAWL_OK;
}

static crawl_err intake_flush_places(cw_links_intake *intake)
{
    crawl_note notes[CW_LINKS_BATCH_MAX];
    crawl_slice left = crawl_buf_slice(&intake->places);
    crawl_err err = CRAWL_OK;
    while (!err && left.size) {
        size_t count = 0;
        while (left.size && count < CW_LINKS_BATCH_MAX)
            notes[count++] = (crawl_note){cw_cut_line(&left), crawl_slice_from(CW_ENGINE_PLACE_OF_SEED)};
        err = crawl_frontier_notes_set(intake->judge.engine->frontier, notes, count);
    }
    if (!err)
        crawl_buf_clear(&intake->places);
    return err;
}

/* Keeps the places of the waiting seeds, and pushes the seeds. Errors: see crawl_frontier_push. */
static crawl_err intake_send(cw_links_intake *intake)
{
    cw_links_batch *batch = intake->batch;
    if (!batch)
        return CRAWL_OK;
    crawl_err err = intake_flush_places(intake);
    if (!err && batch->size)
        err = cw_links_batch_send(batch);
    cw_links_batch_clear(batch);
    return err;
}

static crawl_err intake_flush(cw_links_intake *intake, crawl_error *error)
{
    crawl_err err = intake_send(intake);
    if (err == CRAWL_FULL)
        return intake_full(error);
    return err ? intake_explain(intake->judge.engine, err, error) : CRAWL_OK;
}

void cw_links_intake_free(cw_links_intake *intake)
{
    if (!intake)
        return;
    (void)intake_send(intake); /* a failed frontier reports that when it is closed */
    cw_links_judge_close(&intake->judge);
    cw_links_batch_free(intake->batch);
    crawl_buf_free(&intake->from);
    crawl_buf_free(&intake->place);
    crawl_buf_free(&intake->places);
    pthread_mutex_destroy(&intake->lock);
    free(intake);
}

/* Queues the seed in judge->url. A batch does not copy the method, headers and body that a seed may have. */
static crawl_err intake_queue(cw_links_intake *intake, const crawl_seed *seed, crawl_error *error)
{
    cw_links_batch *batch = intake->batch;
    bool is_plain = !seed->method.size && !seed->headers.size && !seed->body.size;
    crawl_err err = !batch || (is_plain && batch->size < CW_LINKS_BATCH_MAX) ? CRAWL_OK : intake_flush(intake, error);
    if (err && err != CRAWL_FULL)
        return err;
    if (!batch || !is_plain) {
        crawl_err pushed = intake_push(&intake->judge, seed, CW_ENGINE_TAG_SEED, (crawl_slice){0}, error);
        return pushed ? pushed : err;
    }
    crawl_request request = intake_request(&intake->judge, seed, CW_ENGINE_TAG_SEED);
    return cw_links_batch_put(batch, intake->judge.url, &request) ? cw_error(error, CRAWL_ENOMEM) : err;
}

/* Notes that seeds are being read, before the first of them is queued. */
static crawl_err note_seeds(cw_links_intake *intake)
{
    crawl_frontier *frontier = intake->judge.engine->frontier;
    if (!intake->from.size)
        return CRAWL_OK;
    crawl_err err =
        crawl_frontier_note_set(frontier, crawl_slice_from(CW_SCOPE_SEEDS_NOTE), crawl_buf_slice(&intake->from));
    if (!err)
        crawl_buf_clear(&intake->from);
    return err;
}

/* Adds the place of the seed in judge->url to the scope, and keeps it. */
static crawl_err intake_add_place(cw_links_intake *intake)
{
    crawl_engine *engine = intake->judge.engine;
    const crawl_url *url = intake->judge.url;
    crawl_slice place = cw_scope_prefix(url);
    if (crawl_slice_equal(crawl_buf_slice(&intake->place), place))
        return CRAWL_OK;
    crawl_buf_clear(&intake->place);
    crawl_err err = cw_scope_add(engine->scope, url);
    bool can_wait = intake->batch && place.size + sizeof CRAWL_STATE_PLACES < CRAWL_NOTE_MAX;
    if (!err && can_wait)
        err = crawl_buf_printf(&intake->places, CRAWL_STATE_PLACES "%.*s\n", (int)place.size, place.data);
    else if (!err)
        err = cw_engine_state_keep_place(engine, url, true);
    return err ? err : crawl_buf_append(&intake->place, place.data, place.size);
}

static crawl_err seed_locked(cw_links_intake *intake, const crawl_seed *seed, crawl_error *error)
{
    cw_links_judge *judge = &intake->judge;
    crawl_engine *engine = judge->engine;
    crawl_err err = intake_parse(judge, seed, error);
    if (err)
        return err;
    err = cw_links_judge_canonical(judge, judge->url);
    if (!err)
        err = cw_host_guard_name(engine->guard, judge->url);
    if (!err)
        err = cw_host_book_name(engine->hosts, judge->url);
    if (!err)
        err = note_seeds(intake);
    if (!err)
        err = intake_add_place(intake);
    if (err)
        return intake_explain(engine, err, error);
    return intake_queue(intake, seed, error);
}

crawl_err crawl_engine_seed(crawl_engine *engine, const crawl_seed *seed, crawl_error *error)
{
    crawl_seed own;
    const crawl_seed *taken = cw_sized(&own, sizeof own, seed);
    if (!taken)
        return cw_sized_refused(seed, sizeof own, "crawl_seed", error);
    pthread_mutex_lock(&engine->intake->lock);
    crawl_err err = seed_locked(engine->intake, taken, error);
    pthread_mutex_unlock(&engine->intake->lock);
    return err;
}

/* Says why the crawl does not take a URL with this verdict. */
static crawl_err intake_refuse(crawl_engine *engine, crawl_edge_verdict verdict, crawl_slice url, crawl_error *error)
{
    crawl_trap trap = cw_links_fate_trap(verdict);
    const char *words = verdict == CRAWL_EDGE_PORT ? cw_host_guard_port_words : "out of the scope of the crawl";
    if (verdict == CRAWL_EDGE_NO_URL)
        return cw_error(error, CRAWL_ENOMEM);
    cw_engine_count(&engine->counters.traps[trap], trap != CRAWL_TRAP_NONE);
    return crawl_error_set(error, CRAWL_REFUSED, "%s%s: %.*s", trap ? "beyond " : "",
                           trap ? crawl_trap_name(trap) : words, shown(url, 200), url.data);
}

static crawl_err push_locked(cw_links_judge *judge, const crawl_seed *seed, crawl_slice parent, crawl_error *error)
{
    crawl_err err = intake_parse(judge, seed, error);
    if (err)
        return err;
    crawl_edge_verdict verdict = cw_links_judge_verdict(judge, judge->url, false);
    if (verdict != CRAWL_EDGE_NEW)
        return intake_refuse(judge->engine, verdict, seed->url, error);
    return intake_push(judge, seed, 0, parent, error);
}

crawl_err crawl_engine_push(crawl_engine *engine, const crawl_seed *request, crawl_slice parent, crawl_error *error)
{
    crawl_seed own;
    const crawl_seed *taken = cw_sized(&own, sizeof own, request);
    if (!taken)
        return cw_sized_refused(request, sizeof own, "crawl_seed", error);
    pthread_mutex_lock(&engine->intake->lock);
    crawl_err err = push_locked(&engine->intake->judge, taken, parent, error);
    pthread_mutex_unlock(&engine->intake->lock);
    return err;
}

/* ---- seeds being read ---- */

enum { FROM_MAX = 200 };

/* Under dfs the youngest batch goes first, so each seed is pushed separately. */
static crawl_err intake_begin_batch(cw_links_intake *intake)
{
    if (intake->batch || intake->judge.engine->config->order == CRAWL_ORDER_DFS)
        return CRAWL_OK;
    intake->batch = cw_links_batch_create(&intake->judge);
    return intake->batch ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err crawl_engine_seeds_begin(crawl_engine *engine, const char *from, crawl_error *error)
{
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_buf *words = &engine->intake->from;
    pthread_mutex_lock(&engine->intake->lock);
    crawl_buf_clear(words);
    crawl_err err = crawl_buf_printf(words, "%.*s", FROM_MAX, *from ? from : "its seeds");
    if (!err)
        err = intake_begin_batch(engine->intake);
    pthread_mutex_unlock(&engine->intake->lock);
    return err ? intake_explain(engine, err, error) : CRAWL_OK;
}

static crawl_err intake_end_batch(cw_links_intake *intake, crawl_error *error)
{
    crawl_err err = intake_flush(intake, error);
    cw_links_batch_free(intake->batch);
    intake->batch = NULL;
    return err;
}

crawl_err crawl_engine_seeds_end(crawl_engine *engine, crawl_error *error)
{
    cw_links_intake *intake = engine->intake;
    if (!engine->config->state)
        return CRAWL_OK;
    pthread_mutex_lock(&intake->lock);
    crawl_buf_clear(&intake->from);
    crawl_err queued = intake_end_batch(intake, error);
    crawl_err err = queued == CRAWL_FULL ? CRAWL_OK : queued;
    if (!err)
        err = crawl_frontier_note_set(engine->frontier, crawl_slice_from(CW_SCOPE_SEEDS_NOTE), (crawl_slice){0});
    pthread_mutex_unlock(&intake->lock);
    return err ? intake_explain(engine, err, error) : queued;
}

crawl_err crawl_engine_seeds_cut(crawl_engine *engine, crawl_buf *from, crawl_error *error)
{
    crawl_err err = crawl_frontier_note_get(engine->frontier, crawl_slice_from(CW_SCOPE_SEEDS_NOTE), from);
    if (err == CRAWL_ABSENT)
        return CRAWL_OK;
    return err ? intake_explain(engine, err, error) : CRAWL_EXISTS;
}
