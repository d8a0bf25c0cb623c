#include "crawler/program/live/live.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "config/config_values.h"
#include "crawler/program/live/control.h"
#include "crawler/program/live/live_hosts.h"
#include "crawler/program/live/live_identity.h"
#include "crawler/program/live/live_parts.h"
#include "crawler/program/live/resources.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/socket.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

/* Decides which requests a live view answers, and with which headers. resources.h has what can be read, control.h what
 * can be changed. */

static const char text_type[] = "text/plain; charset=utf-8";

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
    {"Connection", "close"}, /* connections are few, so that no reader may keep one between its requests */
};

static bool is_head(const struct evhttp_request *request)
{
    return evhttp_request_get_command(request) == EVHTTP_REQ_HEAD;
}

static bool answers_add_headers(struct evhttp_request *request, const char *type)
{
    struct evkeyvalq *out = evhttp_request_get_output_headers(request);
    bool failed = evhttp_add_header(out, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !failed; i++)
        failed = evhttp_add_header(out, headers[i].name, headers[i].value);
    return !failed;
}

/* Sends an answer. An answer to HEAD only lacks the body of that to GET (RFC 9110, 9.3.2). */
static void reply(struct evhttp_request *request, int status, const char *reason, const char *type, crawl_slice body)
{
    char size[32];
    snprintf(size, sizeof size, "%zu", body.size);
    struct evbuffer *buffer = evbuffer_new();
    bool whole = answers_add_headers(request, type) &&
                 evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Length", size) == 0;
    if (whole && !is_head(request))
        whole = evbuffer_add(buffer, body.data, body.size) == 0;
    if (whole)
        evhttp_send_reply(request, status, reason, buffer);
    else
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
    evbuffer_free(buffer);
}

static void answers_refuse(struct evhttp_request *request, int status, const char *reason, const char *words)
{
    reply(request, status, reason, text_type, crawl_slice_from(words));
}

/* Returns true if the Host header, and the host of a target in absolute form, are ours. */
static bool is_for_us(const cw_live *live, struct evhttp_request *request)
{
    const char *host = evhttp_find_header(evhttp_request_get_input_headers(request), "Host");
    const char *target = evhttp_uri_get_host(evhttp_request_get_evhttp_uri(request));
    return cw_live_host_allowed(crawl_slice_from(host), live->listened.host) &&
           (!target || cw_live_host_allowed(crawl_slice_from(target), live->listened.host));
}

/* Returns false for several Host headers, which leave open which host the request is for (RFC 9112, 3.2). */
static bool has_one_host(struct evhttp_request *request)
{
    unsigned count = 0;
    struct evkeyval *header;
    TAILQ_FOREACH(header, evhttp_request_get_input_headers(request), next)
    count += evutil_ascii_strcasecmp(header->key, "Host") == 0;
    return count < 2;
}

/* Returns true for a request by a page of another site. Such a page may send requests to this machine through its
 * reader's browser. It cannot read the answers, but a stream would occupy a connection. Browsers say where a request
 * comes from; other programs say nothing. */
static bool is_of_other_site(struct evhttp_request *request)
{
    struct evkeyvalq *in = evhttp_request_get_input_headers(request);
    const char *site = evhttp_find_header(in, "Sec-Fetch-Site");
    const char *origin = evhttp_find_header(in, "Origin");
    return (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) ||
           (origin &&
            !cw_live_origin_is_own(crawl_slice_from(origin), crawl_slice_from(evhttp_find_header(in, "Host"))));
}

static void answer_stream(cw_live *live, struct evhttp_request *request, const char *type)
{
    if (is_of_other_site(request))
        answers_refuse(request, 403, "Forbidden", "only the page of this server may follow the events\n");
    else if (is_head(request))
        reply(request, HTTP_OK, "OK", type, (crawl_slice){0});
    else if (!answers_add_headers(request, type) || cw_live_events_add(&live->events, request))
        answers_refuse(request, HTTP_SERVUNAVAIL, "Service Unavailable", "too many viewers\n");
}

