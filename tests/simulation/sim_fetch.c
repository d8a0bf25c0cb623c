/* Implements the fetcher of <crawl/fetch.h> over the simulated internet, in place of fetch/fetcher.c. */
#include "tests/simulation/sim_web.h"

#include "base/clock.h"
#include "fetch/cookies/jar.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { HEADERS_MAX = 8 };

typedef enum sim_stage { SIM_CONNECTING, SIM_ASKED, SIM_READING, SIM_KEPT } sim_stage;

typedef struct sim_transfer {
    LIST_ENTRY(sim_transfer) link;
    struct crawl_fetcher *fetcher;
    uint64_t id;
    crawl_fetch_request asked;
    char *url;
    uint32_t host;
    crawl_slice path;
    sim_stage stage;
    bool known; /* host is one of the world's */
    bool left;
    bool cancelled;
    bool kept;
    int64_t began_us;
    int64_t due_us; /* time of the next stage; INT64_MAX: none */
    sim_answer answer;
    crawl_header headers[HEADERS_MAX];
    char ip[32];
    cw_cookie_place place;
    crawl_response response;
} sim_transfer;

struct crawl_fetcher {
    cw_cookie_cookies *cookies; /* NULL: cookies are off */
    struct event *alarm;        /* of a timer in microseconds; those of the loop have milliseconds */
    int clock;
    uint64_t serial;
    unsigned running;
    LIST_HEAD(, sim_transfer) transfers;
};

static void transfer_free(sim_transfer *transfer)
{
    LIST_REMOVE(transfer, link);
    crawl_buf_free(&transfer->answer.head);
    crawl_buf_free(&transfer->answer.body);
    free(transfer->url);
    free(transfer);
}

static sim_transfer *find(const crawl_fetcher *fetcher, uint64_t id)
{
    sim_transfer *transfer;
    LIST_FOREACH(transfer, &fetcher->transfers, link)
    if (transfer->id == id && transfer->stage != SIM_KEPT)
        return transfer;
    return NULL;
}

static sim_transfer *first_due(const crawl_fetcher *fetcher)
{
    sim_transfer *transfer;
    sim_transfer *first = NULL;
    LIST_FOREACH(transfer, &fetcher->transfers, link)
    if (transfer->due_us != INT64_MAX && (!first || transfer->due_us <= first->due_us))
        first = transfer;
    return first;
}

static void set_alarm(crawl_fetcher *fetcher)
{
    const sim_transfer *first = first_due(fetcher);
    struct itimerspec at = {0};
    if (first)
        at.it_value = (struct timespec){.tv_sec = first->due_us / 1000000, .tv_nsec = first->due_us % 1000000 * 1000};
    timerfd_settime(fetcher->clock, TFD_TIMER_ABSTIME, &at, NULL);
}

static void after(sim_transfer *transfer, int64_t us)
{
    transfer->due_us = sim_world_now->now_us + us;
    set_alarm(transfer->fetcher);
}

static void read_head(sim_transfer *transfer)
{
    crawl_response *response = &transfer->response;
    const char *line = transfer->answer.head.data;
    const char *end = line + transfer->answer.head.size;
    for (; line < end && response->header_count < HEADERS_MAX; line = strchr(line, '\n') + 1) {
        const char *colon = strchr(line, ':');
        const char *stop = strchr(line, '\n');
        transfer->headers[response->header_count++] =
            (crawl_header){.name = crawl_slice_of(line, (size_t)(colon - line)),
                           .value = crawl_slice_of(colon + 2, (size_t)(stop - colon - 2))};
    }
    response->headers = transfer->headers;
    response->status = transfer->answer.status;
    response->http_version = 11;
}

