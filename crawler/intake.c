/* Requests that come from outside of the workers: seeds, and what a spider pushes. From any thread, one at a time. */
#include "crawler/clock.h"
#include "crawler/engine_parts.h"

#include "base/bytes.h"

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
    pthread_mutex_destroy(&in->lock);
}

/* RFC 9110, 5.6.2. */
static bool is_token(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!cw_is_alpha(c) && !cw_is_digit(c) && !(c && strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.size != 0;
}

/* How much of a text a message shows. */
static int shown(crawl_slice text, size_t most)
{
    return (int)(text.size < most ? text.size : most);
}

/* The URL into in->url. */
static crawl_err parse(crawl_engine *engine, const crawl_seed *seed, crawl_error *error)
{
    cw_intake *in = &engine->intake;
    if (seed->method.size && !is_token(seed->method))
        return crawl_error_set(error, CRAWL_EINVAL, "method is no token: %.*s", shown(seed->method, 40), seed->method.data);
    if (seed->depth > engine->config->depth)
        return crawl_error_set(error, CRAWL_EINVAL, "depth %u is beyond the crawl's depth of %u", seed->depth,
                               engine->config->depth);
    crawl_err err = crawl_url_parse(in->url, seed->url, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "no absolute URL: %.*s", shown(seed->url, 200), seed->url.data);
    if (err)
        return crawl_error_set(error, err, "%s", crawl_strerror(err));
    if (!crawl_url_is_http(in->url))
        return crawl_error_set(error, CRAWL_EINVAL, "not http or https: %.*s", shown(seed->url, 200), seed->url.data);
    return CRAWL_OK;
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
    return cw_key_fingerprint(&engine->key, in->fingerprinter, seed->method, crawl_buf_slice(&in->canonical), seed->body,
                              &out->fingerprint);
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
        err = cw_scope_add(engine->scope, engine->intake.url);
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
    if (!cw_scope_contains(in->scope, in->url) || !cw_scope_passes(in->scope, crawl_buf_slice(&in->canonical)))
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
