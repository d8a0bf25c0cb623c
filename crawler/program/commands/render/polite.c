/* See polite.h. A site is an origin, with its own robots.txt, queue and turns. */
#include "crawler/program/commands/render/polite.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/header.h"
#include "base/map.h"
#include "base/net.h"
#include "config/config_values.h"
#include "tools/common/refused_memory.h"

#include <crawl/engine.h>
#include <crawl/robots.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/queue.h>

/* Redirects that are followed for a robots.txt (RFC 9309, 2.3.1.2). */
enum { ROBOTS_REDIRECTS_MAX = 5 };

typedef struct polite_errand {
    STAILQ_ENTRY(polite_errand) link;
    struct polite_site *site;
    crawl_buf url, method, headers, body;
    void (*on_done)(void *user, const cw_polite_answer *answer);
    void *user;
} polite_errand;

typedef enum polite_rules { POLITE_UNASKED, POLITE_ASKING, POLITE_KNOWN } polite_rules;

typedef struct polite_site {
    struct cw_polite *polite;
    STAILQ_HEAD(polite_queue, polite_errand) queue;
    polite_errand *under_way;
    polite_rules rules;
    crawl_robots *robots; /* NULL: everything is allowed, or nothing is */
    const char *closed;   /* why nothing is allowed, since there is no robots.txt to be had; NULL: open */
    crawl_buf robots_url; /* asked last */
    unsigned redirects;
    int64_t next_ms; /* on CLOCK_MONOTONIC: not earlier */
    struct event *turn;
    size_t size;
    char text[]; /* origin */
} polite_site;

struct cw_polite {
    struct event_base *base;
    const crawl_config *config;
    crawl_fetcher *fetcher;
    cw_map *sites;
    crawl_url *url;
    crawl_buf origin;
    crawl_buf named;   /* origin that may have a private address; empty: none */
    crawl_buf headers; /* of config */
};

static void polite_turn(polite_site *site);

/* --- addresses --- */

/* Returns true if host is written as an address, or is this machine by name. Another name may stand for anything. */
static bool polite_is_literal(crawl_slice host)
{
    return cw_address_is_host(host) || cw_is_in_domain(host, crawl_slice_from("localhost"));
}

static bool polite_may_be_private(const cw_polite *polite, const crawl_url *url, crawl_slice origin)
{
    return polite->config->allow_private ||
           (crawl_slice_equal(origin, crawl_buf_slice(&polite->named)) && polite_is_literal(crawl_url_hostname(url)));
}

/* --- sites --- */

static void polite_on_turn(evutil_socket_t, short, void *user)
{
    polite_turn(user);
}

/* Returns the site of polite->url, creating it if needed. */
static polite_site *polite_site_of(cw_polite *polite)
{
    crawl_buf_clear(&polite->origin);
    cw_tool_memory_must(crawl_url_origin(polite->url, &polite->origin));
    polite_site *site = cw_map_get(polite->sites, crawl_buf_slice(&polite->origin));
    if (site)
        return site;
    site = cw_tool_memory_granted(
        cw_map_make(polite->sites, crawl_buf_slice(&polite->origin), sizeof *site, offsetof(polite_site, text)));
    site->polite = polite;
    site->size = polite->origin.size;
    STAILQ_INIT(&site->queue);
    site->rules = polite->config->robots ? POLITE_UNASKED : POLITE_KNOWN;
    site->turn = evtimer_new(polite->base, polite_on_turn, site);
    return site;
}

static void polite_errand_free(polite_errand *errand)
{
    crawl_buf_free(&errand->url);
    crawl_buf_free(&errand->method);
    crawl_buf_free(&errand->headers);
    crawl_buf_free(&errand->body);
    free(errand);
}

static void polite_errand_end(polite_errand *errand, const crawl_response *response, const char *refused)
{
    const cw_polite_answer answer = {.response = response, .refused = refused};
    errand->on_done(errand->user, &answer);
    polite_errand_free(errand);
}

static int64_t polite_pause(const polite_site *site)
{
    const crawl_config *config = site->polite->config;
    double asked = site->robots ? crawl_robots_delay(site->robots) * 1000 : 0;
    int64_t delay = asked > (double)config->max_crawl_delay_ms ? config->max_crawl_delay_ms : (int64_t)asked;
    return delay > config->delay_ms ? delay : config->delay_ms;
}

/* --- a request --- */