static void finish(sim_transfer *transfer, crawl_fetch_error error, bool with_body)
{
    crawl_fetcher *fetcher = transfer->fetcher;
    crawl_response *response = &transfer->response;
    sim_answer *answer = &transfer->answer;
    answer->came_us = sim_world_now->now_us;
    response->error = error;
    response->error_text = crawl_fetch_error_name(error);
    response->ip = transfer->ip;
    response->elapsed_ms = (double)(sim_world_now->now_us - transfer->began_us) / 1000;
    if (with_body && transfer->stage == SIM_READING) {
        uint64_t most = transfer->asked.max_body_bytes ? transfer->asked.max_body_bytes : UINT64_MAX;
        size_t size = answer->body.size > most ? (size_t)most : answer->body.size;
        response->body_cut = size < answer->body.size;
        response->body = crawl_slice_of(answer->body.data, size);
    }
    response->wire_bytes = answer->head.size + response->body.size;
    transfer->stage = SIM_KEPT;
    fetcher->running--;
    bool told = error != CRAWL_FETCH_CANCELLED;
    if (transfer->left)
        sim_web_over(transfer->host, transfer->path, answer, told);
    if (transfer->asked.on_done)
        transfer->asked.on_done(transfer->asked.user, response);
    if (transfer->left)
        sim_web_end(transfer->host, transfer->path, answer, told);
    if (!transfer->kept)
        transfer_free(transfer);
}

static int64_t now_ms(void)
{
    return sim_world_now->now_us / 1000;
}

static void ask(sim_transfer *transfer)
{
    crawl_buf sent = {0};
    cw_cookie_cookies *cookies = transfer->fetcher->cookies;
    if (cookies && cw_cookies_get(cookies, &transfer->place, (crawl_slice){0}, now_ms(), &sent))
        abort();
    transfer->left = true;
    sim_web_ask(transfer->host, transfer->path, crawl_buf_slice(&sent), &transfer->answer);
    crawl_buf_free(&sent);
}

/* Stores the cookies of an answer. The jar refuses them if the host belongs to another process by then. */
static void take_cookies(const sim_transfer *transfer)
{
    crawl_slice field = crawl_response_header(&transfer->response, "Set-Cookie");
    cw_cookie_cookies *cookies = transfer->fetcher->cookies;
    crawl_err err = cookies && field.size ? cw_cookies_set(cookies, &transfer->place, field, now_ms()) : CRAWL_OK;
    if (err && err != CRAWL_REFUSED)
        abort();
    sim_web_head(transfer->host, &transfer->answer);
}

static void on_connected(sim_transfer *transfer)
{
    if (!transfer->known || !sim_web_connect(transfer->host, transfer->path)) {
        finish(transfer, CRAWL_FETCH_DNS, false);
        return;
    }
    uint32_t address = transfer->answer.address = sim_web_address(transfer->host);
    snprintf(transfer->ip, sizeof transfer->ip, "5.%u.%u.%u", address / 256 % 256, address % 256, 1 + address / 65536);
    transfer->place.asked_us = transfer->fetcher->cookies ? cw_clock_us(CLOCK_BOOTTIME) : 0;
    if (transfer->asked.on_start)
        transfer->asked.on_start(transfer->asked.user);
    if (transfer->cancelled) {
        finish(transfer, CRAWL_FETCH_CANCELLED, false);
        return;
    }
    ask(transfer);
    transfer->stage = SIM_ASKED;
    after(transfer, transfer->answer.first_us);
}

static void on_header(sim_transfer *transfer)
{
    const sim_answer *answer = &transfer->answer;
    if (!answer->status) {
        finish(transfer, answer->error, false);
        return;
    }
    read_head(transfer);
    take_cookies(transfer);
    transfer->stage = SIM_READING;
    if (transfer->asked.on_headers && !transfer->asked.on_headers(transfer->asked.user, &transfer->response)) {
        finish(transfer, CRAWL_FETCH_OK, false);
        return;
    }
    after(transfer, answer->rest_us);
}

static void go_on(sim_transfer *transfer)
{
    transfer->due_us = INT64_MAX;
    if (transfer->cancelled)
        finish(transfer, CRAWL_FETCH_CANCELLED, false);
    else if (transfer->stage == SIM_CONNECTING)
        on_connected(transfer);
    else if (transfer->stage == SIM_ASKED)
        on_header(transfer);
    else
        finish(transfer, transfer->answer.error, true);
}

