/* See command_explain.h. Reads the facts of a directory of --state: the places of the scope, the robots.txt and
 * requested dates of each site, the seen-set, and the queue. It does not open the directory as a queue, so that a crawl
 * may work in it meanwhile. */
#include "config/config_values.h"
#include "crawler/program/commands/explain/command_explain.h"

#include "base/clock.h"
#include "base/date.h"
#include "tools/common/refused_memory.h"

#include <crawl/preferences.h>
#include <inttypes.h>

typedef struct places {
    cw_explain_world *world;
    crawl_err err;
} places;

static bool explain_state_take_place(crawl_slice name, crawl_slice note, void *user)
{
    places *p = user;
    crawl_state_note read;
    if (crawl_state_note_read(name, note, &read) == CRAWL_STATE_PLACE)
        p->err = crawl_judge_place(p->world->judge, read.place, read.of_seed);
    return !p->err;
}

crawl_err cw_explain_open_state(cw_explain_world *world)
{
    places p = {.world = world};
    if (!world->config->state)
        return CRAWL_OK;
    world->now_ms = cw_wall_ms();
    cw_tool_memory_begin_disk();
    crawl_err err = crawl_frontier_view_open(world->config->state, &world->view, &world->error);
    if (!err)
        err = crawl_frontier_view_forget_due(world->view, world->now_ms, &world->error);
    if (!err)
        err = crawl_frontier_view_notes(world->view, crawl_slice_from(CRAWL_STATE_PLACES), explain_state_take_place, &p,
                                        &world->error);
    if (!err && p.err)
        err = crawl_error_set(&world->error, p.err, "the scope cannot be read: %s", crawl_strerror(p.err));
    return err;
}

/* --- a URL --- */

typedef struct search {
    cw_explain_url *url;
    crawl_err err;
} search;

static bool look_at_request(const crawl_lease *request, int64_t due_ms, void *user)
{
    search *s = user;
    cw_explain_found *found = &s->url->found;
    if (request->urgent ||
        memcmp(request->fingerprint.bytes, s->url->rules.fingerprint.bytes, CRAWL_FINGERPRINT_SIZE) != 0) {
        found->before++;
        return true;
    }
    found->queued = true;
    found->depth = request->depth;
    found->attempt = request->attempt;
    found->visit = request->visit;
    found->due_ms = due_ms;
    if (!crawl_state_lastmod(request->memo, &found->lastmod_ms))
        found->lastmod_ms = 0;
    s->err = crawl_buf_append(&found->parent, request->parent.data, request->parent.size);
    return false;
}

typedef struct kept_note {
    crawl_slice name;
    crawl_buf *bytes;
    crawl_state_note *read;
    crawl_err err;
} kept_note;

static bool look_at_note(crawl_slice name, crawl_slice bytes, void *user)
{
    kept_note *note = user;
    if (!crawl_slice_equal(name, note->name))
        return true; /* of another origin with the same beginning */
    note->err = crawl_buf_append(note->bytes, bytes.data, bytes.size);
    if (!note->err)
        crawl_state_note_read(name, crawl_buf_slice(note->bytes), note->read);
    return false;
}

/* Reads the note named prefix and origin, if there is one. */
static crawl_err find_note(cw_explain_world *world, const char *prefix, crawl_slice origin, crawl_buf *bytes,
                           crawl_state_note *read)
{
    crawl_buf name = {0};
    kept_note note = {.bytes = bytes, .read = read};
    crawl_err err = crawl_buf_printf(&name, "%s%.*s", prefix, (int)origin.size, origin.data);
    note.name = crawl_buf_slice(&name);
    if (!err)
        err = crawl_frontier_view_notes(world->view, note.name, look_at_note, &note, &world->error);
    crawl_buf_free(&name);
    return err ? err : note.err;
}

