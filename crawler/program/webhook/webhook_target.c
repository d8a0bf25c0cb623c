#include "crawler/program/webhook/webhook_target.h"

#include "base/away.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/http_date.h"

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { ANSWER_MAX = 64 << 10, RETRY_AFTER_MAX_MS = 24 * 3600 * 1000, GONE = 410 };

typedef struct webhook_errand {
    TAILQ_ENTRY(webhook_errand) link;
    cw_webhook_message *message;
    unsigned tries;
    int64_t due_ms; /* on CLOCK_MONOTONIC, as all times here */
} webhook_errand;

struct cw_webhook_target {
    cw_webhook_target_options options;
    char name[200]; /* for people: the URL without its path, which may be secret */
    TAILQ_HEAD(webhook_errands, webhook_errand) errands;
    size_t count;
    webhook_errand *under_way;
    struct event *timer;
    int64_t rests_until_ms;
    bool asked_for_rest; /* by Retry-After; the end of the crawl does not shorten it */
    unsigned failures;   /* in a row */
    bool hurries, is_gone, told_full;
    cw_away away;
    crawl_buf headers, signature;
};

int64_t cw_webhook_wait_ms(unsigned tries, bool hurries, const char *id)
{
    static const int64_t waits_s[] = {5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400};
    enum { WAITS = sizeof waits_s / sizeof *waits_s, HURRIES_DOUBLINGS = 3 };
    if (hurries)
        return INT64_C(1000) << (tries - 1 < HURRIES_DOUBLINGS ? tries - 1 : HURRIES_DOUBLINGS);
    int64_t ms = waits_s[tries - 1 < WAITS ? tries - 1 : WAITS - 1] * 1000;
    return ms + ms / 8 * (cw_fnv1a(crawl_slice_from(id)) % 1000) / 1000;
}

void cw_webhook_message_leave(cw_webhook_message *message)
{
    if (--message->owners)
        return;
    crawl_buf_free(&message->body);
    free(message);
}

static void webhook_target_count(cw_webhook_target *target, int delivered, int failed, int dropped, int waiting)
{
    const cw_webhook_figures change = {(uint64_t)delivered, (uint64_t)failed, (uint64_t)dropped, (uint64_t)waiting};
    target->options.on_figures(target->options.of, &change);
}

static void webhook_target_remove(cw_webhook_target *target, webhook_errand *errand)
{
    TAILQ_REMOVE(&target->errands, errand, link);
    target->count--;
    if (target->under_way == errand)
        target->under_way = NULL;
    cw_webhook_message_leave(errand->message);
    free(errand);
}

static void webhook_target_say(cw_webhook_target *target, const char *words)
{
    char line[640];
    snprintf(line, sizeof line, "webhook %s: %s", target->name, words);
    target->options.notice(target->options.of, line);
}

/* --- failure and removal --- */

/* Gives up the target permanently: nothing is sent to it any more. */
static void webhook_target_leave(cw_webhook_target *target, const char *words)
{
    target->is_gone = true;
    webhook_target_say(target, words);
    while (!TAILQ_EMPTY(&target->errands)) {
        webhook_target_remove(target, TAILQ_FIRST(&target->errands));
        webhook_target_count(target, 0, 1, 0, -1);
    }
}

/* Returns the milliseconds that Retry-After asks for; 0 or less: none. */
static int64_t webhook_target_retry_after(const crawl_response *response)
{
    return cw_least(cw_http_retry_after(crawl_response_header(response, "Retry-After"), cw_wall_ms()),
                    RETRY_AFTER_MAX_MS);
}

static void webhook_target_tell(cw_webhook_target *target, const char *words)
{
    char line[400];
    if (!cw_away_tells(&target->away, words != NULL, cw_now_us()))
        return;
    snprintf(line, sizeof line, "%s%s", words ? words : "it takes messages again", words ? "; retrying" : "");
    webhook_target_say(target, line);
}

static void webhook_target_fail(cw_webhook_target *target, webhook_errand *errand, const crawl_response *response)
{
    char words[300];
    int status = response ? response->status : 0;
    bool is_away = !status || status == 429 || (status >= 502 && status <= 504);
    int64_t now = cw_now_us() / 1000, asked = response ? webhook_target_retry_after(response) : 0;
    if (status)
        snprintf(words, sizeof words, "status %d", status);
    else
        snprintf(words, sizeof words, "%s", response ? response->error_text : "out of memory");
    webhook_target_tell(target, words);
    target->failures++;
    errand->tries++;
    errand->due_ms = now + cw_webhook_wait_ms(errand->tries, target->hurries, errand->message->id);
    if (is_away || asked > 0) {
        int64_t pause = cw_webhook_wait_ms(target->failures < 2 ? target->failures : 2, target->hurries, target->name);
        target->asked_for_rest = asked > 0;
        target->rests_until_ms = now + (asked > 0 ? asked : pause);
    }
    if (errand->tries == CW_WEBHOOK_TRIES_MAX) {
        webhook_target_remove(target, errand);
        webhook_target_count(target, 0, 1, 0, -1);
    }
}

static void webhook_target_turn(cw_webhook_target *target);

static void webhook_target_on_done(void *user, const crawl_response *response)
{
    cw_webhook_target *target = user;
    webhook_errand *errand = target->under_way;
    target->under_way = NULL;
    if (!response->error && response->status / 100 == 2) {
        target->failures = 0;
        webhook_target_tell(target, NULL);
        webhook_target_remove(target, errand);
        webhook_target_count(target, 1, 0, 0, -1);
    } else if (response->status == GONE) {
        webhook_target_leave(target, "status 410: it wants no more messages");
    } else if (response->error == CRAWL_FETCH_PRIVATE) {
        webhook_target_leave(target, "its address is private: --allow-private allows it");
    } else {
        webhook_target_fail(target, errand, response);
    }
    webhook_target_turn(target);
}

