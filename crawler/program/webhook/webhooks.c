/* See webhooks.h. Workers put messages into `fresh`; the thread hands them to the targets, which only it touches. */
#include "crawler/program/webhook/webhooks.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/map.h"
#include "base/net.h"
#include "base/thread.h"
#include "crawler/program/stop_file.h"
#include "crawler/program/summary/units.h"
#include "crawler/program/webhook/webhook_event.h"
#include "crawler/program/webhook/webhook_target.h"
#include "tools/common/messages/message.h"

#include <crawl/url.h>
#include <event2/event.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

enum { TIMEOUT_MS = 20000 };       /* per request, as the standard advises */
enum { WALLED_HOSTS_MAX = 10000 }; /* that are reported, some 100 bytes each */

typedef struct webhooks_host {
    char text[1];
} webhooks_host;

typedef struct webhooks_one {
    cw_webhook_target *target;
    crawl_fetch_access access;
    char *url; /* as it is sent: a host of other letters is in Punycode */
} webhooks_one;

struct cw_webhooks {
    const crawl_config *config;
    void (*notice)(void *of, const char *words);
    void *of;
    cw_webhook_secrets secrets;
    struct event_base *base;
    crawl_fetcher *fetcher;
    webhooks_one *all;
    size_t count;
    int wake_fd;
    struct event *wake;
    pthread_t thread;
    bool has_thread;
    atomic_bool hurries, ending;

    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t less;
    STAILQ_HEAD(webhooks_fresh, cw_webhook_message) fresh;
    size_t fresh_count;
    cw_webhook_figures figures;
    cw_map *walled;
    size_t walled_count;
};

/* --- the thread --- */

static void webhooks_on_figures(void *of, const cw_webhook_figures *change)
{
    cw_webhooks *webhooks = of;
    pthread_mutex_lock(&webhooks->lock);
    webhooks->figures.delivered += change->delivered;
    webhooks->figures.failed += change->failed;
    webhooks->figures.dropped += change->dropped;
    webhooks->figures.waiting += change->waiting;
    pthread_cond_signal(&webhooks->less);
    pthread_mutex_unlock(&webhooks->lock);
}

static void webhooks_notice(void *of, const char *words)
{
    cw_webhooks *webhooks = of;
    webhooks->notice(webhooks->of, words);
}

static cw_webhook_message *webhooks_take_fresh(cw_webhooks *webhooks)
{
    pthread_mutex_lock(&webhooks->lock);
    cw_webhook_message *message = STAILQ_FIRST(&webhooks->fresh);
    if (message) {
        STAILQ_REMOVE_HEAD(&webhooks->fresh, link);
        webhooks->fresh_count--;
    }
    pthread_mutex_unlock(&webhooks->lock);
    return message;
}

static void webhooks_on_wake(evutil_socket_t descriptor, short, void *user)
{
    cw_webhooks *webhooks = user;
    eventfd_t count;
    eventfd_read(descriptor, &count);
    for (cw_webhook_message *one = webhooks_take_fresh(webhooks); one; one = webhooks_take_fresh(webhooks))
        for (size_t i = 0; i < webhooks->count; i++)
            cw_webhook_target_put(webhooks->all[i].target, one);
    if (atomic_load(&webhooks->hurries))
        for (size_t i = 0; i < webhooks->count; i++)
            cw_webhook_target_hurry(webhooks->all[i].target);
    if (atomic_load(&webhooks->ending))
        event_base_loopbreak(webhooks->base);
}

static void *webhooks_run(void *user)
{
    cw_webhooks *webhooks = user;
    event_base_loop(webhooks->base, EVLOOP_NO_EXIT_ON_EMPTY);
    return NULL;
}

static void webhooks_stop(cw_webhooks *webhooks)
{
    if (!webhooks->has_thread)
        return;
    atomic_store(&webhooks->ending, true);
    eventfd_write(webhooks->wake_fd, 1);
    pthread_join(webhooks->thread, NULL);
    webhooks->has_thread = false;
}