static void on_alarm(evutil_socket_t fd, short what, void *user)
{
    crawl_fetcher *fetcher = user;
    uint64_t times;
    (void)what;
    if (read(fd, &times, sizeof times) < 0) /* the timer was moved meanwhile */
        return;
    int64_t now_us = sim_world_now->now_us;
    for (sim_transfer *first = first_due(fetcher); first && first->due_us <= now_us; first = first_due(fetcher))
        go_on(first);
    set_alarm(fetcher);
}

/* ---- the interface ---- */

crawl_err crawl_fetcher_create(struct event_base *base, const crawl_fetch_options *options, crawl_fetcher **out,
                               crawl_error *)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CRAWL_ENOMEM;
    (*out)->cookies = options->jar ? cw_cookie_jar_cookies(options->jar) : NULL;
    (*out)->clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    (*out)->alarm = event_new(base, (*out)->clock, EV_READ | EV_PERSIST, on_alarm, *out);
    if (!(*out)->alarm || event_add((*out)->alarm, NULL))
        abort();
    return CRAWL_OK;
}

void crawl_fetcher_free(crawl_fetcher *fetcher)
{
    if (!fetcher)
        return;
    while (!LIST_EMPTY(&fetcher->transfers))
        transfer_free(LIST_FIRST(&fetcher->transfers));
    event_free(fetcher->alarm);
    close(fetcher->clock);
    free(fetcher);
}

crawl_err crawl_fetch(crawl_fetcher *fetcher, const crawl_fetch_request *request, uint64_t *id)
{
    sim_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return CRAWL_ENOMEM;
    transfer->fetcher = fetcher;
    transfer->asked = *request;
    transfer->url = strndup(request->url.data, request->url.size);
    transfer->due_us = INT64_MAX;
    transfer->id = ++fetcher->serial;
    transfer->began_us = sim_world_now->now_us;
    transfer->known = sim_web_find(crawl_slice_from(transfer->url), &transfer->host, &transfer->path);
    if (cw_cookie_place_of(crawl_slice_from(transfer->url), &transfer->place))
        abort();
    transfer->response = (crawl_response){.size = sizeof transfer->response, .error_text = "", .ip = ""};
    LIST_INSERT_HEAD(&fetcher->transfers, transfer, link);
    fetcher->running++;
    after(transfer, sim_web_connect_us(transfer->host));
    if (id)
        *id = transfer->id;
    return CRAWL_OK;
}

static void cancel(sim_transfer *transfer)
{
    transfer->cancelled = true;
    after(transfer, 0);
}

crawl_err crawl_fetch_cancel(crawl_fetcher *fetcher, uint64_t id)
{
    sim_transfer *transfer = find(fetcher, id);
    if (!transfer)
        return CRAWL_ABSENT;
    cancel(transfer);
    return CRAWL_OK;
}

void crawl_fetch_cancel_all(crawl_fetcher *fetcher)
{
    sim_transfer *transfer;
    LIST_FOREACH(transfer, &fetcher->transfers, link)
    if (transfer->stage != SIM_KEPT)
        cancel(transfer);
}

static sim_transfer *of_response(const crawl_response *response)
{
    return (sim_transfer *)((char *)(uintptr_t)response - offsetof(sim_transfer, response));
}

void crawl_fetch_keep(crawl_fetcher *, const crawl_response *response)
{
    of_response(response)->kept = true;
}

void crawl_fetch_give_back(crawl_fetcher *, const crawl_response *response)
{
    transfer_free(of_response(response));
}

crawl_slice crawl_fetch_address(const crawl_fetcher *fetcher, uint64_t id)
{
    const sim_transfer *transfer = find(fetcher, id);
    return crawl_slice_from(transfer ? transfer->ip : "");
}

unsigned crawl_fetcher_running(const crawl_fetcher *fetcher)
{
    return fetcher->running;
}

void crawl_fetcher_stats_get(const crawl_fetcher *, crawl_fetcher_stats *out)
{
    *out = (crawl_fetcher_stats){0};
}
