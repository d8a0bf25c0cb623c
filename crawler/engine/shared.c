/* See shared.h. */
#include "crawler/engine/shared.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/writer.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/cookies.h"
#include "crawler/engine/host/forget.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/key.h"
#include "crawler/engine/shared_cookies.h"
#include "crawler/engine/shared_url.h"

#include <crawl/explain.h>
#include <crawl/redis.h>
#include <crawl/shared.h>
#include <stdlib.h>

/* ---- what it cannot have ---- */

/* What one process would count, keep or judge for itself alone, and so not hold to as it is written. */
static crawl_err refuse(const crawl_config *config, crawl_error *error)
{
    crawl_config plain;
    if (crawl_config_init(&plain))
        return cw_error(error, CRAWL_ENOMEM);
    const struct {
        const char *key;
        bool is_set;
    } options[] = {
        {"crawl.max_queries", config->max_queries > 0},
        {"crawl.max_hosts", config->max_hosts != plain.max_hosts},
        {"seen.max_memory", config->seen.max_bytes > 0},
        {"seen.forget_after", config->forget_after_ms || config->forget_failed_after_ms},
        {"politeness.per_ip", config->per_ip},
        {"dedupe.kind = near", config->dedupe == CRAWL_DEDUPE_NEAR},
    };
    crawl_config_free(&plain);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_set)
            return crawl_error_set(error, CRAWL_EINVAL, "%s: a crawl that processes share does not have this yet",
                                   options[i].key);
    return CRAWL_OK;
}

/* The spiders' fingerprints are Scrapy's, and nothing but a set can be shared with them. */
static crawl_err check_layout(const crawl_config *config, crawl_error *error)
{
    bool fits = config->fingerprint != CRAWL_FINGERPRINT_DEFAULT && config->seen.kind == CRAWL_BLOOM_EXACT;
    if (config->redis_layout == CRAWL_REDIS_LAYOUT_CRAWL || fits)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "redis.layout = scrapy-redis wants seen.kind = exact, and seen.fingerprint = "
                           "scrapy-redis-0.8, or scrapy-2.6 for spiders of scrapy-redis before 0.8");
}

/* ---- what all agree on ---- */

enum { CHOICES = 15, DIGITS = 32 };

typedef struct agreement {
    crawl_shared_choice choices[CHOICES];
    size_t count;
    char digits[CHOICES][DIGITS];
    crawl_buf rules;
} agreement;

static void add_text(agreement *of, const char *name, crawl_slice value)
{
    of->choices[of->count++] = (crawl_shared_choice){crawl_slice_from(name), value};
}

static void add_number(agreement *of, const char *name, int64_t value)
{
    char *digits = of->digits[of->count];
    snprintf(digits, DIGITS, "%lld", (long long)value);
    add_text(of, name, crawl_slice_from(digits));
}

/* What belongs to the crawl, and how hosts are treated: were it not the same for all, what becomes of a page would hang
 * on who comes to it first. CRAWL_ENOMEM. */
static crawl_err agree(const crawl_config *config, agreement *out)
{
    static const char *const scopes[] = {"host", "domain", "prefix", "any"};
    const char *dedupe = config->follow_duplicates ? "exact" : "exact, not followed";
    cw_writer rules = {.out = &out->rules};
    for (size_t i = 0; i < config->rule_count; i++)
        cw_put_format(&rules, "%s%c %s", i ? "\n" : "", config->rules[i].include ? '+' : '-', config->rules[i].pattern);
    add_number(out, "depth", config->depth);
    add_text(out, "scope", crawl_slice_from(scopes[config->scope]));
    add_text(out, "include and exclude", crawl_buf_slice(&out->rules));
    add_number(out, "sitemaps", config->sitemaps);
    add_number(out, "requisites", config->requisites);
    add_number(out, "check_external", config->check_external);
    add_number(out, "follow", config->follow);
    add_number(out, "robots", config->robots);
    add_number(out, "delay", config->delay_ms);
    add_number(out, "per_host", config->per_host);
    add_number(out, "revisit", config->revisit);
    add_number(out, "lease", config->shared_lease_ms);
    add_text(out, "dedupe", crawl_slice_from(config->dedupe == CRAWL_DEDUPE_OFF ? "off" : dedupe));
    add_number(out, "cookies", cw_host_cookies_wanted(config));
    add_number(out, "max_cookies", cw_host_cookies_wanted(config) ? (int64_t)config->max_cookies : 0);
    return rules.err;
}

/* ---- and what a look from outside takes over of it ---- */

typedef enum form { FORM_TEXT, FORM_SWITCH, FORM_MS } form;

static const struct {
    const char *name, *key;
    form form;
} adopted[] = {
    {"depth", "crawl.depth", FORM_TEXT},
    {"scope", "crawl.scope", FORM_TEXT},
    {"sitemaps", "crawl.sitemaps", FORM_SWITCH},
    {"requisites", "crawl.requisites", FORM_SWITCH},
    {"check_external", "crawl.check_external", FORM_SWITCH},
    {"robots", "politeness.robots", FORM_SWITCH},
    {"delay", "politeness.delay", FORM_MS},
    {"per_host", "politeness.per_host", FORM_TEXT},
};

