/* See remote_output.h. Workers put lines into `fresh`. The server's thread moves them to `waiting` and to the
 * connection, and frees each when it is acknowledged. A line whose answer was lost with the connection returns to the
 * front of `waiting`: Redis may have it twice, but never lacks it. */
#include "crawler/program/redis/remote_output.h"

#include "base/bytes.h"
#include "base/error.h"
#include "config/config_values.h"
#include "crawler/program/redis/remote.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { REST_MS = 1000 }; /* after the server temporarily refused writes */

typedef struct parcel {
    STAILQ_ENTRY(parcel) link;
    struct cw_remote_output *output;
    uint64_t receipt;
    size_t size;
    char line[];
} parcel;

struct cw_remote_output {
    cw_remote *remote;
    crawl_engine *engine;
    const char *key;
    bool is_stream;
    const char *maxlen; /* NULL: not trimmed */
    cw_outputs_window window;
    STAILQ_HEAD(, parcel) fresh; /* under the window's lock */

    /* Used only by the server's thread: */
    STAILQ_HEAD(, parcel) waiting;
    struct event *rest; /* pending: the server temporarily refuses writes */
    crawl_redis_fault resting_for;
    void (*notice)(void *of, const char *words);
    void *of;
};

/* ---- the URL ---- */

enum { LIST, STREAM, MAXLEN };
static const char *const names[] = {[LIST] = "list", [STREAM] = "stream", [MAXLEN] = "maxlen", NULL};

static crawl_err check_values(const crawl_redis_url *url, crawl_error *error)
{
    crawl_slice maxlen = crawl_slice_from(url->values[MAXLEN]);
    if (!url->values[LIST] == !url->values[STREAM])
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: expected ?list=KEY or ?stream=KEY");
    if (maxlen.size && (!url->values[STREAM] || maxlen.size > 18 || cw_count_digits(maxlen) != maxlen.size))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "the URL of Redis: maxlen must be the number of records that ?stream=KEY keeps");
    return CRAWL_OK;
}

crawl_err cw_remote_output_check(const char *text, crawl_error *error)
{
    crawl_redis_url url;
    crawl_error why = {0};
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), names, &url, &why);
    if (err)
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: %s", why.message);
    err = check_values(&url, error);
    crawl_redis_url_free(&url);
    return err;
}

/* ---- workers ---- */

static crawl_err remote_output_put(cw_remote_output *output, parcel *p)
{
    pthread_mutex_lock(&output->window.lock);
    crawl_err err = cw_outputs_window_enter(&output->window, p->size);
    if (!err)
        STAILQ_INSERT_TAIL(&output->fresh, p, link);
    pthread_mutex_unlock(&output->window.lock);
    return err;
}

crawl_err cw_remote_output_write(cw_remote_output *output, uint64_t receipt, crawl_slice line)
{
    parcel *p = malloc(sizeof *p + line.size);
    if (!p)
        return CRAWL_ENOMEM;
    *p = (parcel){.output = output, .receipt = receipt, .size = line.size};
    memcpy(p->line, line.data, line.size);
    crawl_err err = remote_output_put(output, p);
    if (err) {
        free(p);
        return err;
    }
    cw_remote_wake(output->remote);
    return CRAWL_AGAIN;
}

crawl_err cw_remote_output_failed(cw_remote_output *output)
{
    return cw_outputs_window_failed(&output->window);
}

/* ---- the server's thread ---- */

static void remote_output_acknowledge(cw_remote_output *output, parcel *p)
{
    cw_outputs_window_leave(&output->window, p->size);
    output->resting_for = CRAWL_REDIS_OK;
    crawl_engine_kept(output->engine, p->receipt);
    free(p);
}

static void remote_output_fail(void *user, const crawl_redis_answer *said)
{
    cw_remote_output *output = user;
    crawl_error failure;
    crawl_error_set(&failure, CRAWL_EIO, "%s: %s (%s)", cw_remote_name(output->remote),
                    crawl_redis_fault_words(said->fault), said->words);
    cw_outputs_window_fail(&output->window, &failure);
}

/* Pauses because the server temporarily refuses writes. A person is told once, until it takes them again. */
static void remote_output_rest(cw_remote_output *output, crawl_redis_fault fault)
{
    const struct timeval pause = {.tv_sec = REST_MS / 1000, .tv_usec = REST_MS % 1000 * 1000};
    char words[400];
    evtimer_add(output->rest, &pause);
    if (output->resting_for == fault)
        return;
    output->resting_for = fault;
    snprintf(words, sizeof words, "%s takes no records: %s; retrying", cw_remote_name(output->remote),
             crawl_redis_fault_words(fault));
    output->notice(output->of, words);
}