static crawl_err polite_fetch(polite_site *site, crawl_slice url, const polite_errand *errand,
                              void (*on_done)(void *user, const crawl_response *response), void *user)
{
    cw_polite *polite = site->polite;
    const crawl_config *config = polite->config;
    crawl_err err = crawl_url_parse(polite->url, url, NULL, NULL);
    crawl_buf_clear(&polite->origin);
    if (!err)
        err = crawl_url_origin(polite->url, &polite->origin);
    if (err)
        return err;
    bool is_direct = cw_no_proxy_names(config->no_proxy, crawl_url_hostname(polite->url));
    const crawl_fetch_access access = {.size = sizeof access,
                                       .headers = polite->headers.data,
                                       .proxy = is_direct ? NULL : config->proxy,
                                       .client_cert = config->client_cert,
                                       .client_key = config->client_key};
    const crawl_fetch_request request = {
        .size = sizeof request,
        .url = crawl_url_request(polite->url),
        .method = errand ? crawl_buf_slice(&errand->method) : (crawl_slice){0},
        .headers = errand ? crawl_buf_slice(&errand->headers) : (crawl_slice){0},
        .body = errand ? crawl_buf_slice(&errand->body) : (crawl_slice){0},
        .access = &access,
        .max_body_bytes = errand ? 0 : CRAWL_ROBOTS_MAX_SIZE + 1,
        .cut_body = !errand,
        .allow_private = polite_may_be_private(polite, polite->url, crawl_buf_slice(&polite->origin)),
        .on_done = on_done,
        .user = user};
    return crawl_fetch(polite->fetcher, &request, NULL);
}

/* Starts the pause. Call before callbacks, which may request more of the same site. */
static void polite_rest(polite_site *site)
{
    site->next_ms = cw_clock_ms(CLOCK_MONOTONIC) + polite_pause(site);
}

static void polite_has_answer(void *user, const crawl_response *response)
{
    polite_errand *errand = user;
    polite_site *site = errand->site;
    site->under_way = NULL;
    polite_rest(site);
    polite_errand_end(errand, response, NULL);
    polite_turn(site);
}

static void polite_send(polite_site *site, polite_errand *errand)
{
    site->under_way = errand;
    crawl_err err = polite_fetch(site, crawl_buf_slice(&errand->url), errand, polite_has_answer, errand);
    if (!err)
        return;
    site->under_way = NULL;
    polite_errand_end(errand, NULL, err == CRAWL_EINVAL ? "no request" : crawl_strerror(err));
    polite_turn(site);
}

/* --- robots.txt --- */

static void polite_ask_robots(polite_site *site);

static void polite_read_robots(polite_site *site, const crawl_response *response)
{
    crawl_slice agent = crawl_slice_from(site->polite->config->robots_agent);
    crawl_robots_effect effect = crawl_robots_effect_of(response->error ? 0 : response->status);
    if (effect == CRAWL_ROBOTS_DISALLOW_ALL)
        site->closed = response->error ? crawl_fetch_error_name(response->error) : "no robots.txt";
    if (effect == CRAWL_ROBOTS_PARSE)
        cw_tool_memory_must(crawl_robots_parse(response->body, agent, &site->robots));
    site->rules = POLITE_KNOWN;
}

/* Puts the target of a redirect into robots_url. Returns false if it cannot be asked. */
static bool polite_take_target(polite_site *site, crawl_slice location)
{
    crawl_url *base = site->polite->url;
    crawl_url *target = cw_tool_memory_granted(crawl_url_create());
    bool is_url = !crawl_url_parse(base, crawl_buf_slice(&site->robots_url), NULL, NULL) &&
                  !crawl_url_parse(target, location, base, NULL) && crawl_url_is_http(target) &&
                  !cw_bad_port(crawl_url_effective_port(target));
    if (is_url) {
        crawl_buf_clear(&site->robots_url);
        cw_tool_memory_must(
            crawl_buf_append(&site->robots_url, crawl_url_request(target).data, crawl_url_request(target).size));
    }
    crawl_url_free(target);
    return is_url;
}

static void polite_has_robots(void *user, const crawl_response *response)
{
    polite_site *site = user;
    crawl_slice location = crawl_response_header(response, "Location");
    bool is_redirect = !response->error && location.data &&
                       crawl_robots_effect_of(response->status) == CRAWL_ROBOTS_REDIRECT &&
                       site->redirects++ < ROBOTS_REDIRECTS_MAX;
    if (is_redirect && polite_take_target(site, location)) {
        polite_ask_robots(site);
        return;
    }
    polite_read_robots(site, response);
    polite_rest(site);
    polite_turn(site);
}

static void polite_ask_robots(polite_site *site)
{
    site->rules = POLITE_ASKING;
    if (polite_fetch(site, crawl_buf_slice(&site->robots_url), NULL, polite_has_robots, site)) {
        site->rules = POLITE_KNOWN;
        site->closed = "no robots.txt";
        polite_turn(site);
    }
}

static bool polite_allows(const polite_site *site, crawl_slice url)
{
    cw_polite *polite = site->polite;
    if (site->closed || !site->robots)
        return !site->closed;
    return !crawl_url_parse(polite->url, url, NULL, NULL) && crawl_robots_check(site->robots, polite->url).allowed;
}

/* --- turns --- */

static void polite_wait(polite_site *site, int64_t ms)
{
    const struct timeval pause = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    if (!site->turn || event_add(site->turn, &pause))
        site->closed = crawl_strerror(CRAWL_ENOMEM);
}

