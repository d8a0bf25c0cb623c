/* One target of webhooks: its messages, and when each is tried and retried. One request is under way at a time. A
 * target that is away, or asks for a pause, rests as a whole. All calls come from one thread, whose event loop it
 * uses. */
#pragma once

#include "crawler/program/webhook/webhook_sign.h"

#include <crawl/fetch.h>
#include <sys/queue.h>

struct event_base;

#define CW_WEBHOOK_QUEUE_MAX 1000u /* messages that wait for a target, of at most 20 KB */
#define CW_WEBHOOK_TRIES_MAX 10u   /* per message */

/* A message to all targets; every try has the same id. */
typedef struct cw_webhook_message {
    STAILQ_ENTRY(cw_webhook_message) link; /* used before any target has it */
    unsigned owners;                       /* targets that still have it; freed at 0 */
    bool must_go;                          /* others may be dropped for it */
    char id[40];
    crawl_buf body;
} cw_webhook_message;

typedef struct cw_webhook_figures {
    uint64_t delivered;
    uint64_t failed;  /* given up after errors or at the end, or its target is gone */
    uint64_t dropped; /* for lack of room */
    uint64_t waiting; /* counted by the sender */
} cw_webhook_figures;

typedef struct cw_webhook_target cw_webhook_target;

/* Borrowed; must outlive the target. */
typedef struct cw_webhook_target_options {
    struct event_base *base;
    crawl_fetcher *fetcher;
    const crawl_fetch_access *access; /* NULL: none */
    const cw_webhook_secrets *secrets;
    const char *url;
    void (*notice)(void *of, const char *words);                    /* tells a person about the target */
    void (*on_figures)(void *of, const cw_webhook_figures *change); /* change: differences; waiting may be negative */
    void *of;
} cw_webhook_target_options;

/* CRAWL_ENOMEM. */
crawl_err cw_webhook_target_create(const cw_webhook_target_options *options, cw_webhook_target **out);
/* Frees the target, and counts its remaining messages as failed. The fetcher's transfers must have ended. */
void cw_webhook_target_free(cw_webhook_target *target);

/* Queues a message, and takes over one of its owners. If there is no room it drops this message or, if this must go,
 * the first one waiting. */
void cw_webhook_target_put(cw_webhook_target *target, cw_webhook_message *message);

/* Call shortly before the end: tries waiting messages now, and retries after 1, 2, 4 and 8 seconds. */
void cw_webhook_target_hurry(cw_webhook_target *target);

void cw_webhook_message_leave(cw_webhook_message *message);

/* Returns how long to wait after a message has failed `tries` times. id: spreads the waits of messages a little. */
int64_t cw_webhook_wait_ms(unsigned tries, bool hurries, const char *id);
