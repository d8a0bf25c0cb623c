#include "crawler/engine/engine_state.h"

#include "base/bytes.h"
#include "base/error.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/engine_shared.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/steer.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/key.h"
#include "crawler/engine/scope/scope.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/visit/answer/dedupe.h"

#include <crawl/sys/explain.h>

static void on_ready(void *user)
{
    cw_engine_wake_one(user);
}

bool cw_engine_state_is_by_depth(const crawl_config *config)
{
    return config->depth > 0 && config->depth <= CRAWL_DEPTHS_MAX && !config->shared;
}

static crawl_frontier_options options_of(crawl_engine *engine)
{
    const crawl_config *config = engine->config;
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.order = config->order;
    options.by_depth = cw_engine_state_is_by_depth(config);
    options.seen = config->seen;
    options.pause_ms = config->delay_ms;
    options.per_host = cw_host_book_most_at_once(engine->hosts); /* the pacer enforces each host's own limit */
    options.confirm_start = true;
    options.max_queued = config->max_queued;
    options.max_hosts = config->max_hosts;
    options.on_ready = on_ready;
    options.user = engine;
    options.sync = config->state_sync;
    options.sync_ms = (uint32_t)config->state_sync_ms;
    options.sessions = config->shared ? 0 : engine->descriptors.sessions;
    options.kept_open = engine->descriptors.idle;
    options.window_bytes = config->state_queue_bytes;
    options.host_bytes = config->state_host_bytes;
    options.cache_bytes = config->state_cache_bytes;
    return options;
}

static crawl_err engine_state_open_directory(crawl_engine *engine, crawl_error *error)
{
    crawl_frontier_options options = options_of(engine);
    crawl_buf keys = {0};
    int64_t now = cw_engine_now(engine);
    crawl_err err = cw_scope_key_describe(engine->config, &engine->key, &keys);
    if (err)
        return cw_error(error, err);
    options.fingerprints = keys.data;
    err = crawl_frontier_open(engine->config->state, &options, now, &engine->frontier, error);
    crawl_buf_free(&keys);
    if (err)
        return err;
    crawl_frontier_stats_get(engine->frontier, now, &engine->before);
    engine->resumed = engine->before.accepted > 0;
    return CRAWL_OK;
}

/* Takes over what other processes have found: the targets of seeds' redirects, and hosts that want https. */
static void engine_state_on_notes(void *user)
{
    crawl_engine *engine = user;
    crawl_error error = {0};
    crawl_err err = cw_engine_state_recall_places(engine, &error);
    if (!err)
        err = cw_host_upgrade_recall(engine);
    if (err)
        cw_engine_fail(engine, err, "cannot read the notes of other processes");
}

static crawl_err engine_state_join(crawl_engine *engine, crawl_frontier_options *options, crawl_error *error)
{
    crawl_buf keys = {0};
    crawl_err err = cw_scope_key_describe(engine->config, &engine->key, &keys);
    if (err)
        return cw_error(error, err);
    options->fingerprints = keys.data;
    err = cw_engine_shared_join(engine, options, engine_state_on_notes, error);
    crawl_buf_free(&keys);
    return err;
}

crawl_err cw_engine_state_open(crawl_engine *engine, crawl_error *error)
{
    if (engine->config->state && engine->config->shared)
        return crawl_error_set(error, CRAWL_EINVAL, "state.directory and state.shared exclude each other");
    if (engine->config->state)
        return engine_state_open_directory(engine, error);
    crawl_frontier_options options = options_of(engine);
    if (engine->config->shared)
        return engine_state_join(engine, &options, error);
    return crawl_frontier_create(&options, &engine->frontier, error);
}

typedef struct place_recalling {
    crawl_engine *engine;
    crawl_url *url;
    crawl_err err;
} place_recalling;

/* The note is CW_ENGINE_PLACE_OF_SEED for a seed, whose host may be at a private address, and "r" for the target of a
 * seed's redirect. */