static void remote_output_on_answer(void *user, const crawl_redis_answer *said)
{
    parcel *p = user;
    cw_remote_output *output = p->output;
    if (said->fault == CRAWL_REDIS_OK) {
        remote_output_acknowledge(output, p);
        return;
    }
    STAILQ_INSERT_HEAD(&output->waiting, p, link);
    if (crawl_redis_fault_passes(said->fault))
        remote_output_rest(output, said->fault);
    else if (said->fault != CRAWL_REDIS_UNKNOWN && said->fault != CRAWL_REDIS_UNSENT)
        remote_output_fail(output, said);
}

static crawl_err send_parcel(cw_remote_output *output, parcel *p)
{
    const crawl_slice line = crawl_slice_of(p->line, p->size);
    crawl_slice arguments[8] = {crawl_slice_from(output->is_stream ? "XADD" : "RPUSH"), crawl_slice_from(output->key)};
    size_t count = 2;
    if (output->maxlen) {
        arguments[count++] = crawl_slice_from("MAXLEN");
        arguments[count++] = crawl_slice_from("~");
        arguments[count++] = crawl_slice_from(output->maxlen);
    }
    if (output->is_stream) {
        arguments[count++] = crawl_slice_from("*");
        arguments[count++] = crawl_slice_from("record");
    }
    arguments[count++] = line;
    return crawl_redis_send(cw_remote_redis(output->remote), arguments, count, remote_output_on_answer, p);
}

/* Sends waiting lines. After a failure nothing more is sent, but lines already sent are still acknowledged. */
static void remote_output_send_waiting(cw_remote_output *output)
{
    if (cw_remote_output_failed(output) || evtimer_pending(output->rest, NULL))
        return;
    for (parcel *p; (p = STAILQ_FIRST(&output->waiting));) {
        STAILQ_REMOVE_HEAD(&output->waiting, link);
        if (send_parcel(output, p)) { /* no room: the connection reports when there is */
            STAILQ_INSERT_HEAD(&output->waiting, p, link);
            return;
        }
    }
}

static void remote_output_on_wake(void *user)
{
    cw_remote_output *output = user;
    pthread_mutex_lock(&output->window.lock);
    STAILQ_CONCAT(&output->waiting, &output->fresh);
    pthread_mutex_unlock(&output->window.lock);
    remote_output_send_waiting(output);
}

static void on_rested(evutil_socket_t, short, void *user)
{
    remote_output_send_waiting(user);
}

/* ---- opening and closing ---- */

static crawl_err connect_output(cw_remote_output *output, const crawl_config *config, crawl_error *error)
{
    crawl_err err = cw_remote_open(config->output, names, config, &output->remote, error);
    if (err)
        return err;
    const crawl_redis_url *url = cw_remote_url(output->remote);
    const cw_remote_calls calls = {.on_wake = remote_output_on_wake,
                                   .on_refused = remote_output_fail,
                                   .user = output,
                                   .notice = output->notice,
                                   .of = output->of};
    output->is_stream = url->values[STREAM] != NULL;
    output->key = url->values[output->is_stream ? STREAM : LIST];
    output->maxlen = url->values[MAXLEN];
    err = cw_remote_check_key(output->remote, output->key, output->is_stream ? "stream" : "list", error);
    if (err)
        return err;
    output->rest = evtimer_new(cw_remote_base(output->remote), on_rested, output);
    return output->rest ? cw_remote_start(output->remote, &calls, error) : cw_error(error, CRAWL_ENOMEM);
}

crawl_err cw_remote_output_open(const crawl_config *config, crawl_engine *engine,
                                void (*notice)(void *of, const char *words), void *of, cw_remote_output **out,
                                crawl_error *error)
{
    cw_remote_output *output = calloc(1, sizeof *output);
    if (!output)
        return cw_error(error, CRAWL_ENOMEM);
    output->engine = engine;
    output->notice = notice;
    output->of = of;
    STAILQ_INIT(&output->fresh);
    STAILQ_INIT(&output->waiting);
    cw_outputs_window_init(&output->window, engine);
    crawl_err err = connect_output(output, config, error);
    if (err)
        cw_remote_output_close(output, NULL);
    else
        *out = output;
    return err;
}

void cw_remote_output_settle(cw_remote_output *output, int64_t patience_ms)
{
    cw_outputs_window_settle(&output->window, patience_ms);
}

crawl_err cw_remote_output_close(cw_remote_output *output, crawl_error *error)
{
    if (!output)
        return CRAWL_OK;
    if (output->remote)
        cw_remote_stop(output->remote);
    if (output->rest)
        event_free(output->rest);
    output->rest = NULL;
    const char *name = output->remote ? cw_remote_name(output->remote) : "";
    crawl_err err = cw_outputs_window_end(&output->window, name, error);
    cw_remote_close(output->remote);
    STAILQ_CONCAT(&output->waiting, &output->fresh);
    for (parcel *p; (p = STAILQ_FIRST(&output->waiting));) {
        STAILQ_REMOVE_HEAD(&output->waiting, link);
        free(p);
    }
    cw_outputs_window_free(&output->window);
    free(output);
    return err;
}
