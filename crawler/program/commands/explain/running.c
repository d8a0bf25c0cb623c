/* Facts about a URL and its host, from the engine of a running crawl. */
#include "crawler/program/commands/explain/command_explain.h"
#include "crawler/program/summary/units.h"

#include <inttypes.h>

static cw_explain_verdict running_fail(cw_writer *rule, crawl_err err)
{
    rule->err = err;
    return CW_EXPLAIN_UNKNOWN;
}

static crawl_err running_origin_of(const cw_explain_url *url, crawl_buf *storage, crawl_slice *out)
{
    return crawl_href_origin(crawl_url_request(url->url), storage, out);
}

static cw_explain_verdict say_robots(const crawl_robots_state *state, int64_t now_ms, cw_writer *rule)
{
    bool has_expired = state->expires_ms && state->expires_ms <= now_ms;
    if (!state->is_allowed) {
        cw_put_format(rule, "%s", state->words);
        return CW_EXPLAIN_REFUSE;
    }
    if (has_expired && !state->is_asked)
        return cw_explain_say_expired(state->expires_ms, rule);
    switch (has_expired ? CRAWL_HOST_ROBOTS_UNKNOWN : state->robots) {
    case CRAWL_HOST_ROBOTS_RULES:
        cw_put_format(rule, "robots.txt allows it");
        return CW_EXPLAIN_PASS;
    case CRAWL_HOST_ROBOTS_ABSENT:
        cw_put_format(rule, "there is no robots.txt");
        return CW_EXPLAIN_PASS;
    default:
        cw_put_text(rule, state->is_asked ? "robots.txt is being fetched" : "robots.txt was not fetched yet");
        return CW_EXPLAIN_UNKNOWN;
    }
}

cw_explain_verdict cw_explain_running_robots(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    crawl_buf storage = {0};
    crawl_buf text = {0};
    crawl_slice origin = {0};
    crawl_robots_state state = {.is_allowed = true};
    crawl_err err = running_origin_of(url, &storage, &origin);
    if (!err)
        err = crawl_engine_robots(world->engine, origin, url->url, &state, &text);
    crawl_buf_free(&storage);
    crawl_buf_free(&text);
    return err && err != CRAWL_ABSENT ? running_fail(rule, err) : say_robots(&state, world->now_ms, rule);
}

cw_explain_verdict cw_explain_running_seen(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (crawl_engine_seen(world->engine, &url->rules.fingerprint) == CRAWL_EXISTS) {
        cw_put_format(rule, "found before: it is queued, in flight, or done");
        return CW_EXPLAIN_UNKNOWN;
    }
    cw_put_format(rule, "not found so far");
    return CW_EXPLAIN_PASS;
}

/* Appends the reason that keeps the host from being asked; nothing if there is none. */
static void running_say_held(const crawl_host_pace *pace, cw_writer *rule)
{
    if (pace->is_blocked) {
        cw_put_text(rule, CW_EXPLAIN_BLOCKED);
    } else if (pace->held_by) {
        crawl_buf time = {0};
        cw_program_duration(&time, pace->held_us / 1000);
        cw_put_format(rule, "held for %s: %s", time.data ? time.data : "a while", pace->held_by);
        if (pace->failures)
            cw_put_format(rule, ", %u failures in a row", pace->failures);
        crawl_buf_free(&time);
    }
}

static cw_explain_verdict running_say_queue(const cw_explain_world *world, crawl_slice origin, cw_writer *rule)
{
    crawl_held_host queue = {.queued = 0};
    crawl_host_pace pace = {0};
    size_t before = cw_writer_size(rule);
    bool is_known = crawl_engine_host_get(world->engine, origin, &queue) == CRAWL_OK;
    if (crawl_engine_host_pace(world->engine, origin, &pace) == CRAWL_OK)
        running_say_held(&pace, rule);
    if (cw_writer_size(rule) > before)
        return CW_EXPLAIN_WAIT;
    if (is_known)
        cw_put_format(rule, "%" PRIu64 " requests queued", queue.queued);
    else
        cw_put_format(rule, "unknown: none of its URLs was queued so far");
    return CW_EXPLAIN_PASS;
}

cw_explain_verdict cw_explain_running_host(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    crawl_buf storage = {0};
    crawl_buf note = {0};
    crawl_slice origin = {0};
    crawl_state_note last = {.kind = CRAWL_STATE_OTHER};
    crawl_err err = running_origin_of(url, &storage, &origin);
    if (err)
        return running_fail(rule, err);
    cw_explain_verdict verdict = running_say_queue(world, origin, rule);
    err = crawl_engine_host_wall(world->engine, origin, &last, &note);
    if (!err)
        cw_explain_say_wall(url, &last, rule);
    crawl_buf_free(&note);
    crawl_buf_free(&storage);
    return err && err != CRAWL_ABSENT ? running_fail(rule, err) : verdict;
}