static bool engine_state_recall(crawl_slice name, crawl_slice note, void *user)
{
    place_recalling *r = user;
    size_t prefix = sizeof CRAWL_STATE_PLACES - 1;
    r->err = crawl_url_parse(r->url, crawl_slice_of(name.data + prefix, name.size - prefix), NULL, NULL);
    if (!r->err)
        r->err = cw_scope_add(r->engine->scope, r->url);
    if (!r->err && crawl_slice_equal(note, crawl_slice_from(CW_ENGINE_PLACE_OF_SEED)))
        r->err = cw_host_guard_name(r->engine->guard, r->url);
    if (!r->err && crawl_slice_equal(note, crawl_slice_from(CW_ENGINE_PLACE_OF_SEED)))
        r->err = cw_host_book_name(r->engine->hosts, r->url);
    if (r->err == CRAWL_EPARSE)
        r->err = CRAWL_ECORRUPT;
    return !r->err;
}

crawl_err cw_engine_state_recall_places(crawl_engine *engine, crawl_error *error)
{
    place_recalling r = {.engine = engine, .url = crawl_url_create()};
    crawl_err err = r.url ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err)
        err = crawl_frontier_notes(engine->frontier, crawl_slice_from(CRAWL_STATE_PLACES), engine_state_recall, &r);
    if (!err)
        err = r.err;
    crawl_url_free(r.url);
    if (err)
        return crawl_error_set(error, err, "the scope cannot be read: %s", crawl_strerror(err));
    return CRAWL_OK;
}

crawl_err cw_engine_state_recall_pages(crawl_engine *engine, crawl_error *error)
{
    if (engine->config->shared)
        cw_scope_trap_share(engine->trap, engine->frontier);
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_err err = cw_scope_trap_keep(engine->trap, engine->frontier);
    if (err)
        return crawl_error_set(error, err, "the counts of pages cannot be read: %s", crawl_strerror(err));
    err = engine->dedupe ? cw_visit_dedupe_keep(engine->dedupe, engine->frontier) : CRAWL_OK;
    return err ? crawl_error_set(error, err, "the bodies of pages cannot be read: %s", crawl_strerror(err)) : CRAWL_OK;
}

crawl_err cw_engine_state_flush(crawl_engine *engine)
{
    crawl_err err = cw_scope_trap_flush(engine->trap);
    return err || !engine->dedupe ? err : cw_visit_dedupe_flush(engine->dedupe);
}

crawl_err cw_engine_state_keep_place(crawl_engine *engine, const crawl_url *url, bool is_seed)
{
    if (!cw_engine_is_kept(engine))
        return CRAWL_OK;
    crawl_buf name = {0};
    crawl_buf before = {0};
    crawl_slice place = cw_scope_prefix(url);
    crawl_err err = crawl_buf_append_text(&name, CRAWL_STATE_PLACES);
    if (!err)
        err = crawl_buf_append(&name, place.data, place.size);
    if (!err)
        err = crawl_frontier_note_get(engine->frontier, crawl_buf_slice(&name), &before);
    bool stands =
        !err && (!is_seed || crawl_slice_equal(crawl_buf_slice(&before), crawl_slice_from(CW_ENGINE_PLACE_OF_SEED)));
    if (!stands && (!err || err == CRAWL_ABSENT))
        err = crawl_frontier_note_set(engine->frontier, crawl_buf_slice(&name),
                                      crawl_slice_from(is_seed ? CW_ENGINE_PLACE_OF_SEED : "r"));
    crawl_buf_free(&name);
    crawl_buf_free(&before);
    return err;
}

/* ---- hosts blocked by hand ---- */

crawl_err cw_engine_state_keep_block(crawl_engine *engine, crawl_slice origin, bool is_blocked)
{
    crawl_buf name = {0};
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_err err = crawl_buf_printf(&name, CRAWL_STATE_BLOCKS "%.*s", (int)origin.size, origin.data);
    if (!err)
        err =
            crawl_frontier_note_set(engine->frontier, crawl_buf_slice(&name), crawl_slice_from(is_blocked ? "b" : ""));
    crawl_buf_free(&name);
    return err;
}

typedef struct block_recalling {
    cw_host_table *hosts;
    crawl_err err;
} block_recalling;