/* Does what the site's queue allows now. A URL that robots.txt refuses costs no turn. */
static void polite_turn(polite_site *site)
{
    polite_errand *errand;
    if (site->under_way || site->rules == POLITE_ASKING || STAILQ_EMPTY(&site->queue))
        return;
    if (site->rules == POLITE_UNASKED) {
        cw_tool_memory_must(crawl_buf_printf(&site->robots_url, "%.*s/robots.txt", (int)site->size, site->text));
        polite_ask_robots(site);
        return;
    }
    for (errand = STAILQ_FIRST(&site->queue); errand && !polite_allows(site, crawl_buf_slice(&errand->url));
         errand = STAILQ_FIRST(&site->queue)) {
        STAILQ_REMOVE_HEAD(&site->queue, link);
        polite_errand_end(errand, NULL, site->closed ? site->closed : "robots.txt");
    }
    int64_t left = site->next_ms - cw_clock_ms(CLOCK_MONOTONIC);
    if (!errand || site->under_way)
        return;
    if (left > 0) {
        polite_wait(site, left);
        return;
    }
    STAILQ_REMOVE_HEAD(&site->queue, link);
    polite_send(site, errand);
}

/* --- the interface --- */

static void polite_fill(polite_errand *errand, const cw_polite_request *request)
{
    const char *ours = errand->site->polite->headers.data;
    cw_tool_memory_must(crawl_buf_append(&errand->url, request->url.data, request->url.size));
    cw_tool_memory_must(crawl_buf_append(&errand->method, request->method.data, request->method.size));
    cw_tool_memory_must(cw_header_append_of_page(request->headers, ours, &errand->headers));
    cw_tool_memory_must(crawl_buf_append(&errand->body, request->body.data, request->body.size));
}

crawl_err cw_polite_ask(cw_polite *polite, const cw_polite_request *request)
{
    if (cw_tool_memory_must(crawl_url_parse(polite->url, request->url, NULL, NULL)))
        return CRAWL_EINVAL;
    polite_site *site = polite_site_of(polite);
    bool is_named = crawl_slice_equal(crawl_slice_of(site->text, site->size), crawl_buf_slice(&polite->named));
    if (!is_named && cw_bad_port(crawl_url_effective_port(polite->url))) {
        const cw_polite_answer answer = {.refused = "port"};
        request->on_done(request->user, &answer);
        return CRAWL_OK;
    }
    polite_errand *errand = cw_tool_memory_granted(calloc(1, sizeof *errand));
    errand->site = site;
    errand->on_done = request->on_done;
    errand->user = request->user;
    polite_fill(errand, request);
    STAILQ_INSERT_TAIL(&site->queue, errand, link);
    polite_turn(site);
    return CRAWL_OK;
}

static crawl_err polite_open(cw_polite *polite, crawl_slice named, crawl_error *error)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    crawl_config_set_fetch(polite->config, &options);
    polite->sites = cw_tool_memory_granted(cw_map_create((uint64_t)(uintptr_t)polite));
    polite->url = cw_tool_memory_granted(crawl_url_create());
    for (size_t i = 0; i < polite->config->headers.count; i++)
        cw_tool_memory_must(crawl_buf_printf(&polite->headers, "%s\n", polite->config->headers.items[i]));
    if (named.size && !cw_tool_memory_must(crawl_url_parse(polite->url, named, NULL, NULL)))
        cw_tool_memory_must(crawl_url_origin(polite->url, &polite->named));
    return crawl_fetcher_create(polite->base, &options, &polite->fetcher, error);
}

crawl_err cw_polite_create(struct event_base *base, const crawl_config *config, crawl_slice named, cw_polite **out,
                           crawl_error *error)
{
    cw_polite *polite = cw_tool_memory_granted(calloc(1, sizeof *polite));
    polite->base = base;
    polite->config = config;
    crawl_err err = polite_open(polite, named, error);
    if (err)
        cw_polite_free(polite);
    else
        *out = polite;
    return err;
}

static void polite_site_free(polite_site *site)
{
    for (polite_errand *errand; (errand = STAILQ_FIRST(&site->queue));) {
        STAILQ_REMOVE_HEAD(&site->queue, link);
        polite_errand_end(errand, NULL, "the end");
    }
    if (site->under_way)
        polite_errand_end(site->under_way, NULL, "the end");
    crawl_robots_free(site->robots);
    crawl_buf_free(&site->robots_url);
    if (site->turn)
        event_free(site->turn);
    site->turn = NULL;
}

void cw_polite_free(cw_polite *polite)
{
    size_t cursor = 0;
    if (!polite)
        return;
    crawl_fetcher_free(polite->fetcher);
    for (polite_site *site; polite->sites && (site = cw_map_next(polite->sites, &cursor));)
        polite_site_free(site);
    event_base_loop(polite->base, EVLOOP_NONBLOCK); /* frees the memory of names */
    cw_map_free_values(polite->sites);
    crawl_url_free(polite->url);
    crawl_buf_free(&polite->origin);
    crawl_buf_free(&polite->named);
    crawl_buf_free(&polite->headers);
    free(polite);
}