static crawl_err answers_make(cw_live *live, struct evhttp_request *request, const cw_live_resource *what)
{
    struct evkeyvalq query = {0};
    const char *text = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
    crawl_buf_clear(&live->body);
    if (text && evhttp_parse_query_str(text, &query))
        return CRAWL_EINVAL;
    crawl_err err = what->make(live, &query, &live->body);
    evhttp_clear_headers(&query);
    return err;
}

static void answer_made(cw_live *live, struct evhttp_request *request, const cw_live_resource *what)
{
    switch (answers_make(live, request, what)) {
    case CRAWL_OK:
        reply(request, HTTP_OK, "OK", what->type, crawl_buf_slice(&live->body));
        break;
    case CRAWL_EINVAL:
        answers_refuse(request, HTTP_BADREQUEST, "Bad Request", "a parameter is missing or wrong\n");
        break;
    case CRAWL_ABSENT:
        answers_refuse(request, HTTP_NOTFOUND, "Not Found", "the crawl does not know it\n");
        break;
    case CRAWL_AGAIN:
        answers_refuse(request, HTTP_SERVUNAVAIL, "Service Unavailable",
                       "asked for too often; try again in a moment\n");
        break;
    default:
        answers_refuse(request, HTTP_INTERNAL, "Internal Server Error",
                       "no memory, or the crawl's directory has failed\n");
    }
}

static void answers_answer(cw_live *live, struct evhttp_request *request, const cw_live_resource *what)
{
    if (what->make)
        answer_made(live, request, what);
    else if (what->text)
        reply(request, HTTP_OK, "OK", what->type, crawl_slice_from(what->text));
    else
        answer_stream(live, request, what->type);
}

/* --- Controls. --- */

/* Returns why a request to change something is refused. NULL: admitted. Its headers must show that it comes neither
 * from a page of another site nor from a person without the token. */
static const char *why_not_admitted(cw_live *live, struct evhttp_request *request)
{
    struct evkeyvalq *in = evhttp_request_get_input_headers(request);
    crawl_slice type = crawl_slice_from(evhttp_find_header(in, "Content-Type"));
    if (is_of_other_site(request))
        return "only the page of this server may control the crawl\n";
    if (!live->control.token)
        return "there is no token: the crawl was started with --quiet and without one\n";
    if (!cw_live_control_admits(&live->control, crawl_slice_from(evhttp_find_header(in, "Authorization"))))
        return "the token is missing or wrong: Authorization: Bearer TOKEN\n";
    return cw_is_nocase(cw_trim(cw_cut(&type, ';')), "application/json") ? NULL : "the body must be application/json\n";
}

static void answer_control(cw_live *live, struct evhttp_request *request)
{
    const char *why = why_not_admitted(live, request);
    char *peer = NULL;
    ev_uint16_t port = 0;
    evhttp_connection_get_peer(evhttp_request_get_connection(request), &peer, &port);
    if (why) {
        cw_live_control_refused(&live->control, peer);
        answers_refuse(request, 403, "Forbidden", why);
        return;
    }
    struct evbuffer *in = evhttp_request_get_input_buffer(request);
    size_t size = evbuffer_get_length(in);
    crawl_slice body = crawl_slice_of((const char *)evbuffer_pullup(in, -1), size);
    crawl_buf_clear(&live->body);
    crawl_err err = cw_live_control_do(&live->control, live->engine, body, peer, &live->body);
    live->stats_us = 0; /* the next answer must show the change */
    if (err == CRAWL_ENOMEM)
        answers_refuse(request, HTTP_INTERNAL, "Internal Server Error", "no memory\n");
    else
        reply(request, err ? HTTP_BADREQUEST : HTTP_OK, err ? "Bad Request" : "OK", "application/json",
              crawl_buf_slice(&live->body));
}

