/* The engine as a whole: its parts, its threads, how it ends, and its figures. */
#include "crawler/engine/engine.h"

#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/descriptors.h"
#include "crawler/engine/host/cookies.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/host_rules.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/intake.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/links/sitemap_faults.h"
#include "crawler/engine/links/trap.h"
#include "crawler/engine/load.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/state.h"
#include "crawler/engine/visit/dedupe.h"
#include "crawler/engine/visit/revisits.h"
#include "crawler/engine/worker.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const class_names[CRAWL_CLASS_COUNT] = {
    [CRAWL_CLASS_DNS] = "dns",
    [CRAWL_CLASS_CONNECT] = "connect",
    [CRAWL_CLASS_TLS] = "tls",
    [CRAWL_CLASS_TIMEOUT] = "timeout",
    [CRAWL_CLASS_RESET] = "reset",
    [CRAWL_CLASS_PROTOCOL] = "protocol",
    [CRAWL_CLASS_TOO_LARGE] = "too-large",
    [CRAWL_CLASS_PRIVATE] = "private",
    [CRAWL_CLASS_LOCAL] = "local",
    [CRAWL_CLASS_ROBOTS] = "robots",
    [CRAWL_CLASS_SCOPE] = "scope",
    [CRAWL_CLASS_REDIRECTS] = "redirects",
    [CRAWL_CLASS_RETRY_AFTER] = "retry-after",
    [CRAWL_CLASS_LIMIT] = "limit",
    [CRAWL_CLASS_GIVEN_UP] = "given-up",
    [CRAWL_CLASS_PORT] = "port",
    [CRAWL_CLASS_REFUSED] = "refused",
};

const char *crawl_error_class_name(crawl_error_class error_class)
{
    return (unsigned)error_class < CRAWL_CLASS_COUNT ? class_names[error_class] : "";
}

bool cw_engine_ended(crawl_engine *engine)
{
    return atomic_load(&engine->end) != CRAWL_END_RUNNING;
}

void cw_engine_wake(crawl_engine *engine, bool all)
{
    for (unsigned i = 0; i < engine->worker_count; i++) {
        bool waiting = atomic_exchange(&engine->workers[i]->waiting, false);
        if (waiting || all)
            cw_worker_wake(engine->workers[i]);
    }
}

void cw_engine_watch_time(crawl_engine *engine)
{
    int64_t limit_ms = engine->config->max_time_ms;
    if (limit_ms && cw_engine_now(engine) - atomic_load(&engine->started_ms) >= limit_ms)
        cw_engine_end(engine, CRAWL_END_MAX_TIME);
}

void cw_engine_notice(crawl_engine *engine, const crawl_buf *words)
{
    if (engine->hooks.on_notice && words->size)
        engine->hooks.on_notice(engine->hooks.user, engine, words->data);
}

static void say_stopped(crawl_engine *engine, const crawl_filter_rule *pattern, crawl_slice url)
{
    crawl_buf words = {0};
    if (!crawl_buf_printf(
            &words,
            "crawl.%s = %s: a match takes too many steps and is stopped; such URLs are left out, the first is %.*s",
            pattern->include ? "include" : "exclude", pattern->pattern, (int)url.size, url.data))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

bool cw_engine_passes(crawl_engine *engine, cw_scope_reader *reader, crawl_slice canonical)
{
    const crawl_filter_rule *stopped;
    bool passes = cw_scope_passes(reader, canonical, &stopped);
    if (stopped && atomic_fetch_add(&engine->counters.patterns_stopped, 1) == 0)
        say_stopped(engine, stopped, canonical);
    return passes;
}

/* Called from signal handlers too: atomics and write alone. */
void cw_engine_end(crawl_engine *engine, crawl_end how)
{
    int running = CRAWL_END_RUNNING;
    if (atomic_compare_exchange_strong(&engine->end, &running, (int)how))
        cw_engine_wake(engine, true);
}

/* Of a frontier that has failed, its own words are the better ones. */
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words)
{
    crawl_error why = {0};
    bool is_frontier =
        (err == CRAWL_EIO || err == CRAWL_ECORRUPT) && crawl_frontier_failure(engine->frontier, &why) == err;
    pthread_mutex_lock(&engine->failure_lock);
    if (!engine->failure.code && is_frontier)
        crawl_error_set(&engine->failure, err, "%s: %.400s", engine->config->state, why.message);
    else if (!engine->failure.code)
        crawl_error_set(&engine->failure, err, "%s%s%s", words, *words ? ": " : "", crawl_strerror(err));
    pthread_mutex_unlock(&engine->failure_lock);
    atomic_store(&engine->end, CRAWL_END_FAILED);
    cw_engine_wake(engine, true);
}

