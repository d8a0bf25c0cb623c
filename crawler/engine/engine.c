/* The engine as a whole: creates its parts, runs its threads, and takes it apart. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/thread.h"
#include "config/config_values.h"
#include "crawler/engine/descriptors.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/engine_load.h"
#include "crawler/engine/engine_shared.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/cookies.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/probes.h"
#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/host/walled.h"
#include "crawler/engine/links/intake.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/reserve.h"
#include "crawler/engine/scope/keep.h"
#include "crawler/engine/scope/scope.h"
#include "crawler/engine/scope/sessions.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/scope/variants.h"
#include "crawler/engine/shared_cookies.h"
#include "crawler/engine/visit/again/asked.h"
#include "crawler/engine/visit/again/revisits.h"
#include "crawler/engine/visit/answer/claims.h"
#include "crawler/engine/visit/answer/dedupe.h"
#include "crawler/engine/visit/preprocess/preprocess_visit.h"
#include "crawler/engine/visit/receipts.h"
#include "crawler/engine/worker.h"

#include <stdlib.h>
#include <unistd.h>

static unsigned workers_wanted(const crawl_config *config)
{
    unsigned workers = config->workers ? config->workers : cw_engine_processors();
    return workers < config->connections ? workers : config->connections;
}

/* Calls the hook for notices if fewer connections can be used than were asked for. */
static void engine_say_held(crawl_engine *engine)
{
    const cw_engine_descriptors *share = &engine->descriptors;
    crawl_buf words = {0};
    if (share->connections < engine->config->connections &&
        !crawl_buf_printf(&words, "using %u connections instead of %u: this process may open %u files (ulimit -n)",
                          share->connections, engine->config->connections, share->limit))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

/* Returns true if everything left is for later dates, and nothing is under way, to be saved or to be watched. A shared
 * crawl, or one that expects more, may get requests from others. */
static bool only_dates_are_left(crawl_engine *engine, crawl_frontier_binding *binding)
{
    bool may_be = !engine->config->shared && !atomic_load(&engine->expects) && cw_engine_takes_parts(engine) &&
                  cw_host_cookies_are_saved(engine);
    crawl_frontier_binding_get(engine->frontier, cw_engine_now(engine), binding);
    for (int i = 0; i < CRAWL_STANDING_COUNT; i++)
        may_be = may_be && (i == CRAWL_STANDING_DATED || !binding->hosts[i]);
    return may_be && !binding->leased;
}

/* Returns how long no tick is needed, in milliseconds; 0: ticks continue as usual. */
static int64_t doze_ms(crawl_engine *engine)
{
    crawl_frontier_binding binding;
    int64_t now_ms = cw_engine_now(engine);
    int64_t limit_ms = atomic_load(&engine->max_time_ms);
    int64_t until_ms = limit_ms ? atomic_load(&engine->started_ms) + limit_ms : CRAWL_FOREVER;
    atomic_store(&engine->dozes, true); /* before the look, so that any lease it does not see ends the doze */
    if (only_dates_are_left(engine, &binding))
        return cw_least(cw_least(until_ms, binding.due_ms) - now_ms, atomic_load(&engine->tick_ms));
    atomic_store(&engine->dozes, false);
    return 0;
}

/* Called on the thread of worker 0; returns doze_ms. That is computed first, so that visits that have ended by then are
 * flushed here. */
static int64_t engine_on_tick(crawl_engine *engine)
{
    int64_t ms = doze_ms(engine);
    cw_engine_watch_time(engine);
    cw_host_cookies_tick(engine);
    cw_engine_load_look(engine, ms > 0);
    crawl_err err = cw_engine_state_flush(engine);
    if (!err)
        err = cw_engine_state_keep_clock(engine, false);
    if (err)
        cw_engine_fail(engine, err, "cannot store the bodies, queries and time of the crawl");
    err = engine->hooks.on_tick ? engine->hooks.on_tick(engine->hooks.user, engine) : CRAWL_OK;
    if (err)
        cw_engine_fail(engine, err, "");
    return ms;
}

static crawl_err create_workers(crawl_engine *engine, crawl_error *error)
{
    unsigned wanted = workers_wanted(engine->config);
    uint64_t bodies = engine->config->body_memory_bytes;
    crawl_err err = CRAWL_OK;
    unsigned connections = engine->descriptors.connections;
    engine->processors = cw_engine_processors();
    atomic_store(&engine->connections, connections);
    atomic_store(&engine->active, wanted);
    engine->workers = calloc(wanted, sizeof *engine->workers);
    engine->wakers = calloc(wanted, sizeof *engine->wakers);
    if (!engine->workers || !engine->wakers)
        return cw_error(error, CRAWL_ENOMEM);
    for (; engine->waker_count < wanted; engine->waker_count++)
        engine->wakers[engine->waker_count].fd = -1;
    for (unsigned i = 0; i < wanted; i++) {
        const cw_visit_maker_share share = {
            .connections = cw_engine_part_of(connections, i, wanted),
            .handles = connections / cw_engine_reserve_few(wanted, engine->processors) + 1,
            .idle = cw_engine_part_of(engine->descriptors.idle, i, wanted),
            .body_bytes = bodies ? bodies / wanted + 1 : 0,
        };
        err = cw_engine_worker_create(engine, i, &share, i == 0 ? engine_on_tick : NULL, &engine->workers[i], error);
        if (err)
            return err;
        engine->worker_count++;
    }
    return CRAWL_OK;
}

static crawl_err create_sites(crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    const cw_host_sites_options options = {
        .kept = cw_engine_is_kept(engine) ? engine->frontier : NULL,
        .agent = config->robots_agent,
        .max_bytes = config->state_site_bytes,
        .asks_tdmrep = config->respect != 0,
    };
    engine->host_table = cw_host_table_create(config->shared ? 0 : config->max_hosts);
    engine->sites = cw_host_sites_create(&options);
    if (!engine->host_table || !engine->sites)
        return cw_error(error, CRAWL_ENOMEM);
    if (config->shared)
        cw_engine_shared_forget_hosts(engine);
    return CRAWL_OK;
}

static crawl_err engine_check(const crawl_config *config, crawl_error *error)
{
    if (config->robots && !crawl_robots_agent_valid(crawl_slice_from(config->robots_agent)))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "politeness.robots_agent = %s: expected a product token of letters, - and _",
                               config->robots_agent ? config->robots_agent : "");
    return cw_visit_revisits_check(config, error);
}