static crawl_err find_block(cw_explain_world *world, crawl_slice origin, bool *is_blocked)
{
    crawl_buf bytes = {0};
    crawl_state_note read = {.kind = CRAWL_STATE_OTHER};
    crawl_err err = find_note(world, CRAWL_STATE_BLOCKS, origin, &bytes, &read);
    *is_blocked = read.kind == CRAWL_STATE_BLOCK;
    crawl_buf_free(&bytes);
    return err;
}

crawl_err cw_explain_find(cw_explain_world *world, cw_explain_url *url)
{
    cw_explain_found *found = &url->found;
    search s = {.url = url};
    if (!world->view)
        return CRAWL_OK;
    cw_explain_found_free(found);
    crawl_err err = crawl_url_origin(url->url, &found->origin);
    crawl_slice origin = crawl_buf_slice(&found->origin);
    if (!err)
        err = crawl_frontier_view_requests(world->view, origin, look_at_request, &s, &world->error);
    err = err ? err : s.err;
    if (!err)
        err = find_note(world, "", origin, &found->note, &found->kept);
    if (!err)
        err = find_note(world, CRAWL_STATE_WALLS, origin, &found->wall_note, &found->wall);
    if (!err)
        err = find_block(world, origin, &found->is_blocked);
    if (err)
        return err;
    err = crawl_frontier_view_host(world->view, origin, &found->host, &world->error);
    found->has_host = !err;
    if (err && err != CRAWL_ABSENT)
        return err;
    err = crawl_frontier_view_seen(world->view, &url->rules.fingerprint, &found->held, &world->error);
    found->seen = err == CRAWL_EXISTS;
    return found->seen || err == CRAWL_ABSENT ? CRAWL_OK : err;
}

void cw_explain_found_free(cw_explain_found *found)
{
    crawl_buf_free(&found->parent);
    crawl_buf_free(&found->origin);
    crawl_buf_free(&found->note);
    crawl_buf_free(&found->wall_note);
    crawl_buf_free(&found->process);
    *found = (cw_explain_found){0};
}

/* --- the checks --- */

/* Returns the earliest time at which a queued request can leave: the requests ahead start a pause apart, and none
 * before the block ends. */
static int64_t explain_state_soonest(const cw_explain_world *world, const cw_explain_found *found)
{
    const crawl_frontier_host *host = &found->host;
    int64_t pause_ms = host->pause_ms < 0 ? world->config->delay_ms : host->pause_ms;
    int64_t at = world->now_ms;
    int64_t wait;
    if (host->started_ms != INT64_MIN && host->started_ms + pause_ms > at)
        at = host->started_ms + pause_ms;
    if (host->blocked_ms > at && host->blocked_ms != CRAWL_FOREVER)
        at = host->blocked_ms;
    if (found->open_ms > at)
        at = found->open_ms;
    if (__builtin_mul_overflow((int64_t)found->before, pause_ms, &wait) || __builtin_add_overflow(at, wait, &at))
        return CRAWL_FOREVER;
    return found->due_ms > at ? found->due_ms : at;
}

/* Returns true if the request may be under way. Leases are not recorded: a request under way keeps its place. */
static bool may_be_out(const cw_explain_world *world, const cw_explain_found *found)
{
    return world->view && !crawl_frontier_view_summary(world->view)->clean && found->due_ms == INT64_MIN &&
           found->before < world->config->per_host;
}

static void explain_state_say_queued(const cw_explain_world *world, const cw_explain_found *found, cw_writer *rule)
{
    int64_t at = explain_state_soonest(world, found);
    cw_put_format(rule, "queued");
    if (found->visit > 1)
        cw_put_format(rule, " for visit %" PRIu32, found->visit);
    cw_put_format(rule, ", attempt %" PRIu32, found->attempt);
    if (found->is_held)
        cw_put_format(rule, ", in flight or about to be: worker %.*s has it", (int)found->process.size,
                      found->process.data);
    else
        cw_put_format(rule, ", behind %" PRIu64 " of its host", found->before);
    if (found->lastmod_ms)
        cw_put_format(rule, ", due because the sitemap's lastmod %s is later than the last visit",
                      cw_date_or_end(found->lastmod_ms).text);
    if (!found->is_held && at > world->now_ms)
        cw_put_format(rule, ", not before %s", cw_date_or_end(at).text);
    if (may_be_out(world, found))
        cw_put_format(rule, ", or in flight (which is not recorded)");
    if (found->parent.size)
        cw_put_format(rule, ", found on %.*s", (int)found->parent.size, found->parent.data);
}