/* Under max_pages each page takes a ticket right before it is asked for and gives it back if no answer comes, so that
 * exactly that many are answered. */
bool cw_engine_has_tickets(crawl_engine *engine)
{
    uint64_t limit = engine->config->max_pages;
    return limit == 0 || atomic_load(&engine->tickets) < limit;
}

bool cw_engine_take_ticket(crawl_engine *engine)
{
    uint64_t limit = engine->config->max_pages;
    if (limit == 0 || atomic_fetch_add(&engine->tickets, 1) < limit)
        return true;
    atomic_fetch_sub(&engine->tickets, 1);
    return false;
}

void cw_engine_return_ticket(crawl_engine *engine)
{
    uint64_t limit = engine->config->max_pages;
    if (limit && atomic_fetch_sub(&engine->tickets, 1) >= limit)
        cw_engine_wake(engine, true); /* whoever stopped for want of one */
}

/* Under a lock, so that the threads that find nothing left ask the hook once. */
void cw_engine_drained(crawl_engine *engine)
{
    pthread_mutex_lock(&engine->idle_lock);
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    if (engine->hooks.on_idle && stats.queued + stats.leased == 0 && !cw_engine_ended(engine)) {
        crawl_err err = engine->hooks.on_idle(engine->hooks.user, engine);
        if (err)
            cw_engine_fail(engine, err, "");
        crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    }
    pthread_mutex_unlock(&engine->idle_lock);
    if (stats.queued + stats.leased == 0)
        cw_engine_end(engine, CRAWL_END_DRAINED);
    else
        cw_engine_wake(engine, true);
}

/* And no lease is out but so many, which are of such visits. */
static bool only_visits_are_left(crawl_engine *engine, uint64_t leased)
{
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    return stats.leased <= leased && stats.queued == stats.revisits;
}

void cw_engine_waits(crawl_engine *engine, int64_t wait_ms)
{
    int64_t now = cw_engine_now(engine);
    atomic_store(&engine->next_ms, wait_ms < CRAWL_FOREVER - now ? now + wait_ms : CRAWL_FOREVER);
    if (!engine->config->revisit && engine->before.revisits && only_visits_are_left(engine, 0))
        cw_engine_end(engine, CRAWL_END_DRAINED);
}

bool cw_engine_wants_visit(crawl_engine *engine)
{
    /* Counted after its lease came and until before it ends, so that no other lease is taken for one of these. */
    uint64_t out = atomic_fetch_add(&engine->visits_out, 1) + 1;
    if (engine->config->revisit || !only_visits_are_left(engine, out))
        return true;
    cw_engine_end(engine, CRAWL_END_DRAINED);
    return false;
}

static unsigned workers_wanted(const crawl_config *config)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned workers = config->workers ? config->workers : cores > 0 ? (unsigned)cores : 1;
    return workers < config->connections ? workers : config->connections;
}

/* Of what is shared by so many workers. */
static unsigned part_of(unsigned whole, unsigned i, unsigned count)
{
    return whole / count + (i < whole % count);
}