static void refuse_method(struct evhttp_request *request, const char *allowed, const char *words)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", allowed);
    answers_refuse(request, HTTP_BADMETHOD, "Method Not Allowed", words);
}

/* Answers a request, for evhttp_set_gencb; user: the live view. */
static void live_on_request(struct evhttp_request *request, void *user)
{
    cw_live *live = user;
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    const cw_live_resource *what = cw_live_resource_at(path);
    bool is_control = path && strcmp(path, "/control") == 0;
    if (!has_one_host(request))
        answers_refuse(request, HTTP_BADREQUEST, "Bad Request", "there are several Host headers\n");
    else if (!is_for_us(live, request))
        answers_refuse(request, 403, "Forbidden",
                       "the Host of the request is not an address, localhost or the name given to --listen\n");
    else if (is_control && method != EVHTTP_REQ_POST)
        refuse_method(request, "POST", "only POST\n");
    else if (is_control)
        answer_control(live, request);
    else if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD)
        refuse_method(request, "GET, HEAD", "only GET and HEAD\n");
    else if (!what)
        answers_refuse(request, HTTP_NOTFOUND, "Not Found", "no such page: see /, /metrics and docs/live.md\n");
    else
        answers_answer(live, request, what);
}

enum {
    MAX_HEADER = 16 * 1024, /* includes cookies of other servers on this host */
    MAX_BODY = 4 * 1024,    /* of a control, one line of JSON; nothing else needs a body */
    IDLE_S = 5,             /* a silent reader that takes nothing is dropped after this */
    LAST_WORDS = 8          /* turns of the loop in which the last event is sent; slow readers are not waited for */
};

/* --- The loop. --- */

static void live_on_tick(evutil_socket_t, short, void *user)
{
    cw_live *live = user;
    cw_live_connections_check(&live->connections);
    cw_live_refresh(live);
    cw_live_read_crew(live);
    cw_live_history_add(&live->history, (cw_live_moment){live->stats.elapsed_ms, live->stats.pages});
    cw_live_timeline_add(&live->timeline, &live->stats);
    cw_live_control_tick(&live->control, live->engine, &live->stats);
    evconnlistener_enable(live->listener);
}

static void live_on_stop(evutil_socket_t, short, void *user)
{
    cw_live *live = user;
    crawl_buf figures = {0};
    live->stats_us = 0; /* the last figures must be current */
    cw_live_read_crew(live);
    if (cw_live_figures(live, NULL, &figures) == CRAWL_OK)
        cw_live_events_end(&live->events, cw_trim(crawl_buf_slice(&figures)));
    crawl_buf_free(&figures);
    event_base_loopbreak(live->base);
}

/* Pauses accepting after a failure, for example because there is no descriptor left. The next tick resumes it, since it
 * would fail again at once. */
static void live_on_accept_error(struct evconnlistener *listener, void *)
{
    evconnlistener_disable(listener);
}

static void *live_run(void *user)
{
    cw_live *live = user;
    event_base_dispatch(live->base);
    for (int i = 0; i < LAST_WORDS; i++)
        event_base_loop(live->base, EVLOOP_NONBLOCK);
    return NULL;
}

static crawl_err make_server(cw_live *live)
{
    live->http = evhttp_new(live->base);
    evhttp_set_gencb(live->http, live_on_request, live);
    evhttp_set_allowed_methods(live->http, UINT16_MAX); /* we refuse methods ourselves, with the usual headers */
    evhttp_set_max_headers_size(live->http, MAX_HEADER);
    evhttp_set_max_body_size(live->http, MAX_BODY);
    evhttp_set_timeout(live->http, IDLE_S);
    cw_live_connections_watch(&live->connections, live->http);
    struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(live->http, live->socket);
    if (!bound)
        return CRAWL_ENOMEM;
    live->socket = -1;
    live->listener = evhttp_bound_socket_get_listener(bound);
    evconnlistener_set_error_cb(live->listener, live_on_accept_error);
    return CRAWL_OK;
}

