#include "crawler/program/live/answers.h"

#include "base/bytes.h"
#include "crawler/program/live/control.h"
#include "crawler/program/live/live_host.h"
#include "crawler/program/live/resources.h"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <sys/queue.h>

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
    {"Connection", "close"}, /* few connections are let in, so no reader may keep one between its requests */
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

/* An answer to HEAD differs from one to GET only in having no body (RFC 9110, 9.3.2). */
static void reply(struct evhttp_request *request, int status, const char *reason, const char *type, crawl_slice body)
{
    char size[32];
    snprintf(size, sizeof size, "%zu", body.size);
    struct evbuffer *buffer = evbuffer_new();
    bool whole = buffer && answers_add_headers(request, type) &&
                 evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Length", size) == 0;
    if (whole && !is_head(request))
        whole = evbuffer_add(buffer, body.data, body.size) == 0;
    if (whole)
        evhttp_send_reply(request, status, reason, buffer);
    else
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
    if (buffer)
        evbuffer_free(buffer);
}

static void answers_refuse(struct evhttp_request *request, int status, const char *reason, const char *words)
{
    reply(request, status, reason, text_type, crawl_slice_from(words));
}

/* Both the Host header and the host of a target in absolute form must be ours. */
static bool is_for_us(const cw_live *live, struct evhttp_request *request)
{
    const char *host = evhttp_find_header(evhttp_request_get_input_headers(request), "Host");
    const char *target = evhttp_uri_get_host(evhttp_request_get_evhttp_uri(request));
    return cw_live_host_allowed(crawl_slice_from(host), live->listened.host) &&
           (!target || cw_live_host_allowed(crawl_slice_from(target), live->listened.host));
}

/* RFC 9112, 3.2: with several Host headers nobody knows which host the request is for. */
static bool has_one_host(struct evhttp_request *request)
{
    unsigned count = 0;
    struct evkeyval *header;
    TAILQ_FOREACH(header, evhttp_request_get_input_headers(request), next)
    count += evutil_ascii_strcasecmp(header->key, "Host") == 0;
    return count < 2;
}

/* A page of another site may send requests to this machine by its reader's browser. It cannot read the answers, but a
 * stream would keep a connection. Browsers say where a request comes from; other programs say nothing. */
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
        answers_refuse(request, HTTP_SERVUNAVAIL, "Service Unavailable", "there are as many viewers as there may be\n");
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

/* Why a request to change something is refused; NULL: it is admitted. Its headers must show that it comes neither
 * from a page of another site nor from a person without the token. */
static const char *why_not_admitted(cw_live *live, struct evhttp_request *request)
{
    struct evkeyvalq *in = evhttp_request_get_input_headers(request);
    const char *type = evhttp_find_header(in, "Content-Type");
    crawl_slice kind = crawl_slice_from(type);
    if (is_of_other_site(request))
        return "only the page of this server may control the crawl\n";
    if (!live->control.token)
        return "there is no token: the crawl was started with --quiet and without one\n";
    if (!cw_live_control_admits(&live->control, crawl_slice_from(evhttp_find_header(in, "Authorization"))))
        return "the token is missing or wrong: Authorization: Bearer TOKEN\n";
    return cw_starts_with(kind, "application/json") ? NULL : "the body must be application/json\n";
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
    live->stats_us = 0; /* the next answer is to show the change */
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

void cw_live_on_request(struct evhttp_request *request, void *user)
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
                       "the Host of the request is neither an address nor localhost nor what --listen names\n");
    else if (is_control && method != EVHTTP_REQ_POST)
        refuse_method(request, "POST", "only POST\n");
    else if (is_control)
        answer_control(live, request);
    else if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD)
        refuse_method(request, "GET, HEAD", "only GET and HEAD\n");
    else if (!what)
        answers_refuse(request, HTTP_NOTFOUND, "Not Found", "there are /, /metrics and what docs/live.md names\n");
    else
        answers_answer(live, request, what);
}