/* Where descriptors are fewer than connections. */
static void say_held(crawl_engine *engine)
{
    const cw_descriptors *share = &engine->descriptors;
    crawl_buf words = {0};
    if (share->connections < engine->config->connections &&
        !crawl_buf_printf(&words, "%u connections are used in place of %u: this process may open %u files (ulimit -n)",
                          share->connections, engine->config->connections, share->limit))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

static crawl_err create_workers(crawl_engine *engine, crawl_error *error)
{
    unsigned wanted = workers_wanted(engine->config);
    uint64_t bodies = engine->config->body_memory_bytes;
    crawl_err err = cw_descriptors_share(engine->config, wanted, engine->open_before, &engine->descriptors, error);
    if (err)
        return err;
    engine->workers = calloc(wanted, sizeof *engine->workers);
    if (!engine->workers)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    for (unsigned i = 0; i < wanted; i++) {
        const cw_worker_share share = {
            .connections = part_of(engine->descriptors.connections, i, wanted),
            .idle = part_of(engine->descriptors.idle, i, wanted),
            .body_bytes = bodies ? bodies / wanted + 1 : 0,
        };
        err = cw_worker_create(engine, i, &share, &engine->workers[i], error);
        if (err)
            return err;
        engine->worker_count++;
    }
    return CRAWL_OK;
}

static crawl_err create_sites(crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    const cw_sites_options options = {
        .kept = config->state ? engine->frontier : NULL,
        .agent = config->robots_agent,
        .max_bytes = config->state_site_bytes,
    };
    engine->host_table = cw_host_table_create(config->max_hosts);
    engine->sites = cw_sites_create(&options);
    return engine->host_table && engine->sites
               ? CRAWL_OK
               : crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
}

static crawl_err create_parts(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = cw_revisits_check(engine->config, error);
    if (err)
        return err;
    if (engine->config->robots && !crawl_robots_agent_valid(crawl_slice_from(engine->config->robots_agent)))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "politeness.robots_agent = %s: expected a product token of letters, - and _",
                               engine->config->robots_agent ? engine->config->robots_agent : "");
    err = cw_guard_create(engine->config, &engine->guard, error);
    if (err)
        return err;
    engine->names = crawl_name_cache_create();
    if (!engine->names || cw_trap_create(engine->config, &engine->trap))
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    if (engine->config->dedupe != CRAWL_DEDUPE_OFF && cw_dedupe_create(engine->config, &engine->dedupe))
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    err = crawl_config_complete(engine->config, error);
    if (!err)
        err = cw_host_book_create(engine->config, &engine->hosts, error);
    if (!err)
        cw_trap_set_hosts(engine->trap, engine->hosts);
    if (!err)
        err = cw_scope_create(engine->config, &engine->scope, error);
    if (!err)
        err = cw_key_open(engine->config, &engine->key, error);
    if (!err)
        err = cw_state_open(engine, error);
    if (!err)
        err = cw_state_recall_clock(engine, error);
    if (!err)
        err = cw_state_recall_places(engine, error);
    if (!err)
        err = cw_state_recall_pages(engine, error);
    if (!err)
        err = cw_cookies_open(engine, error);
    if (!err)
        err = cw_upgrade_open(engine, error);
    if (!err)
        err = create_sites(engine, error);
    if (!err && (cw_pacing_create(engine) || cw_intake_create(engine)))
        err = crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    return err ? err : create_workers(engine, error);
}

/* What names an output is not for the engine: who took it for done would lose what he asked for. */
static crawl_err refuse_outputs(const crawl_config *config, crawl_error *error)
{
    const struct {
        const char *key, *value;
    } served_by_the_program[] = {
        {"output.output", config->output}, {"output.links", config->links}, {"output.requests", config->requests},
        {"output.bodies", config->bodies}, {"output.warc", config->warc},   {"live.listen", config->listen},
    };
    for (size_t i = 0; i < sizeof served_by_the_program / sizeof *served_by_the_program; i++)
        if (served_by_the_program[i].value)
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "%s = %s: the engine writes no files and listens nowhere: the program does, by hooks",
                served_by_the_program[i].key, served_by_the_program[i].value);
    return CRAWL_OK;
}