/* Creates the memory of earlier bodies. */
static crawl_err create_dedupe(crawl_engine *engine)
{
    if (engine->config->dedupe == CRAWL_DEDUPE_OFF)
        return CRAWL_OK;
    crawl_err err = cw_visit_dedupe_create(engine->config, &engine->dedupe);
    if (err || !engine->config->shared)
        return err;
    engine->claims = cw_visit_claims_create();
    return engine->claims ? CRAWL_OK : CRAWL_ENOMEM;
}

/* Creates the parts that do not depend on the crawl. */
static crawl_err create_tools(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = cw_host_guard_create(engine->config, &engine->guard, error);
    if (err)
        return err;
    engine->names = crawl_name_cache_create();
    engine->rate = crawl_fetch_rate_create(engine->config->rate_limit);
    engine->load = cw_engine_load_create();
    engine->receipts = cw_visit_receipts_create();
    engine->asked = cw_visit_asked_create();
    bool all = engine->names && engine->rate && engine->load && engine->receipts && engine->asked;
    if (!all || cw_scope_trap_create(engine->config, &engine->trap) ||
        cw_scope_sessions_create(engine->config, &engine->sessions) ||
        cw_scope_variants_create(engine->config, &engine->variants) || create_dedupe(engine))
        return cw_error(error, CRAWL_ENOMEM);
    return CRAWL_OK;
}

/* Reads the configuration's rules for hosts and URLs. */
static crawl_err read_rules(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = crawl_config_complete(engine->config, error);
    if (!err)
        err = cw_host_book_create(engine->config, &engine->hosts, error);
    if (!err)
        cw_scope_trap_set_hosts(engine->trap, engine->hosts);
    if (!err)
        err = cw_scope_create(engine->config, &engine->scope, error);
    if (!err)
        err = cw_scope_keep_create("keep", &engine->config->keep, &engine->config->keep_types, &engine->keep, error);
    if (!err && engine->config->render)
        err = cw_scope_keep_create("render.pages", &engine->config->render_pages, NULL, &engine->rendered, error);
    if (!err)
        err = cw_visit_preprocessors_create(engine->config, &engine->preprocessors, error);
    if (!err)
        err = cw_scope_key_open(engine->config, &engine->key, error);
    return err ? err : crawl_config_rules(engine->config, &engine->rules, error);
}

/* Opens the frontier, and what is kept beside it. */
static crawl_err open_state(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = cw_engine_state_open(engine, error);
    if (!err)
        err = cw_engine_state_recall_clock(engine, error);
    if (!err)
        err = cw_engine_state_recall_places(engine, error);
    if (!err)
        err = cw_engine_state_recall_pages(engine, error);
    if (!err)
        err = cw_host_cookies_open(engine, error);
    if (!err)
        err = cw_engine_shared_cookies_open(engine, error);
    return err ? err : cw_host_upgrade_open(engine, error);
}