static bool explain_state_can_forget(crawl_bloom_kind kind)
{
    return crawl_bloom_kind_forgets(kind) || kind == CRAWL_BLOOM_ROTATING;
}

/* Says which filter holds the URL, and its probability of a false positive. */
static void explain_state_say_filter(crawl_bloom_kind kind, const crawl_bloom_found *held, cw_writer *rule)
{
    if (held->filters > 1)
        cw_put_format(rule, "held by %s %u of %u", kind == CRAWL_BLOOM_ROTATING ? "generation" : "filter",
                      held->filter + 1, held->filters);
    else
        cw_put_format(rule, "held by the filter");
    cw_put_format(rule, ", chance of error %.2g", held->fpr);
}

cw_explain_verdict cw_explain_seen_in(const cw_explain_world *world, const cw_explain_url *url, crawl_bloom_kind kind,
                                      cw_writer *rule)
{
    const cw_explain_found *found = &url->found;
    if (found->queued) {
        explain_state_say_queued(world, found, rule);
        return found->due_ms > world->now_ms ? CW_EXPLAIN_WAIT : CW_EXPLAIN_PASS;
    }
    if (!found->seen) {
        cw_put_format(rule, explain_state_can_forget(kind) ? "not seen before, or forgotten" : "not seen before");
        return CW_EXPLAIN_PASS;
    }
    cw_put_format(rule, found->is_cut ? "seen before, and done unless it is far behind in the queue of its host; "
                                      : "seen before, and done: fetched or refused; ");
    explain_state_say_filter(kind, &found->held, rule);
    return found->is_cut ? CW_EXPLAIN_UNKNOWN : CW_EXPLAIN_REFUSE;
}

cw_explain_verdict cw_explain_seen(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    return cw_explain_seen_in(world, url, crawl_frontier_view_summary(world->view)->seen.kind, rule);
}

/* Appends what robots.txt says about the use of the page by AI. */
static void explain_state_say_uses(const crawl_robots *robots, const crawl_url *url, cw_writer *rule)
{
    if (!crawl_robots_speaks_of_use(robots))
        return;
    crawl_preferences *uses = crawl_preferences_create(NULL);
    if (!uses || crawl_preferences_add_robots(uses, robots, url) || crawl_preferences_finish(uses))
        rule->err = rule->err ? rule->err : CRAWL_ENOMEM;
    for (size_t i = 0; uses && i < crawl_preferences_count(uses); i++) {
        const crawl_statement one = crawl_preferences_statement(uses, i);
        cw_put_format(rule, "%s%.*s=%.*s (line %u)", i ? ", " : "; of its use: ", (int)one.label.size, one.label.data,
                      (int)one.value.size, one.value.data, one.line);
    }
    crawl_preferences_free(uses);
}

cw_explain_verdict cw_explain_ask_robots(const cw_explain_world *world, const cw_explain_url *url,
                                         const crawl_robots *robots, const char *name, cw_writer *rule)
{
    crawl_robots_verdict answer = crawl_robots_check(robots, url->url);
    if (answer.err)
        rule->err = answer.err;
    else if (answer.line)
        cw_put_format(rule, "%s:%u: %.*s", name, answer.line, (int)answer.rule.size, answer.rule.data);
    else
        cw_put_format(rule, "%s: %s for %s", name, answer.allowed ? "no rule" : "too many rules",
                      world->config->robots_agent);
    if (answer.allowed)
        explain_state_say_uses(robots, url->url, rule);
    return answer.allowed ? CW_EXPLAIN_PASS : CW_EXPLAIN_REFUSE;
}

