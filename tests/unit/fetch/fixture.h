/* A fetcher and a script server on one loop, and the outcome of each transfer. Static functions, for the test programs
 * of this folder. */
#pragma once

#include <crawl/fetch.h>

#include "tests/support/script_server.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <stdio.h>

typedef struct fixture {
    struct event_base *base;
    script_server *server;
    crawl_fetcher *fetcher;
    crawl_fetch_options options;
} fixture;

/* The outcome of one transfer. */
typedef struct outcome {
    fixture *fixture;
    unsigned started;
    unsigned headers_seen;
    unsigned done;
    unsigned requests_at_start; /* requests that the server had read at on_start */
    int status;
    int headers_status; /* the status seen by on_headers */
    int version;
    crawl_fetch_error error;
    char text[256];
    char ip[64];
    char header[64]; /* X-Test */
    size_t header_count;
    uint64_t wire_bytes;
    double elapsed_ms;
    crawl_buf body;
    bool body_cut;
    uint64_t id;
} outcome;

static inline void fixture_open(fixture *f, const script_answer *answers, const crawl_fetch_options *options)
{
    *f = (fixture){.base = event_base_new()};
    if (options)
        f->options = *options;
    else
        crawl_fetch_options_init(&f->options, sizeof f->options);
    f->options.allow_private = true; /* the server is on loopback */
    f->server = script_server_start(f->base, answers);
    cr_assert_not_null(f->server);
    crawl_error error;
    cr_assert_eq(crawl_fetcher_create(f->base, &f->options, &f->fetcher, &error), CRAWL_OK, "%s", error.message);
}

static inline void fixture_close(fixture *f)
{
    crawl_fetcher_free(f->fetcher);
    script_server_stop(f->server);
    event_base_free(f->base);
}

static inline void fixture_started(void *user)
{
    outcome *o = user;
    o->started++;
    o->requests_at_start = script_server_requests(o->fixture->server);
}

static inline bool fixture_headers(void *user, const crawl_response *response)
{
    outcome *o = user;
    o->headers_seen++;
    o->headers_status = response->status;
    return true;
}

static inline void fixture_done(void *user, const crawl_response *response)
{
    outcome *o = user;
    o->done++;
    o->status = response->status;
    o->version = response->http_version;
    o->error = response->error;
    o->header_count = response->header_count;
    o->wire_bytes = response->wire_bytes;
    o->elapsed_ms = response->elapsed_ms;
    snprintf(o->text, sizeof o->text, "%s", response->error_text);
    snprintf(o->ip, sizeof o->ip, "%s", response->ip);
    crawl_slice value = crawl_response_header(response, "X-Test");
    snprintf(o->header, sizeof o->header, "%.*s", (int)value.size, value.size ? value.data : "");
    crawl_buf_clear(&o->body);
    o->body_cut = response->body_cut;
    cr_assert_eq(crawl_buf_append(&o->body, response->body.data, response->body.size), CRAWL_OK);
}

/* Returns the server's URL with this path, valid until the next call. */
static inline crawl_slice fixture_url(fixture *f, const char *path)
{
    static char url[512];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", script_server_port(f->server), path);
    return crawl_slice_from(url);
}

/* Fills in the missing fields of a request, and starts it. */
static inline void fixture_start(fixture *f, const char *path, crawl_fetch_request request, outcome *o)
{
    *o = (outcome){.fixture = f};
    if (request.url.size == 0)
        request.url = fixture_url(f, path);
    if (!request.on_start)
        request.on_start = fixture_started;
    if (!request.on_headers)
        request.on_headers = fixture_headers;
    request.on_done = fixture_done;
    request.user = o;
    cr_assert_eq(crawl_fetch(f->fetcher, &request, &o->id), CRAWL_OK);
    cr_assert_eq(o->done, 0, "on_done came from within crawl_fetch");
}

static inline void fixture_wait(fixture *f, const outcome *o)
{
    while (o->done == 0)
        event_base_loop(f->base, EVLOOP_ONCE);
}

/* Waits until the server has read this many requests. */
static inline void fixture_wait_requests(fixture *f, unsigned count)
{
    while (script_server_requests(f->server) < count)
        event_base_loop(f->base, EVLOOP_ONCE);
}

static inline void fixture_run(fixture *f, const char *path, crawl_fetch_request request, outcome *o)
{
    fixture_start(f, path, request, o);
    fixture_wait(f, o);
    cr_assert_eq(o->done, 1);
}

static inline void fixture_get(fixture *f, const char *path, outcome *o)
{
    fixture_run(f, path, (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, o);
}

static inline void expect_error(const outcome *o, crawl_fetch_error error)
{
    cr_expect_eq(o->error, error, "got %s (%s), expected %s", crawl_fetch_error_name(o->error), o->text,
                 crawl_fetch_error_name(error));
    cr_expect_eq(o->text[0] == '\0', error == CRAWL_FETCH_OK, "words: %s", o->text);
}

static inline void expect_body(const outcome *o, const char *body)
{
    cr_expect_str_eq(o->body.data ? o->body.data : "", body);
}