static crawl_err create_parts(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = engine_check(engine->config, error);
    if (!err)
        err = create_tools(engine, error);
    if (!err)
        err = read_rules(engine, error);
    if (!err)
        err = cw_engine_descriptors_share(engine->config, workers_wanted(engine->config), engine->open_before,
                                          &engine->descriptors, error);
    if (!err)
        err = open_state(engine, error);
    if (!err)
        err = create_sites(engine, error);
    if (!err && cw_host_pacing_create(engine))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = cw_engine_state_recall_blocks(engine, error);
    if (!err)
        engine->intake = cw_links_intake_create(engine);
    if (!err && !engine->intake)
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err && engine->config->render)
        err = cw_renders_create(engine, &engine->renders, error);
    return err ? err : create_workers(engine, error);
}

/* The engine writes no files: a setting that names one is refused, so that nobody waits for a file in vain. The
 * settings that an output of <crawl/output.h> carries out do not reach the engine. */
static crawl_err refuse_outputs(const crawl_config *config, crawl_error *error)
{
    const struct {
        const char *key, *value;
    } written_by_others[] = {
        {"output.output", config->output},
        {"output.links", config->links},
        {"output.requests", config->requests},
        {"output.bodies", config->bodies},
        {"output.mirror", config->mirror},
        {"output.screenshots", config->screenshots},
        {"output.report", config->program.report},
        {"output.sitemap", config->program.sitemap},
        {"output.warc", config->warc},
        {"output.wacz", config->program.wacz},
        {"output.fields", config->fields},
        {"output.log", config->program.log},
        {"live.listen", config->program.listen},
        {"upload.url", config->program.upload},
        {"webhook.url", config->program.webhooks.count ? config->program.webhooks.items[0] : NULL},
    };
    for (size_t i = 0; i < sizeof written_by_others / sizeof *written_by_others; i++)
        if (written_by_others[i].value)
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "%s = %s: crawl_engine_create writes no files and does not listen; use crawl_output_engine_create "
                "to write records, links, requests, fields, bodies, the copy and the archive",
                written_by_others[i].key, written_by_others[i].value);
    return CRAWL_OK;
}

crawl_err crawl_engine_create(const crawl_config *config, const crawl_engine_hooks *hooks, crawl_engine **out,
                              crawl_error *error)
{
    crawl_err refused = refuse_outputs(config, error);
    if (refused)
        return refused;
    crawl_engine_hooks own = {.size = sizeof own};
    if (hooks && !cw_sized_copy(&own, sizeof own, hooks))
        return cw_sized_refused(hooks, sizeof own, "crawl_engine_hooks", error);
    crawl_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return cw_error(error, CRAWL_ENOMEM);
    engine->config = config;
    atomic_init(&engine->max_pages, config->max_pages);
    atomic_init(&engine->max_time_ms, config->max_time_ms);
    atomic_init(&engine->tick_ms, config->program.progress_ms);
    atomic_init(&engine->max_bytes, config->max_bytes);
    engine->open_before = cw_engine_descriptors_open();
    engine->clock = cw_clock_start();
    engine->hooks = own;
    atomic_init(&engine->end, CRAWL_END_RUNNING);
    pthread_mutex_init(&engine->failure_lock, NULL);
    pthread_mutex_init(&engine->idle_lock, NULL);
    pthread_mutex_init(&engine->connections_lock, NULL);
    cw_links_faults_init(&engine->sitemap_faults);
    crawl_err err = create_parts(engine, error);
    if (err) {
        crawl_engine_free(engine);
        return err;
    }
    engine_say_held(engine);
    *out = engine;
    return CRAWL_OK;
}

static void free_wakers(crawl_engine *engine)
{
    for (unsigned i = 0; i < engine->waker_count; i++)
        if (engine->wakers[i].fd >= 0)
            close(engine->wakers[i].fd);
    free(engine->wakers);
}

