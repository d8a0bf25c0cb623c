#include "crawler/program/redis/remote.h"

#include "base/away.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/thread.h"
#include "config/config_values.h"

#include <event2/event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PATIENCE_MS = 3000 }; /* for a server at startup */

struct cw_remote {
    struct event_base *base;
    crawl_redis_url url;
    char *password;
    char name[300];
    crawl_redis *redis;
    int wake_fd;
    struct event *wake;
    struct event *patience;
    pthread_t thread;
    bool has_thread;
    atomic_bool ending;
    cw_remote_calls calls; /* zeros until the thread starts */
    crawl_redis_fault state;
    char words[256];         /* why the server is away */
    cw_away away;            /* what was reported about it */
    bool starts;             /* somebody waits for the greeting */
    crawl_redis_fault fault; /* of the last question at startup */
    crawl_buf answer;        /* to that question */
};

const char *cw_remote_name(const cw_remote *remote)
{
    return remote->name;
}

const crawl_redis_url *cw_remote_url(const cw_remote *remote)
{
    return &remote->url;
}

crawl_redis *cw_remote_redis(cw_remote *remote)
{
    return remote->redis;
}

struct event_base *cw_remote_base(cw_remote *remote)
{
    return remote->base;
}

/* ---- events of the connection ---- */

/* Reports that the server is away, and why, or that it is back. */
static void tell_person(cw_remote *remote)
{
    char words[640];
    bool away = remote->state != CRAWL_REDIS_OK;
    if (!cw_away_tells(&remote->away, away, cw_now_us()))
        return;
    if (away)
        snprintf(words, sizeof words, "%s is unavailable: %s; retrying", remote->name, remote->words);
    else
        snprintf(words, sizeof words, "%s is back", remote->name);
    remote->calls.notice(remote->calls.of, words);
}

static void remote_on_state(void *user, crawl_redis_fault fault, const char *words)
{
    cw_remote *remote = user;
    remote->state = fault;
    snprintf(remote->words, sizeof remote->words, "%s", words);
    if (remote->starts) {
        if (!crawl_redis_fault_passes(fault))
            event_base_loopbreak(remote->base);
        return;
    }
    if (!remote->has_thread)
        return;
    tell_person(remote);
    if (fault == CRAWL_REDIS_OK)
        remote->calls.on_wake(remote->calls.user);
    else if (fault == CRAWL_REDIS_NOAUTH || fault == CRAWL_REDIS_WRONGPASS || fault == CRAWL_REDIS_NOPERM)
        remote->calls.on_refused(remote->calls.user, &(crawl_redis_answer){.fault = fault, .words = words});
}

static void on_room(void *user)
{
    cw_remote *remote = user;
    if (remote->calls.on_wake)
        remote->calls.on_wake(remote->calls.user);
}

static void remote_on_wake(evutil_socket_t fd, short, void *user)
{
    cw_remote *remote = user;
    eventfd_t count;
    eventfd_read(fd, &count);
    if (remote->calls.on_wake)
        remote->calls.on_wake(remote->calls.user);
    if (atomic_load(&remote->ending))
        event_base_loopbreak(remote->base);
}

void cw_remote_wake(cw_remote *remote)
{
    eventfd_write(remote->wake_fd, 1); /* a full counter wakes too */
}

/* ---- startup ---- */

static void remote_on_patience(evutil_socket_t, short, void *user)
{
    cw_remote *remote = user;
    event_base_loopbreak(remote->base);
}

void cw_remote_run(cw_remote *remote, int ms)
{
    const struct timeval time = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(remote->patience, &time);
    event_base_dispatch(remote->base);
    evtimer_del(remote->patience);
}

static void make_name(cw_remote *remote)
{
    const crawl_redis_url *url = &remote->url;
    bool is_v6 = url->host && strchr(url->host, ':');
    if (url->path)
        snprintf(remote->name, sizeof remote->name, "unix:%s", url->path);
    else
        snprintf(remote->name, sizeof remote->name, "%s://%s%.200s%s:%u/%u", url->tls ? "rediss" : "redis",
                 is_v6 ? "[" : "", url->host, is_v6 ? "]" : "", url->port, url->db);
}

static crawl_err remote_make_loop(cw_remote *remote, const crawl_config *config, crawl_error *error)
{
    const crawl_redis_options options = {
        .size = sizeof options,
        .url = &remote->url,
        .base = remote->base = event_base_new(),
        .password = remote->password,
        .name = "crawl",
        .ca_file = config->redis_ca_file,
        .on_state = remote_on_state,
        .on_room = on_room,
        .user = remote,
    };
    remote->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (remote->base && remote->wake_fd >= 0)
        remote->wake = event_new(remote->base, remote->wake_fd, EV_READ | EV_PERSIST, remote_on_wake, remote);
    if (remote->base)
        remote->patience = evtimer_new(remote->base, remote_on_patience, remote);
    if (!remote->wake || !remote->patience || event_add(remote->wake, NULL))
        return cw_error(error, CRAWL_ENOMEM);
    return crawl_redis_open(&options, &remote->redis, error);
}

/* Explains a failure to a person. CRAWL_EINVAL: the configuration can solve it. */
static crawl_err remote_explain(const cw_remote *remote, crawl_redis_fault fault, const char *words, crawl_error *error)
{
    bool is_there = fault > CRAWL_REDIS_PROTOCOL;
    if (!is_there)
        return crawl_error_set(error, CRAWL_ENET, "%s: %s", remote->name, words);
    return crawl_error_set(error, crawl_redis_fault_passes(fault) ? CRAWL_ENET : CRAWL_EINVAL, "%s: %s (%s)",
                           remote->name, crawl_redis_fault_words(fault), words);
}

