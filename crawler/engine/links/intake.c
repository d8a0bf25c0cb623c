/* Requests that come from outside of the workers: seeds, and what a spider pushes. From any thread, one at a time. */
#include "crawler/engine/links/intake.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/header.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/host_rules.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/links/trap.h"
#include "crawler/engine/links/userinfo.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/state.h"
#include "crawler/engine/visit/visit.h"

crawl_err cw_intake_create(crawl_engine *engine)
{
    cw_intake *in = &engine->intake;
    in->url = crawl_url_create();
    in->fingerprinter = crawl_fingerprinter_create();
    in->scope = cw_scope_reader_create(engine->scope);
    return in->url && in->fingerprinter && in->scope ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_intake_free(crawl_engine *engine)
{
    cw_intake *in = &engine->intake;
    crawl_url_free(in->url);
    crawl_fingerprinter_free(in->fingerprinter);
    cw_scope_reader_free(in->scope);
    crawl_buf_free(&in->canonical);
    crawl_buf_free(&in->from);
    pthread_mutex_destroy(&in->lock);
}

/* How much of a text a message shows. */
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

/* User and password leave in->url, and are the origin's from now on. */
static crawl_err take_user(crawl_engine *engine, crawl_error *error)
{
    crawl_url *url = engine->intake.url;
    if (!cw_userinfo_is_there(url))
        return CRAWL_OK;
    if (engine->config->state)
        return crawl_error_set(
            error, CRAWL_EINVAL,
            "a user in a URL cannot be kept by --state: write user and password_file into [host NAME]");
    crawl_buf user = {0};
    crawl_buf password = {0};
    crawl_err err = cw_userinfo_take(url, &user, &password);
    if (!err)
        err = cw_host_book_add_user(engine->hosts, url, crawl_buf_slice(&user), crawl_buf_slice(&password));
    if (password.data)
        explicit_bzero(password.data, password.capacity);
    crawl_buf_free(&user);
    crawl_buf_free(&password);
    if (err == CRAWL_EINVAL)
        return crawl_error_set(error, err, "the user in a URL cannot hold a colon or a NUL");
    return err ? crawl_error_set(error, err, "%s", crawl_strerror(err)) : CRAWL_OK;
}

/* CONNECT asks a proxy for a tunnel and has no URL (RFC 9110, 9.3.6); TRACE sends back what was sent, passwords too,
 * and must not carry any (9.3.8). Neither fetches a page, and no browser lets a page ask for them (Fetch standard,
 * 2.2.1). */
static crawl_err check_method(crawl_slice method, crawl_error *error)
{
    if (method.size && !cw_is_token(method))
        return crawl_error_set(error, CRAWL_EINVAL, "method is no token: %.*s", shown(method, 40), method.data);
    if (cw_equal_nocase(method, crawl_slice_from("CONNECT")) || cw_equal_nocase(method, crawl_slice_from("TRACE")))
        return crawl_error_set(error, CRAWL_EINVAL, "method %.*s fetches nothing: a crawl does not send it",
                               shown(method, 40), method.data);
    return CRAWL_OK;
}

/* The URL into in->url. */
static crawl_err parse(crawl_engine *engine, const crawl_seed *seed, crawl_error *error)
{
    cw_intake *in = &engine->intake;
    crawl_err err = check_method(seed->method, error);
    if (err)
        return err;
    if (seed->depth > engine->config->depth)
        return crawl_error_set(error, CRAWL_EINVAL, "depth %u is beyond the crawl's depth of %u", seed->depth,
                               engine->config->depth);
    err = crawl_url_parse(in->url, seed->url, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "no absolute URL: %.*s", shown(seed->url, 200), seed->url.data);
    if (err)
        return crawl_error_set(error, err, "%s", crawl_strerror(err));
    if (!crawl_url_is_http(in->url))
        return crawl_error_set(error, CRAWL_EINVAL, "not http or https: %.*s", shown(seed->url, 200), seed->url.data);
    err = check_headers(seed->headers, error);
    if (!err)
        err = take_user(engine, error);
    if (!err && cw_upgrade(engine, in->url))
        err = crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    return err;
}

/* The request for in->url; borrows from it and from seed. */
static crawl_err make_request(crawl_engine *engine, const crawl_seed *seed, uint32_t tag, crawl_request *out)
{
    cw_intake *in = &engine->intake;
    *out = (crawl_request){
        .url = crawl_url_request(in->url),
        .method = seed->method,
        .headers = seed->headers,
        .body = seed->body,
        .depth = seed->depth,
        .priority = seed->priority,
        .tag = tag,
    };
    crawl_err err = cw_key_canonical(&engine->key, in->url, &in->canonical);
    if (err)
        return err;
    return cw_key_fingerprint(&engine->key, in->fingerprinter, seed->method, crawl_buf_slice(&in->canonical),
                              seed->body, &out->fingerprint);
}

/* In the words of a frontier that has failed, or else those of the code. */
static crawl_err explain(crawl_engine *engine, crawl_err err, crawl_error *error)
{
    crawl_error why = {0};
    if (crawl_frontier_failure(engine->frontier, &why) == err)
        return crawl_error_set(error, err, "%s: %.400s", engine->config->state, why.message);
    return crawl_error_set(error, err, "%s", crawl_strerror(err));
}

static crawl_err push(crawl_engine *engine, const crawl_request *request, crawl_slice parent, crawl_error *error)
{
    uint8_t result = CRAWL_PUSHED_NEW;
    crawl_err err = crawl_frontier_push(engine->frontier, request, 1, parent, &result, NULL, cw_engine_now(engine));
    if (err == CRAWL_FULL)
        return crawl_error_set(error, err, "crawl.max_queued or crawl.max_hosts is reached");
    if (err)
        return explain(engine, err, error);
    return result == CRAWL_PUSHED_SEEN ? CRAWL_EXISTS : CRAWL_OK;
}

static crawl_err seed_locked(crawl_engine *engine, const crawl_seed *seed, crawl_error *error)
{
    crawl_request request;
    crawl_err err = parse(engine, seed, error);
    if (err)
        return err;
    err = make_request(engine, seed, CW_TAG_SEED, &request);
    if (!err)
        err = cw_guard_name(engine->guard, engine->intake.url);
    if (!err)
        err = cw_host_book_name(engine->hosts, engine->intake.url);
    if (!err)
        err = cw_scope_add(engine->scope, engine->intake.url);
    if (!err)
        err = cw_state_note_seeds(engine);
    if (!err)
        err = cw_state_keep_place(engine, engine->intake.url, true);
    if (err)
        return explain(engine, err, error);
    return push(engine, &request, (crawl_slice){0}, error);
}

crawl_err crawl_engine_seed(crawl_engine *engine, const crawl_seed *seed, crawl_error *error)
{
    pthread_mutex_lock(&engine->intake.lock);
    crawl_err err = seed_locked(engine, seed, error);
    pthread_mutex_unlock(&engine->intake.lock);
    return err;
}

static crawl_err push_locked(crawl_engine *engine, const crawl_seed *seed, crawl_slice parent, crawl_error *error)
{
    cw_intake *in = &engine->intake;
    crawl_request request;
    crawl_err err = parse(engine, seed, error);
    if (err)
        return err;
    err = make_request(engine, seed, 0, &request);
    if (err)
        return crawl_error_set(error, err, "%s", crawl_strerror(err));
    if (!cw_guard_opens(engine->guard, in->url))
        return crawl_error_set(error, CRAWL_REFUSED, "%s: %.*s", cw_guard_port_words, shown(seed->url, 200),
                               seed->url.data);
    if (!cw_scope_contains(in->scope, in->url) || !cw_engine_passes(engine, in->scope, crawl_buf_slice(&in->canonical)))
        return crawl_error_set(error, CRAWL_REFUSED, "out of the scope of the crawl: %.*s", shown(seed->url, 200),
                               seed->url.data);
    crawl_trap trapped = cw_trap_check(engine->trap, in->url, crawl_buf_slice(&in->canonical));
    if (trapped) {
        cw_count(&engine->counters.traps[trapped], 1);
        return crawl_error_set(error, CRAWL_REFUSED, "beyond %s: %.*s", crawl_trap_name(trapped), shown(seed->url, 200),
                               seed->url.data);
    }
    return push(engine, &request, parent, error);
}

crawl_err crawl_engine_push(crawl_engine *engine, const crawl_seed *request, crawl_slice parent, crawl_error *error)
{
    pthread_mutex_lock(&engine->intake.lock);
    crawl_err err = push_locked(engine, request, parent, error);
    pthread_mutex_unlock(&engine->intake.lock);
    return err;
}
