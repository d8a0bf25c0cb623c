/* One target of webhooks: its messages, and when each is tried, and tried again. One request is under way at a time; a
 * target that is away, or asks for it, rests as a whole. All calls on one thread, whose loop it uses. */
#pragma once

#include "crawler/program/webhook/webhook_sign.h"

#include <crawl/fetch.h>
#include <sys/queue.h>

struct event_base;

#define CW_WEBHOOK_QUEUE_MAX 1000u /* messages that wait for a target, of 20 KB at the most */
#define CW_WEBHOOK_TRIES_MAX 10u   /* of a message */

/* Sent to all targets, with the same id in each try. */
typedef struct cw_webhook_message {
    STAILQ_ENTRY(cw_webhook_message) link; /* before any target has it */
    unsigned owners;                       /* targets that have it still; then it is freed */
    bool must_go;                          /* others are dropped for it */
    char id[40];
    crawl_buf body;
} cw_webhook_message;

typedef struct cw_webhook_figures {
    uint64_t delivered;
    uint64_t failed;  /* given up: by answers, by the end, or refused by a target that is gone */
    uint64_t dropped; /* there was no room */
    uint64_t waiting; /* counted by who puts them */
} cw_webhook_figures;

typedef struct cw_webhook_target cw_webhook_target;

/* Borrowed, must outlive the target. */
typedef struct cw_webhook_target_options {
    struct event_base *base;
    crawl_fetcher *fetcher;
    const crawl_fetch_access *access; /* NULL: nothing of it */
    const cw_webhook_secrets *secrets;
    const char *url;
    void (*notice)(void *of, const char *words);                    /* of it, for a person */
    void (*on_figures)(void *of, const cw_webhook_figures *change); /* differences; of waiting perhaps below zero */
    void *of;
} cw_webhook_target_options;

/* CRAWL_ENOMEM. */
crawl_err cw_webhook_target_create(const cw_webhook_target_options *options, cw_webhook_target **out);
/* What is left has failed. The fetcher's transfers have ended. */
void cw_webhook_target_free(cw_webhook_target *target);

/* Takes a message, an owner of which it is. Where there is no room it drops this one or, if it must go, the first that
 * waits. */
void cw_webhook_target_put(cw_webhook_target *target, cw_webhook_message *message);

/* The end is near: whatever waits is tried now, and again after 1, 2, 4 and 8 seconds. */
void cw_webhook_target_hurry(cw_webhook_target *target);

void cw_webhook_message_leave(cw_webhook_message *message);

/* How long to wait after a message has failed for the `tries`-th time. id: makes one message wait a little longer than
 * another. */
int64_t cw_webhook_wait_ms(unsigned tries, bool hurries, const char *id);