crawl_err crawl_engine_create(const crawl_config *config, const crawl_engine_hooks *hooks, crawl_engine **out,
                              crawl_error *error)
{
    crawl_err refused = refuse_outputs(config, error);
    if (refused)
        return refused;
    crawl_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    engine->config = config;
    engine->open_before = cw_descriptors_open();
    engine->clock = cw_clock_start();
    if (hooks)
        engine->hooks = *hooks;
    atomic_init(&engine->end, CRAWL_END_RUNNING);
    pthread_mutex_init(&engine->failure_lock, NULL);
    pthread_mutex_init(&engine->idle_lock, NULL);
    cw_sitemap_faults_init(&engine->sitemap_faults);
    cw_load_init(&engine->load);
    pthread_mutex_init(&engine->intake.lock, NULL);
    crawl_err err = create_parts(engine, error);
    if (err) {
        crawl_engine_free(engine);
        return err;
    }
    say_held(engine);
    *out = engine;
    return CRAWL_OK;
}

crawl_err crawl_engine_close(crawl_engine *engine, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (!engine)
        return err;
    for (unsigned i = 0; i < engine->worker_count; i++)
        cw_worker_free(engine->workers[i]);
    free(engine->workers);
    cw_intake_free(engine);
    if (engine->ran)
        err = cw_cookies_save(engine, error);
    if (engine->trap && engine->frontier)
        (void)cw_state_flush(engine); /* a frontier that has failed says so when it is closed */
    if (engine->frontier && engine->ran)
        (void)cw_state_keep_clock(engine, true); /* likewise */
    if (engine->frontier) {
        crawl_err closed = crawl_frontier_close(engine->frontier, err ? NULL : error);
        err = err ? err : closed;
    }
    crawl_jar_free(engine->jar);
    cw_hsts_free(engine->hsts);
    cw_host_book_free(engine->hosts);
    cw_scope_free(engine->scope);
    cw_key_close(&engine->key);
    cw_sites_free(engine->sites);
    cw_guard_free(engine->guard);
    crawl_name_cache_free(engine->names);
    cw_pacer_free(engine->pacer);
    cw_host_table_free(engine->host_table);
    cw_trap_free(engine->trap);
    cw_dedupe_free(engine->dedupe);
    pthread_mutex_destroy(&engine->failure_lock);
    pthread_mutex_destroy(&engine->idle_lock);
    cw_sitemap_faults_free(&engine->sitemap_faults);
    cw_load_free(&engine->load);
    free(engine);
    return err;
}

void crawl_engine_free(crawl_engine *engine)
{
    crawl_engine_close(engine, NULL);
}

static void *worker_thread(void *user)
{
    cw_worker_run(user);
    return NULL;
}

static void run_workers(crawl_engine *engine)
{
    for (unsigned i = 1; i < engine->worker_count; i++) {
        cw_worker *worker = engine->workers[i];
        worker->has_thread = pthread_create(&worker->thread, NULL, worker_thread, worker) == 0;
        if (!worker->has_thread)
            cw_engine_fail(engine, CRAWL_ENOMEM, "no thread for another worker");
    }
    cw_worker_run(engine->workers[0]);
    for (unsigned i = 1; i < engine->worker_count; i++)
        if (engine->workers[i]->has_thread)
            pthread_join(engine->workers[i]->thread, NULL);
}

crawl_err crawl_engine_run(crawl_engine *engine, crawl_error *error)
{
    if (engine->ran)
        return crawl_error_set(error, CRAWL_ESTATE, "an engine runs once");
    engine->ran = true;
    atomic_store(&engine->started_ms, cw_engine_now(engine));
    cw_load_look(engine);
    run_workers(engine);
    atomic_store(&engine->ended_ms, cw_engine_now(engine));
    if (error && engine->failure.code)
        *error = engine->failure;
    return engine->failure.code;
}

void crawl_engine_stop(crawl_engine *engine)
{
    cw_engine_end(engine, CRAWL_END_STOPPED);
}

unsigned cw_engine_allowed(const crawl_engine *engine)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < engine->worker_count; i++)
        sum += atomic_load_explicit(&engine->workers[i]->allowed, memory_order_relaxed);
    return sum;
}