/* --- opening --- */

static crawl_err webhooks_open_fetcher(cw_webhooks *webhooks, crawl_error *error)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    crawl_config_set_fetch(webhooks->config, &options);
    options.timeout_ms = TIMEOUT_MS;
    options.max_connections = (unsigned)webhooks->count;
    options.allow_private = webhooks->config->allow_private;
    return crawl_fetcher_create(webhooks->base, &options, &webhooks->fetcher, error);
}

static crawl_err webhooks_open_target(cw_webhooks *webhooks, size_t i, crawl_url *url)
{
    const crawl_config *config = webhooks->config;
    webhooks_one *one = &webhooks->all[i];
    crawl_err err = crawl_url_parse(url, crawl_slice_from(config->program.webhooks.items[i]), NULL, NULL);
    if (!err)
        err = (one->url = strndup(crawl_url_request(url).data, crawl_url_request(url).size)) ? CRAWL_OK : CRAWL_ENOMEM;
    bool is_direct = !err && cw_no_proxy_names(config->no_proxy, crawl_url_hostname(url));
    one->access = (crawl_fetch_access){.size = sizeof one->access, .proxy = is_direct ? NULL : config->proxy};
    const cw_webhook_target_options options = {.base = webhooks->base,
                                               .fetcher = webhooks->fetcher,
                                               .access = &one->access,
                                               .secrets = &webhooks->secrets,
                                               .url = one->url,
                                               .notice = webhooks_notice,
                                               .on_figures = webhooks_on_figures,
                                               .of = webhooks};
    return err ? err : cw_webhook_target_create(&options, &one->target);
}

static crawl_err webhooks_open_targets(cw_webhooks *webhooks, crawl_error *error)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? CRAWL_OK : CRAWL_ENOMEM;
    for (size_t i = 0; i < webhooks->count && !err; i++)
        err = webhooks_open_target(webhooks, i, url);
    crawl_url_free(url);
    return err ? cw_error(error, err) : CRAWL_OK;
}

static crawl_err webhooks_read_secrets(cw_webhooks *webhooks, crawl_error *error)
{
    char *text = NULL;
    crawl_err err = cw_secret_find(webhooks->config->program.webhook_secret_file, "CRAWL_WEBHOOK_SECRET", &text, error);
    if (!err && !OSSL_LIB_CTX_get0_global_default()) /* libcrypto was out of memory */
        err = cw_error(error, CRAWL_ENOMEM);
    else if (!err && cw_webhook_secrets_read(crawl_slice_from(text), &webhooks->secrets))
        err = crawl_error_set(error, CRAWL_EINVAL, "the secret is gone");
    cw_secret_free(text);
    return err;
}

static crawl_err webhooks_start(cw_webhooks *webhooks, crawl_error *error)
{
    webhooks->base = event_base_new();
    webhooks->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    webhooks->count = webhooks->config->program.webhooks.count;
    webhooks->all = calloc(webhooks->count, sizeof *webhooks->all);
    webhooks->walled = cw_map_create((uint64_t)(uintptr_t)webhooks);
    if (webhooks->base && webhooks->wake_fd >= 0)
        webhooks->wake = event_new(webhooks->base, webhooks->wake_fd, EV_READ | EV_PERSIST, webhooks_on_wake, webhooks);
    if (!webhooks->wake || !webhooks->all || !webhooks->walled || event_add(webhooks->wake, NULL))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = webhooks_read_secrets(webhooks, error);
    if (!err)
        err = webhooks_open_fetcher(webhooks, error);
    if (!err)
        err = webhooks_open_targets(webhooks, error);
    if (err)
        return err;
    int why = cw_thread_start(&webhooks->thread, webhooks_run, webhooks);
    webhooks->has_thread = why == 0;
    return why ? crawl_error_set(error, CRAWL_EIO, "no thread: %s", strerror(why)) : CRAWL_OK;
}