static crawl_err adopt_value(crawl_config *config, size_t index, crawl_slice value, crawl_error *error)
{
    crawl_buf text = {0};
    const char *unit = adopted[index].form == FORM_MS ? "ms" : "";
    if (adopted[index].form == FORM_SWITCH)
        value = crawl_slice_from(cw_is(value, "0") ? "false" : "true");
    crawl_err err = crawl_buf_printf(&text, "%.*s%s", (int)value.size, value.data, unit);
    err = err ? cw_error(error, err) : crawl_config_set(config, adopted[index].key, text.data, error);
    crawl_buf_free(&text);
    return err;
}

/* Lines of "+ PATTERN" and "- PATTERN". */
static crawl_err adopt_rules(crawl_config *config, crawl_slice value, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    crawl_buf pattern = {0};
    for (size_t i = 0; i < config->rule_count; i++)
        free(config->rules[i].pattern);
    config->rule_count = 0;
    while (value.size && !err) {
        const char *end = memchr(value.data, '\n', value.size);
        crawl_slice line = cw_take(&value, end ? (size_t)(end - value.data) : value.size);
        value = cw_drop(value, end ? 1 : 0);
        crawl_buf_clear(&pattern);
        err = crawl_buf_printf(&pattern, "%.*s", line.size > 2 ? (int)line.size - 2 : 0, line.data + 2);
        err =
            err ? cw_error(error, err)
                : crawl_config_set(config, *line.data == '+' ? "crawl.include" : "crawl.exclude", pattern.data, error);
    }
    crawl_buf_free(&pattern);
    return err;
}

static crawl_err check_keys(const crawl_config *config, crawl_slice theirs, crawl_error *error)
{
    cw_scope_key_rules rules = {0};
    crawl_buf ours = {0};
    crawl_err err = cw_scope_key_open(config, &rules, error);
    if (!err && cw_scope_key_describe(config, &rules, &ours))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err && !crawl_slice_equal(crawl_buf_slice(&ours), theirs))
        err = crawl_error_set(error, CRAWL_EINVAL, "the crawl was made with fingerprints = \"%.*s\", not \"%.*s\"",
                              (int)theirs.size, theirs.data, (int)ours.size, ours.data);
    crawl_buf_free(&ours);
    cw_scope_key_close(&rules);
    return err;
}

crawl_err crawl_shared_adopt(crawl_config *config, crawl_slice name, crawl_slice value, crawl_error *error)
{
    for (size_t i = 0; i < sizeof adopted / sizeof *adopted; i++)
        if (cw_is(name, adopted[i].name))
            return adopt_value(config, i, value, error);
    if (cw_is(name, "include and exclude"))
        return adopt_rules(config, value, error);
    return cw_is(name, "fingerprints") ? check_keys(config, value, error) : CRAWL_OK;
}

/* ---- what the frontier tells ---- */

static void on_words(void *user, const char *words)
{
    crawl_buf text = {0};
    if (crawl_buf_append_text(&text, words) == CRAWL_OK)
        cw_engine_notice(user, &text);
    crawl_buf_free(&text);
}

static void on_leave(void *user, crawl_slice origin)
{
    cw_host_forget(user, origin);
}

/* Once it runs, since nobody can be woken before. */
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

/* ---- joined ---- */

static crawl_err join(crawl_engine *engine, const crawl_frontier_options *options, void (*on_notes)(void *user),
                      const crawl_redis_url *url, const char *password, crawl_error *error)
{
    bool made = false;
    crawl_error why = {0};
    agreement agreed = {0};
    crawl_shared_options shared;
    crawl_frontier_options own = *options;
    crawl_shared_options_init(&shared, sizeof shared);
    crawl_err err = agree(engine->config, &agreed);
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
    shared.on_words = on_words;
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
    crawl_buf_free(&agreed.rules);
    return err ? crawl_error_set(error, err, "%s: %s", engine->config->shared, why.message) : CRAWL_OK;
}

crawl_err cw_engine_shared_join(crawl_engine *engine, const crawl_frontier_options *options,
                                void (*on_notes)(void *user), crawl_error *error)
{
    crawl_redis_url url;
    char *password = NULL;
    crawl_err err = refuse(engine->config, error);
    if (!err)
        err = check_layout(engine->config, error);
    if (!err)
        err = cw_engine_shared_url_read(engine->config, &url, &password, error);
    if (err)
        return err;
    err = join(engine, options, on_notes, &url, password, error);
    free(password);
    crawl_redis_url_free(&url);
    return err;
}

void cw_engine_shared_feed(crawl_engine *engine)
{
    if (engine->config->shared && engine->frontier)
        crawl_frontier_shared_feed(engine->frontier, !engine->ran || atomic_load(&engine->expects));
}

/* Longer than any answer takes, and not so long that who waits for the end would think that it hangs. */
enum { LOOK_MS = 2000 };

/* Where it cannot be had, the figures are those of some seconds ago. */
void cw_engine_shared_look(crawl_engine *engine)
{
    (void)crawl_frontier_shared_look(engine->frontier, LOOK_MS);
}
