/* Webhooks of a crawl (--webhook): reports events to the servers that the user names, by Standard Webhooks 1.0.0. A
 * thread of its own sends them. The crawl waits for it only at its end, for a bounded time. */
#pragma once

#include "config/config_values.h"

#include <crawl/engine.h>

/* How long the end of a crawl waits for messages, and how long if the crawl was or is stopped. */
#define CW_WEBHOOKS_PATIENCE_MS 30000
#define CW_WEBHOOKS_STOPPED_MS 5000

typedef struct cw_webhooks cw_webhooks;

/* Refuses targets that cannot be requested, and a missing secret. Returns the exit status, after a message. */
int cw_webhooks_check(const crawl_config *config);

/* Opens the webhooks of config, which is borrowed. notice: tells a person something; called from any thread.
 * CRAWL_EINVAL, CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_webhooks_open(const crawl_config *config, void (*notice)(void *of, const char *words), void *of,
                           cw_webhooks **out, crawl_error *error);

/* Sends page.changed and wall.met for a record. Any thread may call it. */
void cw_webhooks_record(cw_webhooks *webhooks, const crawl_record *record);

/* Reports the end, waits a bounded time until all is sent, and ends the thread. stop: a descriptor that becomes
 * readable when the user will not wait; -1: never. Appends a line for the summary. */
void cw_webhooks_finish(cw_webhooks *webhooks, const crawl_engine_stats *stats, int status, int stop, crawl_buf *said);

void cw_webhooks_free(cw_webhooks *webhooks);