crawl_err cw_webhooks_open(const crawl_config *config, void (*notice)(void *of, const char *words), void *of,
                           cw_webhooks **out, crawl_error *error)
{
    cw_webhooks *webhooks = calloc(1, sizeof *webhooks);
    if (!webhooks)
        return cw_error(error, CRAWL_ENOMEM);
    webhooks->config = config;
    webhooks->notice = notice;
    webhooks->of = of;
    STAILQ_INIT(&webhooks->fresh);
    pthread_mutex_init(&webhooks->lock, NULL);
    cw_condition_init(&webhooks->less);
    crawl_err err = webhooks_start(webhooks, error);
    if (err)
        cw_webhooks_free(webhooks);
    else
        *out = webhooks;
    return err;
}

/* --- messages --- */

static crawl_err webhooks_name(cw_webhook_message *message)
{
    enum { BYTES = 16 };
    unsigned char random[BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return CRAWL_EIO;
    memcpy(message->id, "msg_", 4);
    cw_hex_encode(random, sizeof random, message->id + 4);
    return CRAWL_OK;
}

/* Queues a message, or counts it as dropped. err: from making its body. */
static void webhooks_push(cw_webhooks *webhooks, cw_webhook_message *message, crawl_err err)
{
    if (!err)
        err = message->body.size > CW_WEBHOOK_BODY_MAX ? CRAWL_FULL : webhooks_name(message);
    message->owners = (unsigned)webhooks->count;
    pthread_mutex_lock(&webhooks->lock);
    bool fits = !err && (webhooks->fresh_count < CW_WEBHOOK_QUEUE_MAX || message->must_go);
    if (fits) {
        STAILQ_INSERT_TAIL(&webhooks->fresh, message, link);
        webhooks->fresh_count++;
        webhooks->figures.waiting += webhooks->count;
    } else {
        webhooks->figures.dropped += webhooks->count;
    }
    pthread_mutex_unlock(&webhooks->lock);
    if (!fits) {
        message->owners = 1;
        cw_webhook_message_leave(message);
    }
    eventfd_write(webhooks->wake_fd, 1);
}

/* Returns true for the first wall of a host. */
static bool webhooks_is_new_wall(cw_webhooks *webhooks, crawl_slice host)
{
    pthread_mutex_lock(&webhooks->lock);
    bool is_new = webhooks->walled_count < WALLED_HOSTS_MAX &&
                  cw_map_make(webhooks->walled, host, sizeof(webhooks_host), offsetof(webhooks_host, text));
    webhooks->walled_count += is_new;
    pthread_mutex_unlock(&webhooks->lock);
    return is_new;
}

/* Returns true for a wall, also one in place of robots.txt, for which no page is requested. */
static bool webhooks_is_wall(const crawl_record *record)
{
    return record->error && strcmp(record->error, "wall") == 0;
}

void cw_webhooks_record(cw_webhooks *webhooks, const crawl_record *record)
{
    crawl_slice host = record->url;
    host = cw_drop(host, cw_find_text(host, "://"));
    host = cw_drop(host, host.size ? strlen("://") : 0);
    host.size = cw_find_any(host, "/?#");
    bool is_wall = webhooks_is_wall(record) && webhooks_is_new_wall(webhooks, host);
    bool is_change = record->change == CRAWL_CHANGE_YES && !record->requisite && !record->left_out;
    cw_webhook_message *message = is_wall || is_change ? calloc(1, sizeof *message) : NULL;
    if (!message)
        return;
    int64_t now_ms = cw_wall_ms();
    webhooks_push(webhooks, message,
                  is_wall ? cw_webhook_event_wall(record, host, now_ms, &message->body)
                          : cw_webhook_event_changed(record, now_ms, &message->body));
}

/* --- the end --- */

static bool webhooks_wait(cw_webhooks *webhooks, int64_t until_us)
{
    const struct timespec until = {.tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000};
    pthread_mutex_lock(&webhooks->lock);
    if (webhooks->figures.waiting)
        pthread_cond_timedwait(&webhooks->less, &webhooks->lock, &until);
    bool is_left = webhooks->figures.waiting > 0;
    pthread_mutex_unlock(&webhooks->lock);
    return is_left;
}

/* Waits for the messages. The signal is polled, since one cannot wait for a condition and a descriptor together. */
static void webhooks_settle(cw_webhooks *webhooks, int stop)
{
    enum { LOOK_US = 100000 };
    int64_t end_us = cw_now_us() + CW_WEBHOOKS_PATIENCE_MS * INT64_C(1000);
    bool was_stopped = false, is_left = true;
    atomic_store(&webhooks->hurries, true);
    eventfd_write(webhooks->wake_fd, 1);
    while (is_left && cw_now_us() < end_us) {
        if (!was_stopped && cw_program_stop_told(stop)) {
            was_stopped = true;
            end_us = cw_least(end_us, cw_now_us() + CW_WEBHOOKS_STOPPED_MS * INT64_C(1000));
        }
        is_left = webhooks_wait(webhooks, cw_least(end_us, cw_now_us() + LOOK_US));
    }
}

/* Ends the transfers, and counts the remaining messages as failed. */
static void webhooks_free_targets(cw_webhooks *webhooks)
{
    crawl_fetcher_free(webhooks->fetcher);
    webhooks->fetcher = NULL;
    for (cw_webhook_message *one = webhooks_take_fresh(webhooks); one; one = webhooks_take_fresh(webhooks)) {
        webhooks->figures.failed += one->owners;
        one->owners = 1;
        cw_webhook_message_leave(one);
    }
    for (size_t i = 0; webhooks->all && i < webhooks->count; i++) {
        cw_webhook_target_free(webhooks->all[i].target);
        free(webhooks->all[i].url);
        webhooks->all[i] = (webhooks_one){0};
    }
}

void cw_webhooks_finish(cw_webhooks *webhooks, const crawl_engine_stats *stats, int status, int stop, crawl_buf *said)
{
    const crawl_config *config = webhooks->config;
    const char *place = config->state ? config->state : config->shared ? config->shared : "";
    cw_webhook_message *message = calloc(1, sizeof *message);
    if (message) {
        message->must_go = true;
        webhooks_push(webhooks, message, cw_webhook_event_finished(stats, status, place, cw_wall_ms(), &message->body));
    }
    webhooks_settle(webhooks, stop);
    webhooks_stop(webhooks);
    webhooks_free_targets(webhooks);
    const cw_webhook_figures *figures = &webhooks->figures;
    CW_PROGRAM_SAY(said, "  webhooks  %" PRIu64 " delivered, %" PRIu64 " not, %" PRIu64 " dropped\n",
                   figures->delivered, figures->failed, figures->dropped);
    if (figures->failed || figures->dropped)
        cw_message_say(CW_MESSAGE_WARNING,
                       "webhook: %" PRIu64 " message%s not delivered, %" PRIu64 " dropped for want of room",
                       figures->failed, figures->failed == 1 ? " was" : "s were", figures->dropped);
}

void cw_webhooks_free(cw_webhooks *webhooks)
{
    if (!webhooks)
        return;
    webhooks_stop(webhooks);
    webhooks_free_targets(webhooks);
    if (webhooks->wake)
        event_free(webhooks->wake);
    if (webhooks->wake_fd >= 0)
        close(webhooks->wake_fd);
    if (webhooks->base) {
        event_base_loop(webhooks->base, EVLOOP_NONBLOCK); /* libevent frees some things late */
        event_base_free(webhooks->base);
    }
    cw_map_free_values(webhooks->walled);
    pthread_cond_destroy(&webhooks->less);
    pthread_mutex_destroy(&webhooks->lock);
    explicit_bzero(&webhooks->secrets, sizeof webhooks->secrets);
    free(webhooks->all);
    free(webhooks);
}
