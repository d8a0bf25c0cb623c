#include "crawler/engine/engine_shared.h"

#include "base/error.h"
#include "base/files/file_read.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/steer.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/shared_agreement.h"
#include "crawler/engine/shared_cookies.h"

#include <crawl/sys/redis.h>
#include <crawl/sys/shared.h>
#include <stdlib.h>

/* ---- excluded settings ---- */

/* Refuses settings that one process would count, keep or judge for itself only, and so not as specified. */
static crawl_err engine_shared_refuse(const crawl_config *config, crawl_error *error)
{
    const struct {
        const char *key;
        bool is_set;
    } options[] = {
        {"seen.max_memory", config->seen.max_bytes > 0},
        {"seen.forget_after", config->forget_after_ms || config->forget_failed_after_ms},
        {"crawl.soft_404", config->soft_404},
        {"dedupe.kind = near", config->dedupe == CRAWL_DEDUPE_NEAR},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_set)
            return crawl_error_set(error, CRAWL_EINVAL, "%s: not supported in a shared crawl yet", options[i].key);
    return CRAWL_OK;
}

/* Without an explicit setting hosts are not limited: each one would have to be reported to Redis. */
static crawl_err limit_hosts(crawl_engine *engine, crawl_error *error)
{
    crawl_config plain;
    if (cw_config_init(&plain))
        return cw_error(error, CRAWL_ENOMEM);
    engine->shared_hosts = engine->config->max_hosts != plain.max_hosts ? engine->config->max_hosts : 0;
    cw_config_clear(&plain);
    return CRAWL_OK;
}

/* The spiders' fingerprints are Scrapy's, and only a set can be shared with them. */
static crawl_err check_layout(const crawl_config *config, crawl_error *error)
{
    bool fits = config->fingerprint != CRAWL_FINGERPRINT_DEFAULT && config->seen.kind == CRAWL_BLOOM_EXACT;
    if (config->redis_layout == CRAWL_REDIS_LAYOUT_CRAWL || fits)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "redis.layout = scrapy-redis needs seen.kind = exact, and seen.fingerprint = "
                           "scrapy-redis-0.8, or scrapy-2.6 for spiders of scrapy-redis before 0.8");
}

/* ---- calls from the frontier ---- */

static void engine_shared_on_words(void *user, const char *words)
{
    crawl_buf text = {0};
    if (crawl_buf_append_text(&text, words) == CRAWL_OK)
        cw_engine_notice(user, &text);
    crawl_buf_free(&text);
}

/* This process no longer has the host. */
static void on_leave(void *user, crawl_slice origin)
{
    crawl_engine *engine = user;
    cw_host_record *host = cw_host_table_find(engine->host_table, origin);
    if (host) {
        cw_host_handover_give(engine, host);
        cw_host_sites_leave(engine->sites, host);
    }
    cw_host_record_release(host);
    cw_host_table_leave(engine->host_table, origin);
}

static bool may_go(const cw_host_record *host)
{
    return cw_host_steer_is_plain(host) && !cw_host_sites_is_pending(host);
}

static void engine_shared_on_gone(void *user, cw_host_record *host)
{
    const crawl_engine *engine = user;
    cw_host_sites_forget(engine->sites, host);
}

void cw_engine_shared_forget_hosts(crawl_engine *engine)
{
    const cw_host_leaving leaving = {.may_go = may_go, .on_gone = engine_shared_on_gone, .user = engine};
    cw_host_table_let_go(engine->host_table, &leaving);
}

/* Does nothing before the engine runs, since nobody can be woken then. */
static void on_budget(void *user, crawl_shared_budget *budget)
{
    crawl_engine *engine = user;
    if (!atomic_load(&engine->runs))
        return;
    budget->max_pages = atomic_load(&engine->max_pages);
    budget->max_bytes = atomic_load(&engine->max_bytes);
    budget->used = atomic_load(&engine->tickets_used);
    budget->taken = atomic_load(&engine->tickets);
    budget->bytes = cw_engine_counted(&engine->counters.bytes);
    if (atomic_exchange(&engine->tickets_had, budget->had) < budget->had)
        cw_engine_wake(engine);
    if (budget->is_over)
        cw_engine_end(engine, CRAWL_END_MAX_PAGES);
    if (budget->max_bytes && budget->all_bytes >= budget->max_bytes)
        cw_engine_end(engine, CRAWL_END_MAX_BYTES);
}