/* --- turns --- */

static crawl_err webhook_target_sign(cw_webhook_target *target, const cw_webhook_message *message)
{
    int64_t now_s = cw_wall_ms() / 1000;
    crawl_buf_clear(&target->headers);
    crawl_buf_clear(&target->signature);
    crawl_err err = cw_webhook_sign(target->options.secrets, message->id, now_s, crawl_buf_slice(&message->body),
                                    &target->signature);
    return err ? err
               : crawl_buf_printf(&target->headers,
                                  "Content-Type: application/json\nAccept: */*\nwebhook-id: %s\nwebhook-timestamp: "
                                  "%" PRId64 "\nwebhook-signature: %s\n",
                                  message->id, now_s, target->signature.data);
}

static void webhook_target_send(cw_webhook_target *target, webhook_errand *errand)
{
    crawl_err err = webhook_target_sign(target, errand->message);
    const crawl_fetch_request request = {.size = sizeof request,
                                         .url = crawl_slice_from(target->options.url),
                                         .method = crawl_slice_from("POST"),
                                         .headers = crawl_buf_slice(&target->headers),
                                         .body = crawl_buf_slice(&errand->message->body),
                                         .access = target->options.access,
                                         .max_body_bytes = ANSWER_MAX,
                                         .cut_body = true,
                                         .on_done = webhook_target_on_done,
                                         .user = target};
    target->under_way = errand;
    if (!err)
        err = crawl_fetch(target->options.fetcher, &request, NULL);
    if (!err)
        return;
    target->under_way = NULL;
    webhook_target_fail(target, errand, NULL);
}

static webhook_errand *webhook_target_next(cw_webhook_target *target)
{
    webhook_errand *next = NULL, *errand;
    TAILQ_FOREACH(errand, &target->errands, link)
    if (!next || errand->due_ms < next->due_ms)
        next = errand;
    return next;
}

static void webhook_target_turn(cw_webhook_target *target)
{
    webhook_errand *next = target->under_way ? NULL : webhook_target_next(target);
    if (!next)
        return;
    int64_t left = cw_most(next->due_ms, target->rests_until_ms) - cw_now_us() / 1000;
    if (left <= 0)
        webhook_target_send(target, next);
    if (target->under_way)
        return;
    left = cw_most(left, 1);
    const struct timeval pause = {.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000};
    evtimer_add(target->timer, &pause);
}

static void webhook_target_on_timer(evutil_socket_t, short, void *user)
{
    webhook_target_turn(user);
}

/* --- the interface --- */

static void webhook_target_make_room(cw_webhook_target *target)
{
    webhook_errand *first = TAILQ_FIRST(&target->errands);
    if (first == target->under_way)
        first = TAILQ_NEXT(first, link);
    webhook_target_remove(target, first);
    webhook_target_count(target, 0, 0, 1, -1);
}

void cw_webhook_target_put(cw_webhook_target *target, cw_webhook_message *message)
{
    bool is_full = target->count >= CW_WEBHOOK_QUEUE_MAX;
    if (is_full && !target->told_full)
        webhook_target_say(target, "1,000 messages wait for it: others are dropped");
    target->told_full = target->told_full || is_full;
    webhook_errand *errand = target->is_gone || (is_full && !message->must_go) ? NULL : calloc(1, sizeof *errand);
    if (!errand) {
        cw_webhook_message_leave(message);
        webhook_target_count(target, 0, target->is_gone, !target->is_gone, -1);
        return;
    }
    if (is_full)
        webhook_target_make_room(target);
    errand->message = message;
    TAILQ_INSERT_TAIL(&target->errands, errand, link);
    target->count++;
    webhook_target_turn(target);
}

void cw_webhook_target_hurry(cw_webhook_target *target)
{
    webhook_errand *errand;
    target->hurries = true;
    TAILQ_FOREACH(errand, &target->errands, link)
    errand->due_ms = 0;
    if (!target->asked_for_rest)
        target->rests_until_ms = 0;
    webhook_target_turn(target);
}

static void webhook_target_take_name(cw_webhook_target *target)
{
    crawl_slice url = crawl_slice_from(target->options.url);
    size_t host = cw_find_text(url, "://") + strlen("://");
    snprintf(target->name, sizeof target->name, "%.*s", (int)(host + cw_find_any(cw_drop(url, host), "/?#")), url.data);
}

crawl_err cw_webhook_target_create(const cw_webhook_target_options *options, cw_webhook_target **out)
{
    cw_webhook_target *target = calloc(1, sizeof *target);
    if (!target)
        return CRAWL_ENOMEM;
    target->options = *options;
    TAILQ_INIT(&target->errands);
    webhook_target_take_name(target);
    target->timer = evtimer_new(options->base, webhook_target_on_timer, target);
    if (!target->timer) {
        free(target);
        return CRAWL_ENOMEM;
    }
    *out = target;
    return CRAWL_OK;
}

void cw_webhook_target_free(cw_webhook_target *target)
{
    if (!target)
        return;
    while (!TAILQ_EMPTY(&target->errands)) {
        webhook_target_remove(target, TAILQ_FIRST(&target->errands));
        webhook_target_count(target, 0, 1, 0, -1);
    }
    event_free(target->timer);
    crawl_buf_free(&target->headers);
    crawl_buf_free(&target->signature);
    free(target);
}