crawl_err crawl_engine_close(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (!engine)
        return err;
    for (unsigned i = 0; i < engine->worker_count; i++)
        cw_engine_worker_free(engine->workers[i]);
    free(engine->workers);
    cw_renders_free(engine->renders);
    cw_links_intake_free(engine->intake);
    if (engine->ran)
        err = cw_host_cookies_save(engine, error);
    cw_host_cookie_saver_free(engine->cookies);
    if (engine->trap && engine->frontier)
        (void)cw_engine_state_flush(engine); /* a failed frontier reports that when it is closed */
    if (engine->frontier && engine->ran)
        (void)cw_engine_state_keep_clock(engine, true); /* likewise */
    if (engine->frontier && engine->ran)
        cw_host_walled_lift(engine->walled, engine->frontier, cw_engine_now(engine));
    if (engine->frontier) {
        crawl_err closed = crawl_frontier_close(engine->frontier, err ? NULL : error);
        err = err ? err : closed;
    }
    if (engine->ran && !err)
        err = cw_engine_shared_cookies_save(engine, error);
    free_wakers(engine);
    crawl_jar_free(engine->jar);
    cw_host_hsts_free(engine->hsts);
    cw_host_book_free(engine->hosts);
    cw_scope_free(engine->scope);
    cw_scope_keep_free(engine->keep);
    cw_scope_keep_free(engine->rendered);
    cw_visit_preprocessors_free(engine->preprocessors);
    cw_scope_key_close(&engine->key);
    crawl_rules_free(engine->rules);
    cw_host_sites_free(engine->sites);
    cw_host_guard_free(engine->guard);
    crawl_name_cache_free(engine->names);
    crawl_fetch_rate_free(engine->rate);
    cw_host_pacer_free(engine->pacer);
    cw_host_walled_free(engine->walled);
    cw_host_probes_free(engine->probes);
    cw_host_table_free(engine->host_table);
    cw_scope_trap_free(engine->trap);
    cw_scope_sessions_free(engine->sessions);
    cw_scope_variants_free(engine->variants);
    cw_visit_dedupe_free(engine->dedupe);
    cw_visit_receipts_free(engine->receipts);
    cw_visit_asked_free(engine->asked);
    cw_visit_claims_free(engine->claims);
    pthread_mutex_destroy(&engine->failure_lock);
    pthread_mutex_destroy(&engine->idle_lock);
    pthread_mutex_destroy(&engine->connections_lock);
    cw_links_faults_free(&engine->sitemap_faults);
    cw_engine_load_free(engine->load);
    free(engine);
    return err;
}

void crawl_engine_free(crawl_engine *engine)
{
    crawl_engine_close(engine, NULL);
}

static void *worker_thread(void *user)
{
    cw_engine_worker_run(user);
    return NULL;
}

static void run_workers(crawl_engine *engine)
{
    for (unsigned i = 1; i < engine->worker_count; i++) {
        cw_engine_worker *worker = engine->workers[i];
        worker->has_thread = cw_thread_start(&worker->thread, worker_thread, worker) == 0;
        if (!worker->has_thread)
            cw_engine_fail(engine, CRAWL_ENOMEM, "no thread for another worker");
    }
    cw_engine_worker_run(engine->workers[0]);
    for (unsigned i = 1; i < engine->worker_count; i++)
        if (engine->workers[i]->has_thread)
            pthread_join(engine->workers[i]->thread, NULL);
}

crawl_err crawl_engine_run(crawl_engine *engine, crawl_error *error)
{
    if (engine->ran)
        return crawl_error_set(error, CRAWL_ESTATE, "an engine can run only once");
    engine->ran = true;
    cw_engine_shared_feed(engine); /* its seeds are in */
    atomic_store(&engine->started_ms, cw_engine_now(engine));
    atomic_store(&engine->runs, true);
    cw_engine_load_look(engine, false);
    if (engine->renders && cw_renders_run(engine->renders))
        cw_engine_fail(engine, CRAWL_ENOMEM, "no thread for rendering pages");
    run_workers(engine);
    atomic_store(&engine->ended_ms, cw_engine_now(engine));
    cw_engine_shared_look(engine);
    if (error && engine->failure.code)
        *error = engine->failure;
    return engine->failure.code;
}

/* ---- control by the embedder ---- */

void crawl_engine_tick(crawl_engine *engine)
{
    cw_engine_waker_ring(&engine->wakers[0]);
}

void crawl_engine_set_interval(crawl_engine *engine, int64_t ms)
{
    atomic_store(&engine->tick_ms, ms);
    crawl_engine_tick(engine);
}

void crawl_engine_stop(crawl_engine *engine)
{
    cw_engine_end(engine, CRAWL_END_STOPPED);
}

void crawl_engine_pause(crawl_engine *engine)
{
    atomic_store(&engine->paused, true);
    crawl_engine_tick(engine);
}

void crawl_engine_resume(crawl_engine *engine)
{
    if (atomic_exchange(&engine->paused, false))
        cw_engine_wake(engine);
}

void crawl_engine_hold(crawl_engine *engine, bool held)
{
    if (atomic_exchange(&engine->held, held) && !held)
        cw_engine_wake(engine);
}

void crawl_engine_expect(crawl_engine *engine, bool more)
{
    bool expected = atomic_exchange(&engine->expects, more);
    cw_engine_shared_feed(engine);
    if (expected && !more)
        cw_engine_wake(engine);
}

/* A worker may get none, but never worker 0. */
unsigned crawl_engine_set_connections(crawl_engine *engine, unsigned connections)
{
    unsigned most = engine->descriptors.most;
    unsigned set = connections == 0 ? 1 : connections < most ? connections : most;
    cw_engine_reserve_share(engine, set);
    return set;
}