static crawl_err wait_for_greeting(cw_remote *remote, crawl_error *error)
{
    remote->state = CRAWL_REDIS_AWAY;
    snprintf(remote->words, sizeof remote->words, "it does not answer");
    remote->starts = true;
    cw_remote_run(remote, PATIENCE_MS);
    remote->starts = false;
    return remote->state == CRAWL_REDIS_OK ? CRAWL_OK : remote_explain(remote, remote->state, remote->words, error);
}

crawl_err cw_remote_open(const char *text, const char *const *names, const crawl_config *config, cw_remote **out,
                         crawl_error *error)
{
    crawl_error why = {0};
    cw_remote *remote = calloc(1, sizeof *remote);
    if (!remote)
        return cw_error(error, CRAWL_ENOMEM);
    remote->wake_fd = -1;
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), names, &remote->url, &why);
    if (err == CRAWL_EPARSE) /* without the text, which may hold a password */
        err = crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: %s", why.message);
    if (!err)
        make_name(remote);
    if (!err)
        err = cw_secret_find(config->redis_password_file, "CRAWL_REDIS_PASSWORD", &remote->password, error);
    if (!err)
        err = remote_make_loop(remote, config, error);
    if (!err)
        err = wait_for_greeting(remote, error);
    if (err)
        cw_remote_close(remote);
    else
        *out = remote;
    return err;
}

/* ---- questions at startup ---- */

static void remote_on_answer(void *user, const crawl_redis_answer *said)
{
    cw_remote *remote = user;
    bool is_strange = !said->fault && said->reply->type != CRAWL_REDIS_TEXT;
    crawl_slice text = said->fault ? crawl_slice_from(said->words) : said->reply->text;
    if (is_strange)
        text = crawl_slice_from("its answer is not text");
    remote->fault = is_strange ? CRAWL_REDIS_PROTOCOL : said->fault;
    (void)crawl_buf_append(&remote->answer, text.data, text.size); /* an empty answer is no fault */
    event_base_loopbreak(remote->base);
}

/* Asks once. A server that goes away meanwhile gives UNKNOWN. */
static void ask_once(cw_remote *remote, const char *command, const char *argument)
{
    remote->fault = CRAWL_REDIS_UNKNOWN;
    crawl_buf_clear(&remote->answer);
    if (crawl_redis_send_texts(remote->redis, remote_on_answer, remote, command, argument, NULL) == CRAWL_OK)
        cw_remote_run(remote, 4 * PATIENCE_MS); /* the connection's own patience is shorter */
}

/* Asks, with retries: a starting server greets, but answers nothing else until it has read its data. */
static void remote_ask(cw_remote *remote, const char *command, const char *argument)
{
    enum { TRIES = 30 };
    ask_once(remote, command, argument);
    for (unsigned i = 0; i < TRIES && crawl_redis_fault_passes(remote->fault); i++) {
        cw_remote_run(remote, PATIENCE_MS / TRIES);
        ask_once(remote, command, argument);
    }
}

static crawl_err check_type(cw_remote *remote, const char *key, const char *type, crawl_error *error)
{
    remote_ask(remote, "TYPE", key);
    crawl_slice found = crawl_buf_slice(&remote->answer);
    if (remote->fault)
        return remote_explain(remote, remote->fault, found.size ? found.data : crawl_redis_fault_words(remote->fault),
                              error);
    if (cw_is(found, type) || cw_is(found, "none"))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL, "%s: the key \"%.200s\" is a %.20s, not a %s", remote->name, key,
                           found.data, type);
}

/* Checks the eviction policy, because our keys have no time to live. If the user may not ask for it, it is trusted. */
static crawl_err check_policy(cw_remote *remote, crawl_error *error)
{
    crawl_error why = {0};
    remote_ask(remote, "INFO", "memory");
    if (remote->fault || !crawl_redis_check_policy(crawl_buf_slice(&remote->answer), &why))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL, "%s: %s", remote->name, why.message);
}

crawl_err cw_remote_check_key(cw_remote *remote, const char *key, const char *type, crawl_error *error)
{
    crawl_err err = check_type(remote, key, type, error);
    return err ? err : check_policy(remote, error);
}

/* ---- the thread ---- */

static void *remote_run(void *user)
{
    cw_remote *remote = user;
    event_base_loop(remote->base, EVLOOP_NO_EXIT_ON_EMPTY);
    return NULL;
}

crawl_err cw_remote_start(cw_remote *remote, const cw_remote_calls *calls, crawl_error *error)
{
    remote->calls = *calls;
    remote->has_thread = true; /* before the thread reads it */
    int why = cw_thread_start(&remote->thread, remote_run, remote);
    remote->has_thread = why == 0;
    return why ? crawl_error_set(error, CRAWL_EIO, "no thread for %s: %s", remote->name, strerror(why)) : CRAWL_OK;
}

void cw_remote_stop(cw_remote *remote)
{
    if (!remote->has_thread)
        return;
    atomic_store(&remote->ending, true);
    cw_remote_wake(remote);
    pthread_join(remote->thread, NULL);
    remote->has_thread = false;
}

void cw_remote_close(cw_remote *remote)
{
    if (!remote)
        return;
    cw_remote_stop(remote);
    remote->calls = (cw_remote_calls){0};
    crawl_redis_free(remote->redis);
    if (remote->wake)
        event_free(remote->wake);
    if (remote->patience)
        event_free(remote->patience);
    if (remote->wake_fd >= 0)
        close(remote->wake_fd);
    if (remote->base) {
        event_base_loop(remote->base, EVLOOP_NONBLOCK); /* libevent frees some things late */
        event_base_free(remote->base);
    }
    cw_secret_free(remote->password);
    crawl_buf_free(&remote->answer);
    crawl_redis_url_free(&remote->url);
    free(remote);
}