/* A host beyond crawl.max_hosts has no gate; the frontier's block holds it. */
static bool engine_state_recall_block(crawl_slice name, crawl_slice, void *user)
{
    block_recalling *r = user;
    cw_host_record *host = NULL;
    size_t prefix = sizeof CRAWL_STATE_BLOCKS - 1;
    r->err = cw_host_table_get_named(r->hosts, crawl_slice_of(name.data + prefix, name.size - prefix), &host);
    if (!r->err)
        r->err = cw_host_steer_block(host, true);
    cw_host_record_release(host);
    if (r->err == CRAWL_FULL)
        r->err = CRAWL_OK;
    return !r->err;
}

crawl_err cw_engine_state_recall_blocks(crawl_engine *engine, crawl_error *error)
{
    block_recalling r = {.hosts = engine->host_table};
    crawl_err err = engine->config->state ? crawl_frontier_notes(engine->frontier, crawl_slice_from(CRAWL_STATE_BLOCKS),
                                                                 engine_state_recall_block, &r)
                                          : CRAWL_OK;
    err = err ? err : r.err;
    return err ? crawl_error_set(error, err, "the blocks of hosts cannot be read: %s", crawl_strerror(err)) : CRAWL_OK;
}

/* ---- the time of the last run ---- */

#define CLOCK_NOTE "#clock"

enum { CLOCK_SIZE = 8, CLOCK_EVERY_MS = 1000 /* a date may be farther away by this much after a kill */ };

crawl_err cw_engine_state_keep_clock(crawl_engine *engine, bool at_once)
{
    int64_t now = cw_engine_now(engine);
    if (!engine->config->state || (!at_once && now < engine->clock_kept_ms + CLOCK_EVERY_MS))
        return CRAWL_OK;
    char note[CLOCK_SIZE];
    cw_le_put(note, (uint64_t)now, CLOCK_SIZE);
    engine->clock_kept_ms = now;
    return crawl_frontier_note_set(engine->frontier, crawl_slice_from(CLOCK_NOTE), crawl_slice_of(note, CLOCK_SIZE));
}

crawl_err cw_engine_state_recall_clock(crawl_engine *engine, crawl_error *error)
{
    crawl_buf note = {0};
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_err err = crawl_frontier_note_get(engine->frontier, crawl_slice_from(CLOCK_NOTE), &note);
    if (!err && note.size == CLOCK_SIZE) {
        const char *at = note.data;
        int64_t ahead_ms = (int64_t)cw_le_get(&at, CLOCK_SIZE) - cw_engine_now(engine);
        engine->set_back_ms = ahead_ms > 0 ? ahead_ms : 0;
        engine->clock.offset_us += engine->set_back_ms * 1000;
    }
    crawl_buf_free(&note);
    return err && err != CRAWL_ABSENT
               ? crawl_error_set(error, err, "the time of the last run cannot be read: %s", crawl_strerror(err))
               : CRAWL_OK;
}

/* ---- notes of the engine's user ---- */

#define OWN_NOTE "#own "

static crawl_err name_own(crawl_slice name, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, OWN_NOTE);
    return err ? err : crawl_buf_append(out, name.data, name.size);
}

crawl_err crawl_engine_note_set(crawl_engine *engine, crawl_slice name, crawl_slice note)
{
    crawl_buf full = {0};
    if (!name.size)
        return CRAWL_EINVAL;
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_err err = name_own(name, &full);
    if (!err)
        err = crawl_frontier_note_set(engine->frontier, crawl_buf_slice(&full), note);
    crawl_buf_free(&full);
    return err;
}

typedef struct own_notes {
    bool (*each)(crawl_slice name, crawl_slice note, void *user);
    void *user;
} own_notes;

static bool give_own(crawl_slice name, crawl_slice note, void *user)
{
    const own_notes *own = user;
    size_t prefix = sizeof OWN_NOTE - 1;
    return own->each(crawl_slice_of(name.data + prefix, name.size - prefix), note, own->user);
}

crawl_err crawl_engine_notes(crawl_engine *engine, crawl_slice prefix,
                             bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    own_notes own = {each, user};
    crawl_buf full = {0};
    crawl_err err = engine->config->state ? name_own(prefix, &full) : CRAWL_OK;
    if (!err && full.size)
        err = crawl_frontier_notes(engine->frontier, crawl_buf_slice(&full), give_own, &own);
    crawl_buf_free(&full);
    return err;
}