static crawl_err live_make_loop(cw_live *live)
{
    const struct timeval second = {.tv_sec = 1};
    live->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    live->base = event_base_new();
    if (live->wake < 0 || !live->base)
        return CRAWL_ENOMEM;
    live->stop = event_new(live->base, live->wake, EV_READ, live_on_stop, live);
    live->tick = event_new(live->base, -1, EV_PERSIST, live_on_tick, live);
    if (event_add(live->stop, NULL) || event_add(live->tick, &second))
        return CRAWL_ENOMEM;
    cw_live_events_open(&live->events, live->base, &live->connections, &live->journal);
    return make_server(live);
}

crawl_err cw_live_open(const crawl_config *config, bool may_make, cw_live **out, crawl_error *error)
{
    cw_live *live = cw_tool_memory_granted(calloc(1, sizeof *live));
    live->config = config;
    cw_live_journal_init(&live->journal);
    cw_live_breakdown_init(&live->breakdown);
    live->socket = live->wake = -1;
    crawl_err err = crawl_listen_parse(crawl_slice_from(config->program.listen), &live->listened);
    if (err)
        cw_error(error, err);
    else
        err = cw_tool_socket_open(&live->listened, &live->socket, &live->url, error);
    if (!err)
        err = cw_live_control_open(&live->control, config, may_make, &live->has_made_token, error);
    if (err)
        cw_live_close(live);
    else
        *out = live;
    return err;
}

static crawl_err say_which(cw_live *live, int seed_count, char **seeds)
{
    cw_live_refresh(live);
    const cw_live_identity identity = {
        .config = live->config,
        .seeds = (const char *const *)seeds,
        .seed_count = (size_t)seed_count,
        .resumed = live->stats.resumed,
        .has_controls = live->control.token != NULL,
        .started_ms = live->started_ms,
    };
    return cw_live_identity_write(&identity, &live->identity);
}

/* Prints the token only on standard error, because others may read a log. */
static void say_token(const cw_live *live)
{
    crawl_buf shown = {0};
    if (crawl_buf_printf(&shown, "crawl: to control it: %s#token=%s\n", live->url.data, live->control.token) ==
        CRAWL_OK)
        cw_message_put(&(cw_message){
            .level = CW_MESSAGE_INFO,
            .text = crawl_slice_from("crawl: the token to control it is on standard error\n"),
            .shown = crawl_buf_slice(&shown),
        });
    crawl_buf_free(&shown);
}

void cw_live_say_where(const cw_live *live)
{
    cw_message_say(live->listened.port ? CW_MESSAGE_INFO : CW_MESSAGE_ASKED, "live at %s", live->url.data);
    if (live->has_made_token)
        say_token(live);
}

crawl_err cw_live_start(cw_live *live, crawl_engine *engine, int seed_count, char **seeds, crawl_error *error)
{
    live->engine = engine;
    live->started_ms = cw_wall_ms();
    crawl_err err = say_which(live, seed_count, seeds);
    if (!err)
        err = live_make_loop(live);
    if (!err)
        live->has_thread = cw_thread_start(&live->thread, live_run, live) == 0;
    if (!err && !live->has_thread)
        err = CRAWL_ENOMEM;
    return err ? cw_error(error, err) : CRAWL_OK;
}

void cw_live_record(cw_live *live, const crawl_record *record)
{
    if (!live)
        return;
    cw_live_journal_add(&live->journal, record);
    cw_live_breakdown_add(&live->breakdown, record);
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
    cw_live_events_close(&live->events);
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
    cw_live_control_close(&live->control);
    crawl_judge_free(live->judge);
    crawl_shared_crew_free(&live->crew);
    cw_live_journal_free(&live->journal);
    cw_live_breakdown_free(&live->breakdown);
    crawl_buf_free(&live->url);
    crawl_buf_free(&live->identity);
    crawl_buf_free(&live->body);
    free(live);
}
