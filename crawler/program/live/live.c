#include "crawler/program/live/live.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "crawler/program/live/answers.h"
#include "crawler/program/live/live_identity.h"
#include "crawler/program/live/live_parts.h"
#include "crawler/program/live/resources.h"
#include "tools/common/messages/message.h"
#include "tools/common/socket.h"

#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    MAX_HEADER = 16 * 1024, /* cookies of whatever else is served on this host come along */
    MAX_BODY = 4 * 1024,    /* of a control, a line of JSON; nobody else has a reason to send one */
    IDLE_S = 5,             /* a reader that takes nothing and says nothing for so long */
    LAST_WORDS = 8          /* turns of the loop in which the last word to viewers leaves; who has not taken it then
                               reads slowly, and nobody waits for it */
};

/* --- The loop. --- */

static void live_on_tick(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_live *live = user;
    cw_live_connections_check(&live->connections);
    cw_live_refresh(live);
    cw_live_read_crew(live);
    cw_live_history_add(&live->history, (cw_live_moment){live->stats.elapsed_ms, live->stats.pages});
    cw_live_timeline_add(&live->timeline, &live->stats);
    cw_live_control_tick(&live->control, live->engine, &live->stats);
    evconnlistener_enable(live->listener);
}

static void live_on_stop(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_live *live = user;
    crawl_buf figures = {0};
    live->stats_us = 0; /* the last figures are those of now */
    cw_live_read_crew(live);
    if (cw_live_figures(live, NULL, &figures) == CRAWL_OK)
        cw_live_events_end(&live->events, cw_trim(crawl_buf_slice(&figures)));
    crawl_buf_free(&figures);
    event_base_loopbreak(live->base);
}

/* No descriptor is left, for one. Again with the next tick, since until then it would fail again at once. */
static void live_on_accept_error(struct evconnlistener *listener, void *user)
{
    (void)user;
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
    if (!live->http)
        return CRAWL_ENOMEM;
    evhttp_set_gencb(live->http, cw_live_on_request, live);
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
    if (!live->stop || !live->tick || event_add(live->stop, NULL) || event_add(live->tick, &second))
        return CRAWL_ENOMEM;
    crawl_err err = cw_live_events_open(&live->events, live->base, &live->connections, &live->journal);
    return err ? err : make_server(live);
}

/* With all signals blocked: they are the crawl's, but for SIGPIPE, which a reader that goes away would bring. */
static crawl_err live_start_thread(cw_live *live)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    live->has_thread = pthread_create(&live->thread, NULL, live_run, live) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return live->has_thread ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_live_open(const crawl_config *config, bool may_make, cw_live **out, crawl_error *error)
{
    cw_live *live = calloc(1, sizeof *live);
    if (!live)
        return cw_error(error, CRAWL_ENOMEM);
    live->config = config;
    cw_live_journal_init(&live->journal);
    cw_live_breakdown_init(&live->breakdown);
    live->socket = live->wake = -1;
    crawl_err err = crawl_listen_parse(crawl_slice_from(config->listen), &live->listened);
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

/* The token goes to standard error alone: a log may be read by others. */
static void say_token(const cw_live *live)
{
    crawl_buf shown = {0};
    if (crawl_buf_printf(&shown, "crawl: to control it: %s#token=%s\n", live->url.data, live->control.token) ==
        CRAWL_OK)
        cw_message_put(&(cw_message){
            .level = CW_MESSAGE_INFO,
            .text = crawl_slice_from("crawl: the token to control it stands on standard error\n"),
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
        err = live_start_thread(live);
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
