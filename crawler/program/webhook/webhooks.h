/* Webhooks of a crawl (--webhook): what happens in it is told to the servers that the user names, by Standard Webhooks
 * 1.0.0. A thread of its own sends; the crawl never waits for it but at its end, for a bounded time. */
#pragma once

#include "config/config_values.h"

#include <crawl/engine.h>

/* How long the end of a crawl waits for messages; of one that was stopped, or is then. */
#define CW_WEBHOOKS_PATIENCE_MS 30000
#define CW_WEBHOOKS_STOPPED_MS 5000

typedef struct cw_webhooks cw_webhooks;

/* Refuses targets that cannot be asked, and a missing secret. The exit status, after a message. */
int cw_webhooks_check(const crawl_config *config);

/* config is borrowed. notice: tells a person something; called from any thread. CRAWL_EINVAL, CRAWL_EIO, CRAWL_ENOMEM.
 */
crawl_err cw_webhooks_open(const crawl_config *config, void (*notice)(void *of, const char *words), void *of,
                           cw_webhooks **out, crawl_error *error);

/* For the hook of an engine: page.changed and wall.met. From any thread. */
void cw_webhooks_record(cw_webhooks *webhooks, const crawl_record *record);

/* Tells of the end, waits until all is sent, or not any longer, and ends the thread. stop: a descriptor that is
 * readable when the user has no patience; -1: never. Appends a line for the summary. */
void cw_webhooks_finish(cw_webhooks *webhooks, const crawl_engine_stats *stats, int status, int stop, crawl_buf *said);

void cw_webhooks_free(cw_webhooks *webhooks);
