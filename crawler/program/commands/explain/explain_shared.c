/* See command_explain.h. Asks the Redis server of a shared crawl what a directory would know: the places of the scope,
 * and for a URL its host, the seen-set, and its place in the queue. The options decided when the crawl was made
 * override those given, as they do for each joining process. */
#include "base/clock.h"
#include "base/date.h"
#include "config/config_values.h"
#include "crawler/program/commands/explain/command_explain.h"
#include "crawler/program/redis/remote.h"
#include "tools/common/refused_memory.h"

#include <crawl/sys/shared.h>
#include <event2/event.h>
#include <stdlib.h>

struct cw_explain_shared {
    cw_explain_world *world;
    crawl_config *config; /* receives the decided options */
    cw_remote *remote;
    crawl_shared_filter filter;
    cw_explain_url *url; /* present URL */
    /* Of the request under way: */
    crawl_err err;
    bool is_answered;
};

/* The connection's own patience is shorter. */
enum { PATIENCE_MS = 60000 };

static const char *explain_shared_name_of(const cw_explain_shared *shared)
{
    return cw_remote_url(shared->remote)->values[0];
}

/* Waits for the end of a request, which breaks the loop. err: why none was sent. */
static crawl_err wait_for_end(cw_explain_shared *shared, crawl_err err)
{
    shared->err = err;
    shared->is_answered = false;
    if (err)
        return err;
    cw_remote_run(shared->remote, PATIENCE_MS);
    return shared->is_answered ? shared->err
                               : crawl_error_set(&shared->world->error, CRAWL_ENET, "%s: it does not answer",
                                                 cw_remote_name(shared->remote));
}

/* Keeps the first error of a request. */
static void explain_shared_fail(cw_explain_shared *shared, crawl_err err, const char *words)
{
    if (!shared->err)
        shared->err = crawl_error_set(&shared->world->error, err, "%s, %s: %s", cw_remote_name(shared->remote),
                                      explain_shared_name_of(shared), words);
}

static void end_question(cw_explain_shared *shared)
{
    shared->is_answered = true;
    event_base_loopbreak(cw_remote_base(shared->remote));
}

/* ---- the crawl ---- */

static void explain_shared_on_viewed(void *user, crawl_err err, const crawl_error *error,
                                     const crawl_shared_picture *picture)
{
    cw_explain_shared *shared = user;
    crawl_error why = {0};
    if (err)
        explain_shared_fail(shared, err, error->message);
    for (size_t i = 0; !err && i < picture->decided_count; i++)
        if (crawl_shared_adopt(shared->config, picture->decided[i].name, picture->decided[i].value, &why))
            explain_shared_fail(shared, why.code, why.message);
    if (!err)
        shared->filter = picture->filter;
    end_question(shared);
}

crawl_err cw_explain_open_shared(cw_explain_world *world, crawl_config *config)
{
    static const char *const names[] = {"name", NULL};
    if (!config->shared)
        return CRAWL_OK;
    cw_explain_shared *shared = cw_tool_memory_take(sizeof *shared);
    *shared = (cw_explain_shared){.world = world, .config = config};
    world->shared = shared;
    world->now_ms = cw_wall_ms();
    crawl_err err = cw_remote_open(config->shared, names, config, &shared->remote, &world->error);
    if (err)
        return err;
    const crawl_shared_view_options options = {.size = sizeof options, .name = explain_shared_name_of(shared)};
    crawl_redis *redis = cw_remote_redis(shared->remote);
    return wait_for_end(shared, crawl_shared_view(redis, &options, explain_shared_on_viewed, shared, &world->error));
}

void cw_explain_close_shared(cw_explain_world *world)
{
    if (world->shared)
        cw_remote_close(world->shared->remote);
    free(world->shared);
    world->shared = NULL;
}

