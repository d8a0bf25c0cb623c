/* See live.h. */
#include "crawler/program/live/live.h"

#include "base/clock.h"
#include "base/error.h"
#include "crawler/program/live/connections.h"
#include "crawler/program/live/host.h"
#include "crawler/program/live/page.h"
#include "crawler/program/live/socket.h"
#include "crawler/program/live/stats.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
    MAX_HEADER = 16 * 1024, /* cookies of whatever else is served on this host come along */
    MAX_BODY = 4 * 1024,    /* nobody has a reason to send one */
    IDLE_S = 5,             /* a reader that takes nothing and says nothing for so long */
    FRESH_US = 100 * 1000   /* figures may be so old: reading them takes the frontier's lock, and must not be up to
                               strangers */
};

struct cw_live {
    const crawl_config *config;
    crawl_listen listened;
    crawl_buf url;
    int socket; /* -1: the server's by now */
    int wake;   /* an eventfd: what is written ends the loop */
    struct event_base *base;
    struct evhttp *http;
    struct evconnlistener *listener;
    struct event *stop;
    struct event *tick;
    cw_live_connections connections;
    crawl_engine *engine;
    crawl_engine_stats stats;
    int64_t stats_us;   /* when they were read, monotonic; 0: not yet */
    int64_t started_ms; /* since 1970, UTC */
    cw_live_history history;
    crawl_buf body;
    pthread_t thread;
    bool has_thread;
};

/* --- Figures. --- */

static uint64_t resident_bytes(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*u %" SCNu64, &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void refresh(cw_live *live)
{
    int64_t now_us = cw_now_us();
    if (live->stats_us && now_us - live->stats_us < FRESH_US)
        return;
    crawl_engine_stats_get(live->engine, &live->stats);
    live->stats_us = now_us;
}

static cw_live_source source_of(cw_live *live)
{
    refresh(live);
    return (cw_live_source){
        .stats = &live->stats,
        .config = live->config,
        .history = &live->history,
        .started_ms = live->started_ms,
        .resident_bytes = resident_bytes(),
    };
}

/* --- Answers. --- */

static crawl_err make_json(cw_live *live, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_json(&source, out);
}

static crawl_err make_metrics(cw_live *live, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_metrics(&source, out);
}

static const char text_type[] = "text/plain; charset=utf-8";

static const struct {
    const char *path;
    const char *type;
    const char *text; /* NULL: made */
    crawl_err (*make)(cw_live *live, crawl_buf *out);
} resources[] = {
    {"/", "text/html; charset=utf-8", cw_live_html, NULL},
    {"/live.css", "text/css; charset=utf-8", cw_live_css, NULL},
    {"/live.js", "text/javascript; charset=utf-8", cw_live_js, NULL},
    {"/stats.json", "application/json", NULL, make_json},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", NULL, make_metrics},
};

enum { RESOURCES = sizeof resources / sizeof *resources };

static const struct {
    const char *name;
    const char *value;
} headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"}, /* so that no reader keeps one of the few connections */
};

/* Of a HEAD everything but the body is as of a GET (RFC 9110, 9.3.2). */
static void reply(struct evhttp_request *request, int status, const char *reason, const char *type, crawl_slice body)
{
    char size[32];
    snprintf(size, sizeof size, "%zu", body.size);
    struct evkeyvalq *out = evhttp_request_get_output_headers(request);
    struct evbuffer *buffer = evbuffer_new();
    int failed =
        !buffer || evhttp_add_header(out, "Content-Type", type) || evhttp_add_header(out, "Content-Length", size);
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !failed; i++)
        failed = evhttp_add_header(out, headers[i].name, headers[i].value);
    if (!failed && evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
        failed = evbuffer_add(buffer, body.data, body.size);
    if (failed)
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
    else
        evhttp_send_reply(request, status, reason, buffer);
    if (buffer)
        evbuffer_free(buffer);
}

static void refuse(struct evhttp_request *request, int status, const char *reason, const char *words)
{
    reply(request, status, reason, text_type, crawl_slice_from(words));
}

/* Both the Host header and, of a request in absolute form, its target. */
static bool is_for_us(const cw_live *live, struct evhttp_request *request)
{
    const char *host = evhttp_find_header(evhttp_request_get_input_headers(request), "Host");
    const char *target = evhttp_uri_get_host(evhttp_request_get_evhttp_uri(request));
    return cw_live_host_allowed(crawl_slice_from(host), live->listened.host) &&
           (!target || cw_live_host_allowed(crawl_slice_from(target), live->listened.host));
}

/* RFC 9112, 3.2: which of several it means nobody knows. */
static bool has_one_host(struct evhttp_request *request)
{
    unsigned count = 0;
    struct evkeyval *header;
    TAILQ_FOREACH(header, evhttp_request_get_input_headers(request), next)
    count += evutil_ascii_strcasecmp(header->key, "Host") == 0;
    return count < 2;
}

static void answer(cw_live *live, struct evhttp_request *request, size_t index)
{
    crawl_err err = CRAWL_OK;
    crawl_slice body = crawl_slice_from(resources[index].text);
    if (resources[index].make) {
        crawl_buf_clear(&live->body);
        err = resources[index].make(live, &live->body);
        body = crawl_buf_slice(&live->body);
    }
    if (err)
        refuse(request, HTTP_INTERNAL, "Internal Server Error", "no memory\n");
    else
        reply(request, HTTP_OK, "OK", resources[index].type, body);
}