static void on_report(void *user, crawl_shared_report *report)
{
    crawl_engine *engine = user;
    cw_engine_counters *counters = &engine->counters;
    report->pages = cw_engine_counted(&counters->pages);
    report->failures = cw_engine_counted(&counters->errors);
    report->bytes = cw_engine_counted(&counters->bytes);
    report->received = cw_engine_counted(&counters->wire_bytes);
    report->running = cw_engine_counted(&counters->running);
}

crawl_err crawl_engine_shared_crew(crawl_engine *engine, crawl_shared_crew *out)
{
    return crawl_frontier_shared_crew(engine->frontier, out);
}

crawl_slice crawl_engine_shared_name(const crawl_engine *engine)
{
    return crawl_frontier_shared_name(engine->frontier);
}

/* ---- joining ---- */

static crawl_err engine_shared_join(crawl_engine *engine, const crawl_frontier_options *options,
                                    void (*on_notes)(void *user), const crawl_redis_url *url, const char *password,
                                    crawl_error *error)
{
    bool made = false;
    crawl_error why = {0};
    cw_engine_agreement agreed = {0};
    crawl_shared_options shared;
    crawl_frontier_options own = *options;
    crawl_shared_options_init(&shared, sizeof shared);
    crawl_err err = cw_engine_agreement_make(engine->config, &agreed);
    shared.url = url;
    shared.password = password;
    shared.ca_file = engine->config->redis_ca_file;
    shared.name = url->values[0];
    shared.choices = agreed.choices;
    shared.choice_count = agreed.count;
    shared.dupefilter = engine->config->redis_layout == CRAWL_REDIS_LAYOUT_SCRAPY_REDIS;
    shared.replicas = engine->config->redis_replicas;
    shared.feeding = true;
    shared.bodies = engine->config->dedupe_max_pages;
    shared.by_runs = engine->config->revisit == CRAWL_REVISIT_DUE;
    shared.lease_ms = engine->config->shared_lease_ms;
    shared.on_words = engine_shared_on_words;
    shared.on_notes = on_notes;
    shared.on_budget = on_budget;
    shared.on_leave = on_leave;
    shared.on_report = on_report;
    shared.user = engine;
    cw_engine_shared_cookies_join(engine, &shared);
    own.max_hosts = 0;
    if (err)
        cw_error(&why, err);
    else
        err = crawl_frontier_join(&shared, &own, &engine->frontier, &made, &why);
    engine->resumed = !err && !made;
    cw_engine_agreement_free(&agreed);
    return err ? crawl_error_set(error, err, "%s: %s", engine->config->shared, why.message) : CRAWL_OK;
}

crawl_err cw_engine_shared_join(crawl_engine *engine, const crawl_frontier_options *options,
                                void (*on_notes)(void *user), crawl_error *error)
{
    crawl_redis_url url;
    char *password = NULL;
    crawl_err err = engine_shared_refuse(engine->config, error);
    if (!err)
        err = limit_hosts(engine, error);
    if (!err)
        err = check_layout(engine->config, error);
    if (!err)
        err = cw_engine_shared_url_read(engine->config, &url, &password, error);
    if (err)
        return err;
    err = engine_shared_join(engine, options, on_notes, &url, password, error);
    cw_secret_free(password);
    crawl_redis_url_free(&url);
    return err;
}

void cw_engine_shared_feed(crawl_engine *engine)
{
    if (engine->config->shared && engine->frontier)
        crawl_frontier_shared_feed(engine->frontier, !engine->ran || atomic_load(&engine->expects));
}

/* Longer than any answer takes, and short enough that waiting for the end does not look like a hang. */
enum { LOOK_MS = 2000 };

/* If Redis does not answer, the figures are some seconds old. */
void cw_engine_shared_look(crawl_engine *engine)
{
    (void)crawl_frontier_shared_look(engine->frontier, LOOK_MS);
}