static void on_note(void *user, crawl_slice name, crawl_slice note)
{
    cw_explain_shared *shared = user;
    crawl_state_note read;
    crawl_err err = CRAWL_OK;
    if (crawl_state_note_read(name, note, &read) == CRAWL_STATE_PLACE)
        err = crawl_judge_place(shared->world->judge, read.place, read.of_seed);
    if (err)
        explain_shared_fail(shared, err, "its scope cannot be read");
}

static void on_notes_end(void *user, crawl_err err, const crawl_error *error)
{
    if (err)
        explain_shared_fail(user, err, error->message);
    end_question(user);
}

crawl_err cw_explain_take_shared_places(cw_explain_world *world)
{
    cw_explain_shared *shared = world->shared;
    if (!shared)
        return CRAWL_OK;
    return wait_for_end(shared, crawl_shared_notes(cw_remote_redis(shared->remote), explain_shared_name_of(shared),
                                                   on_note, on_notes_end, shared, &world->error));
}

/* ---- a URL ---- */

/* Copies the texts, which are borrowed for the call. */
static void explain_shared_keep(cw_explain_found *found, const crawl_shared_found *said)
{
    cw_tool_memory_must(crawl_buf_append(&found->note, said->note.data, said->note.size));
    cw_tool_memory_must(crawl_buf_append(&found->parent, said->request.parent.data, said->request.parent.size));
    cw_tool_memory_must(crawl_buf_append(&found->process, said->process.data, said->process.size));
    if (found->note.size)
        crawl_state_note_read(crawl_buf_slice(&found->origin), crawl_buf_slice(&found->note), &found->kept);
}

static void explain_shared_on_found(void *user, crawl_err err, const crawl_error *error, const crawl_shared_found *said)
{
    cw_explain_shared *shared = user;
    cw_explain_found *found = &shared->url->found;
    if (err) {
        explain_shared_fail(shared, err, error->message);
        end_question(shared);
        return;
    }
    shared->world->now_ms = said->now_ms;
    found->seen = said->is_seen;
    found->held = said->held;
    found->queued = said->where != CRAWL_SHARED_NOWHERE;
    found->is_held = said->where == CRAWL_SHARED_HELD;
    found->is_cut = !found->queued && !said->is_whole;
    found->before = said->before;
    found->depth = said->request.depth;
    found->attempt = said->request.attempt;
    found->visit = said->request.visit;
    found->due_ms = said->where == CRAWL_SHARED_DATED ? said->due_ms : INT64_MIN;
    found->has_host = said->has_host;
    found->host = said->host;
    found->host.origin = (crawl_slice){0};
    found->open_ms = said->open_ms;
    found->until_ms = said->until_ms;
    explain_shared_keep(found, said);
    end_question(shared);
}

crawl_err cw_explain_find_shared(cw_explain_world *world, cw_explain_url *url)
{
    cw_explain_shared *shared = world->shared;
    cw_explain_found_free(&url->found);
    crawl_err err = crawl_url_origin(url->url, &url->found.origin);
    if (err)
        return err;
    shared->url = url;
    return wait_for_end(shared,
                        crawl_shared_find(cw_remote_redis(shared->remote), explain_shared_name_of(shared),
                                          &shared->filter, crawl_buf_slice(&url->found.origin), &url->rules.fingerprint,
                                          explain_shared_on_found, shared, &world->error));
}

/* ---- the checks ---- */

cw_explain_verdict cw_explain_shared_seen(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    bool is_exact = world->shared->filter.is_exact;
    return cw_explain_seen_in(world, url, is_exact ? CRAWL_BLOOM_EXACT : CRAWL_BLOOM_SCALABLE, rule);
}

cw_explain_verdict cw_explain_shared_host(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    const cw_explain_found *found = &url->found;
    cw_explain_verdict verdict = cw_explain_host(world, url, rule);
    if (found->process.size)
        cw_put_format(rule, "; worker %.*s has it until %s, or longer if it stays alive", (int)found->process.size,
                      found->process.data, cw_date_or_end(found->until_ms).text);
    return verdict;
}