static void on_request(struct evhttp_request *request, void *user)
{
    cw_live *live = user;
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    size_t index = 0;
    while (index < RESOURCES && strcmp(path ? path : "", resources[index].path) != 0)
        index++;
    if (!has_one_host(request)) {
        refuse(request, HTTP_BADREQUEST, "Bad Request", "there are several Host headers\n");
    } else if (!is_for_us(live, request)) {
        refuse(request, 403, "Forbidden",
               "the Host of the request is neither an address nor localhost nor what --listen names\n");
    } else if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
        evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "GET, HEAD");
        refuse(request, HTTP_BADMETHOD, "Method Not Allowed", "only GET and HEAD\n");
    } else if (index == RESOURCES) {
        refuse(request, HTTP_NOTFOUND, "Not Found", "there are /, /stats.json and /metrics\n");
    } else {
        answer(live, request, index);
    }
}

/* --- The loop. --- */

static void on_tick(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_live *live = user;
    cw_live_connections_check(&live->connections);
    refresh(live);
    cw_live_history_add(&live->history, (cw_live_moment){live->stats.elapsed_ms, live->stats.pages});
    evconnlistener_enable(live->listener);
}

static void on_stop(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_live *live = user;
    event_base_loopbreak(live->base);
}

/* No descriptor is left, for one. Again with the next tick, since until then it would fail again at once. */
static void on_accept_error(struct evconnlistener *listener, void *user)
{
    (void)user;
    evconnlistener_disable(listener);
}

static void *run(void *user)
{
    cw_live *live = user;
    event_base_dispatch(live->base);
    return NULL;
}

static crawl_err make_server(cw_live *live)
{
    live->http = evhttp_new(live->base);
    if (!live->http)
        return CRAWL_ENOMEM;
    evhttp_set_gencb(live->http, on_request, live);
    evhttp_set_allowed_methods(live->http, UINT16_MAX); /* what is not allowed is refused with the others' headers */
    evhttp_set_max_headers_size(live->http, MAX_HEADER);
    evhttp_set_max_body_size(live->http, MAX_BODY);
    evhttp_set_timeout(live->http, IDLE_S);
    cw_live_connections_watch(&live->connections, live->http);
    struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(live->http, live->socket);
    if (!bound)
        return CRAWL_ENOMEM;
    live->socket = -1;
    live->listener = evhttp_bound_socket_get_listener(bound);
    evconnlistener_set_error_cb(live->listener, on_accept_error);
    return CRAWL_OK;
}

static crawl_err make_loop(cw_live *live)
{
    const struct timeval second = {.tv_sec = 1};
    live->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    live->base = event_base_new();
    if (live->wake < 0 || !live->base)
        return CRAWL_ENOMEM;
    live->stop = event_new(live->base, live->wake, EV_READ, on_stop, live);
    live->tick = event_new(live->base, -1, EV_PERSIST, on_tick, live);
    if (!live->stop || !live->tick || event_add(live->stop, NULL) || event_add(live->tick, &second))
        return CRAWL_ENOMEM;
    return make_server(live);
}

/* With all signals blocked: they are the crawl's, but for SIGPIPE, which a reader that goes away would bring. */
static crawl_err start_thread(cw_live *live)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    live->has_thread = pthread_create(&live->thread, NULL, run, live) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return live->has_thread ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_live_open(const crawl_config *config, cw_live **out, crawl_error *error)
{
    cw_live *live = calloc(1, sizeof *live);
    if (!live)
        return cw_error(error, CRAWL_ENOMEM);
    live->config = config;
    live->socket = live->wake = -1;
    crawl_err err = crawl_listen_parse(crawl_slice_from(config->listen), &live->listened);
    if (err)
        cw_error(error, err);
    else
        err = cw_live_socket_open(&live->listened, &live->socket, &live->url, error);
    if (err)
        cw_live_close(live);
    else
        *out = live;
    return err;
}

const char *cw_live_url(const cw_live *live)
{
    return live->url.data;
}

crawl_err cw_live_start(cw_live *live, crawl_engine *engine, crawl_error *error)
{
    live->engine = engine;
    live->started_ms = cw_wall_ms();
    crawl_err err = make_loop(live);
    if (!err)
        err = start_thread(live);
    return err ? cw_error(error, err) : CRAWL_OK;
}

static void stop_thread(cw_live *live)
{
    if (!live->has_thread)
        return;
    eventfd_write(live->wake, 1);
    pthread_join(live->thread, NULL);
}

void cw_live_close(cw_live *live)
{
    if (!live)
        return;
    stop_thread(live);
    if (live->http)
        evhttp_free(live->http);
    cw_live_connections_free(&live->connections);
    if (live->stop)
        event_free(live->stop);
    if (live->tick)
        event_free(live->tick);
    if (live->base)
        event_base_free(live->base);
    if (live->wake >= 0)
        close(live->wake);
    if (live->socket >= 0)
        close(live->socket);
    crawl_buf_free(&live->url);
    crawl_buf_free(&live->body);
    free(live);
}