static cw_explain_verdict judge_rules(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    crawl_robots *robots = NULL;
    rule->err = crawl_robots_parse(url->found.kept.text, crawl_slice_from(world->config->robots_agent), &robots);
    if (rule->err)
        return CW_EXPLAIN_UNKNOWN;
    cw_explain_verdict verdict = cw_explain_ask_robots(world, url, robots, "robots.txt", rule);
    crawl_robots_free(robots);
    return verdict;
}

cw_explain_verdict cw_explain_say_expired(int64_t expired_ms, cw_writer *rule)
{
    cw_put_format(rule, "robots.txt will be fetched again: its rules were valid until %s",
                  cw_date_or_end(expired_ms).text);
    return CW_EXPLAIN_UNKNOWN;
}

cw_explain_verdict cw_explain_kept_robots(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    const crawl_state_note *kept = &url->found.kept;
    if (kept->robots != CRAWL_HOST_ROBOTS_UNKNOWN && kept->robots_expires_ms <= world->now_ms)
        return cw_explain_say_expired(kept->robots_expires_ms, rule);
    switch (kept->robots) {
    case CRAWL_HOST_ROBOTS_RULES:
        return judge_rules(world, url, rule);
    case CRAWL_HOST_ROBOTS_ABSENT:
        cw_put_format(rule, "there is no robots.txt");
        return CW_EXPLAIN_PASS;
    case CRAWL_HOST_ROBOTS_REFUSED:
        cw_put(rule, kept->text);
        return CW_EXPLAIN_REFUSE;
    default:
        cw_put_format(rule, "robots.txt was not fetched yet");
        return CW_EXPLAIN_UNKNOWN;
    }
}

void cw_explain_say_wall(const cw_explain_url *url, const crawl_state_note *last, cw_writer *rule)
{
    if (last->kind != CRAWL_STATE_WALL)
        return;
    bool is_here = crawl_slice_equal(last->wall_url, crawl_url_request(url->url));
    cw_put_format(rule, "; its last wall, on %s at ", cw_date_or_end(last->wall_ms).text);
    cw_put(rule, is_here ? crawl_slice_from("this URL") : last->wall_url);
    cw_put_format(rule, ": %.*s", (int)last->wall.size, last->wall.data);
}

static cw_explain_verdict explain_state_judge_host(const cw_explain_world *world, const cw_explain_url *url,
                                                   cw_writer *rule)
{
    const crawl_state_note *kept = &url->found.kept;
    int64_t blocked_ms = url->found.has_host ? url->found.host.blocked_ms : INT64_MIN;
    if (url->found.is_blocked) {
        cw_put_text(rule, CW_EXPLAIN_BLOCKED);
        return CW_EXPLAIN_WAIT;
    }
    if (kept->away_until_ms > world->now_ms) {
        cw_put_format(rule, "asked us to stay away until %s, longer than politeness.max_retry_delay",
                      cw_date_or_end(kept->away_until_ms).text);
        return CW_EXPLAIN_REFUSE;
    }
    if (blocked_ms != CRAWL_FOREVER && kept->hold_until_ms > world->now_ms) {
        cw_put_format(rule, "asked us not to come before %s (Retry-After, or a quota)",
                      cw_date_or_end(kept->hold_until_ms).text);
        return CW_EXPLAIN_WAIT;
    }
    if (blocked_ms != CRAWL_FOREVER && blocked_ms > world->now_ms) {
        cw_put_format(rule, "blocked until %s: it failed several times in a row", cw_date_or_end(blocked_ms).text);
        return CW_EXPLAIN_WAIT;
    }
    cw_put_format(rule, "%s",
                  kept->kind != CRAWL_STATE_HOST && !url->found.has_host ? "was never asked"
                  : blocked_ms == CRAWL_FOREVER                          ? "waits for its robots.txt"
                                                                         : "may be asked");
    return CW_EXPLAIN_PASS;
}

cw_explain_verdict cw_explain_host(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    cw_explain_verdict verdict = explain_state_judge_host(world, url, rule);
    cw_explain_say_wall(url, &url->found.wall, rule);
    return verdict;
}
