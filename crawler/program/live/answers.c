/* See answers.h. */
#include "crawler/program/live/answers.h"

#include "base/clock.h"
#include "crawler/program/live/host.h"
#include "crawler/program/live/page.h"
#include "crawler/program/live/stats.h"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
    FRESH_US = 100 * 1000 /* figures may be so old: reading them takes the frontier's lock, and must not be up to
                             strangers */
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

void cw_live_refresh(cw_live *live)
{
    int64_t now_us = cw_now_us();
    if (live->stats_us && now_us - live->stats_us < FRESH_US)
        return;
    crawl_engine_stats_get(live->engine, &live->stats);
    live->stats_us = now_us;
}

static cw_live_source source_of(cw_live *live)
{
    cw_live_refresh(live);
    return (cw_live_source){
        .stats = &live->stats,
        .config = live->config,
        .history = &live->history,
        .started_ms = live->started_ms,
        .resident_bytes = resident_bytes(),
    };
}

/* --- Answers. --- */

crawl_err cw_live_figures(cw_live *live, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_json(&source, out);
}

static crawl_err make_metrics(cw_live *live, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_metrics(&source, out);
}

static crawl_err make_identity(cw_live *live, crawl_buf *out)
{
    return crawl_buf_append(out, live->identity.data, live->identity.size);
}

static const char text_type[] = "text/plain; charset=utf-8";

static const char script_type[] = "text/javascript; charset=utf-8";

static const struct {
    const char *path;
    const char *type;
    const char *text;                                 /* NULL: made */
    crawl_err (*make)(cw_live *live, crawl_buf *out); /* NULL of both: a stream */
} resources[] = {
    {"/", "text/html; charset=utf-8", cw_live_html, NULL},
    {"/live.css", "text/css; charset=utf-8", cw_live_css, NULL},
    {"/live.js", script_type, cw_live_js, NULL},
    {"/figures.js", script_type, cw_live_figures_js, NULL},
    {"/format.js", script_type, cw_live_format_js, NULL},
    {"/identity.js", script_type, cw_live_identity_js, NULL},
    {"/requests.js", script_type, cw_live_requests_js, NULL},
    {"/stats.json", "application/json", NULL, cw_live_figures},
    {"/crawl.json", "application/json", NULL, make_identity},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", NULL, make_metrics},
    {"/events", "text/event-stream", NULL, NULL},
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

static bool is_head(const struct evhttp_request *request)
{
    return evhttp_request_get_command(request) == EVHTTP_REQ_HEAD;
}

static bool add_headers(struct evhttp_request *request, const char *type)
{
    struct evkeyvalq *out = evhttp_request_get_output_headers(request);
    bool failed = evhttp_add_header(out, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !failed; i++)
        failed = evhttp_add_header(out, headers[i].name, headers[i].value);
    return !failed;
}

/* Of a HEAD everything but the body is as of a GET (RFC 9110, 9.3.2). */
static void reply(struct evhttp_request *request, int status, const char *reason, const char *type, crawl_slice body)
{
    char size[32];
    snprintf(size, sizeof size, "%zu", body.size);
    struct evbuffer *buffer = evbuffer_new();
    bool whole = buffer && add_headers(request, type) &&
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
        refuse(request, 403, "Forbidden", "only the page of this server may follow the events\n");
    else if (is_head(request))
        reply(request, HTTP_OK, "OK", type, (crawl_slice){0});
    else if (!add_headers(request, type) || cw_live_events_add(&live->events, request))
        refuse(request, HTTP_SERVUNAVAIL, "Service Unavailable", "there are as many viewers as there may be\n");
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
    else if (!body.data)
        answer_stream(live, request, resources[index].type);
    else
        reply(request, HTTP_OK, "OK", resources[index].type, body);
}

static size_t find_resource(const char *path)
{
    size_t index = 0;
    while (index < RESOURCES && strcmp(path ? path : "", resources[index].path) != 0)
        index++;
    return index;
}

void cw_live_on_request(struct evhttp_request *request, void *user)
{
    cw_live *live = user;
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    size_t index = find_resource(evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request)));
    if (!has_one_host(request)) {
        refuse(request, HTTP_BADREQUEST, "Bad Request", "there are several Host headers\n");
    } else if (!is_for_us(live, request)) {
        refuse(request, 403, "Forbidden",
               "the Host of the request is neither an address nor localhost nor what --listen names\n");
    } else if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
        evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "GET, HEAD");
        refuse(request, HTTP_BADMETHOD, "Method Not Allowed", "only GET and HEAD\n");
    } else if (index == RESOURCES) {
        refuse(request, HTTP_NOTFOUND, "Not Found", "there are /, /stats.json, /crawl.json, /events and /metrics\n");
    } else {
        answer(live, request, index);
    }
}