void cw_engine_names(const crawl_engine *engine, crawl_fetcher_stats *out)
{
    *out = (crawl_fetcher_stats){0};
    for (unsigned i = 0; i < engine->worker_count; i++) {
        crawl_fetcher_stats stats;
        crawl_fetcher_stats_get(engine->workers[i]->fetcher, &stats);
        out->waiting_for_names += stats.waiting_for_names;
        out->names_asked += stats.names_asked;
        out->names_cached += stats.names_cached;
        out->names_failed += stats.names_failed;
        out->body_bytes += stats.body_bytes;
        out->bodies_waiting += stats.bodies_waiting;
    }
}

/* Till there is something to ask for again; negative: not known. */
static int64_t next_of(const crawl_engine *engine)
{
    int64_t next = atomic_load(&engine->next_ms), now = cw_engine_now(engine);
    if (next == 0 || next == CRAWL_FOREVER)
        return -1;
    return next > now ? next - now : 0;
}

/* Their sum. */
static uint64_t read_edges(atomic_uint_fast64_t *counters, uint64_t *out)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < CRAWL_EDGE_COUNT; i++)
        sum += out[i] = cw_counted(&counters[i]);
    return sum;
}

void crawl_engine_stats_get(crawl_engine *engine, crawl_engine_stats *out)
{
    cw_counters *counters = &engine->counters;
    int64_t started = atomic_load(&engine->started_ms);
    int64_t ended = atomic_load(&engine->ended_ms);
    *out = (crawl_engine_stats){
        .end = (crawl_end)atomic_load(&engine->end),
        .opened_us = engine->epoch_us + engine->opened_us,
        .now_us = engine->epoch_us + cw_now_us(),
        .workers = engine->worker_count,
        .set_back_ms = engine->set_back_ms,
        .elapsed_ms = started ? (ended ? ended : cw_engine_now(engine)) - started : 0,
        .pages = cw_counted(&counters->pages),
        .bytes = cw_counted(&counters->bytes),
        .wire_bytes = cw_counted(&counters->wire_bytes),
        .patterns_stopped = cw_counted(&counters->patterns_stopped),
        .errors = cw_counted(&counters->errors),
        .retries = cw_counted(&counters->retries),
        .robots = cw_counted(&counters->robots),
        .robots_cut = cw_counted(&counters->robots_cut),
        .links_cut = cw_counted(&counters->links_cut),
        .sitemaps = cw_counted(&counters->sitemaps),
        .duplicates = cw_counted(&counters->duplicates),
        .near_duplicates = cw_counted(&counters->near_duplicates),
        .visits = cw_counted(&counters->visits),
        .changed = cw_counted(&counters->changed),
        .unchanged = cw_counted(&counters->unchanged),
        .not_modified = cw_counted(&counters->not_modified),
        .gone = cw_counted(&counters->gone),
        .next_ms = next_of(engine),
        .running = cw_counted(&counters->running),
        .connections = cw_engine_allowed(engine),
        .no_socket = cw_counted(&counters->no_socket),
    };
    for (size_t i = 0; i < 6; i++)
        out->status[i] = cw_counted(&counters->status[i]);
    out->links = read_edges(counters->edges, out->edges);
    out->sitemap_urls = read_edges(counters->sitemap_edges, out->sitemap_edges);
    for (int i = CRAWL_TRAP_NONE + 1; i < CRAWL_TRAP_COUNT; i++) {
        crawl_edge_verdict verdict = cw_edge_of_trap((crawl_trap)i);
        out->traps[i] = cw_counted(&counters->traps[i]) + out->edges[verdict] + out->sitemap_edges[verdict];
    }
    for (size_t i = 0; i < CRAWL_CLASS_COUNT; i++)
        out->error_classes[i] = cw_counted(&counters->error_classes[i]);
    cw_sitemap_faults_read(&engine->sitemap_faults, out);
    cw_engine_names(engine, &out->names);
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &out->frontier);
    cw_load_read(&engine->load, &out->bound);
    out->resumed = engine->resumed;
    out->before = engine->before;
}
