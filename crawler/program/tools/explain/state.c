/* See explain.h. What a directory of --state knows: the places of the scope, of each site its robots.txt and the dates
 * it asked for, the seen-set, the queue. It is looked into and not opened, so that the crawl may work there
 * meanwhile. */
#include "base/clock.h"
#include "crawler/program/tools/explain/explain.h"
#include "crawler/program/tools/inspect/inspect.h"

#include <inttypes.h>

typedef struct places {
    cw_explain_world *world;
    crawl_err err;
} places;

static bool take_place(crawl_slice name, crawl_slice note, void *user)
{
    places *p = user;
    size_t prefix = sizeof CW_PLACE_NOTE - 1;
    p->err = cw_explain_take_place(p->world, crawl_slice_of(name.data + prefix, name.size - prefix),
                                   crawl_slice_equal(note, crawl_slice_from("s")));
    return !p->err;
}

crawl_err cw_explain_open_state(cw_explain_world *world)
{
    places p = {.world = world};
    if (!world->config->state)
        return CRAWL_OK;
    world->now_ms = cw_wall_ms();
    crawl_err err = crawl_frontier_view_open(world->config->state, &world->view, &world->error);
    if (!err)
        err = crawl_frontier_view_notes(world->view, crawl_slice_from(CW_PLACE_NOTE), take_place, &p, &world->error);
    if (!err && p.err)
        err = crawl_error_set(&world->error, p.err, "the scope cannot be read: %s", crawl_strerror(p.err));
    return err;
}

void cw_explain_close_state(cw_explain_world *world)
{
    crawl_frontier_view_free(world->view);
    world->view = NULL;
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
    if (request->urgent || memcmp(request->fingerprint.bytes, s->url->fingerprint.bytes, CRAWL_FINGERPRINT_SIZE) != 0) {
        found->before++;
        return true;
    }
    found->queued = true;
    found->depth = request->depth;
    found->attempt = request->attempt;
    found->visit = request->visit;
    found->due_ms = due_ms;
    s->err = crawl_buf_append(&found->parent, request->parent.data, request->parent.size);
    return false;
}

static bool look_at_note(crawl_slice name, crawl_slice note, void *user)
{
    search *s = user;
    cw_explain_found *found = &s->url->found;
    if (!crawl_slice_equal(name, crawl_buf_slice(&found->origin)))
        return true; /* of another origin that begins alike */
    s->err = crawl_buf_append(&found->note, note.data, note.size);
    found->has_site = !s->err && cw_site_note_read(crawl_buf_slice(&found->note), &found->site);
    return false;
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
    if (!err && !s.err)
        err = crawl_frontier_view_notes(world->view, origin, look_at_note, &s, &world->error);
    if (err || s.err)
        return err ? err : s.err;
    err = crawl_frontier_view_host(world->view, origin, &found->host, &world->error);
    found->has_host = !err;
    if (err && err != CRAWL_ABSENT)
        return err;
    err = crawl_frontier_view_seen(world->view, &url->fingerprint, &found->held, &world->error);
    found->seen = err == CRAWL_EXISTS;
    return found->seen || err == CRAWL_ABSENT ? CRAWL_OK : err;
}

void cw_explain_found_free(cw_explain_found *found)
{
    crawl_buf_free(&found->parent);
    crawl_buf_free(&found->origin);
    crawl_buf_free(&found->note);
    *found = (cw_explain_found){0};
}

/* --- the checks --- */

/* The soonest its host comes to it: those before it start a pause apart each, not before the block is over. */
static int64_t soonest(const cw_explain_world *world, const cw_explain_found *found)
{
    const crawl_frontier_host *host = &found->host;
    int64_t pause_ms = host->pause_ms < 0 ? world->config->delay_ms : host->pause_ms;
    int64_t at = world->now_ms;
    int64_t wait;
    if (host->started_ms != INT64_MIN && host->started_ms + pause_ms > at)
        at = host->started_ms + pause_ms;
    if (host->blocked_ms > at && host->blocked_ms != CRAWL_FOREVER)
        at = host->blocked_ms;
    if (__builtin_mul_overflow((int64_t)found->before, pause_ms, &wait) || __builtin_add_overflow(at, wait, &at))
        return CRAWL_FOREVER;
    return found->due_ms > at ? found->due_ms : at;
}

/* Leases are not recorded: what is on its way stands where it stood. */
static bool may_be_out(const cw_explain_world *world, const cw_explain_found *found)
{
    bool is_closed = crawl_frontier_view_summary(world->view)->clean;
    return !is_closed && found->due_ms == INT64_MIN && found->before < world->config->per_host;
}

static crawl_err say_queued(const cw_explain_world *world, const cw_explain_found *found, crawl_buf *rule)
{
    int64_t at = soonest(world, found);
    crawl_err err = crawl_buf_append_text(rule, "queued");
    if (!err && found->visit > 1)
        err = crawl_buf_printf(rule, " for visit %" PRIu32, found->visit);
    if (!err)
        err = crawl_buf_printf(rule, ", attempt %" PRIu32 ", behind %" PRIu64 " of its host", found->attempt,
                               found->before);
    if (!err && at > world->now_ms)
        err = crawl_buf_printf(rule, ", not before %s", cw_inspect_date_of(at).text);
    if (!err && may_be_out(world, found))
        err = crawl_buf_append_text(rule, ", or on its way (what is in flight is not recorded)");
    if (!err && found->parent.size)
        err = crawl_buf_printf(rule, ", found on %.*s", (int)found->parent.size, found->parent.data);
    return err;
}

static bool can_forget(crawl_bloom_kind kind)
{
    return crawl_bloom_kind_forgets(kind) || kind == CRAWL_BLOOM_ROTATING;
}

/* Which filter holds it, and how likely that one takes a URL for its own that was never there. */
static crawl_err say_held(crawl_bloom_kind kind, const crawl_bloom_found *held, crawl_buf *rule)
{
    crawl_err err = crawl_buf_append_text(rule, "seen before, and done: fetched or refused; held by ");
    if (!err && held->filters > 1)
        err = crawl_buf_printf(rule, "%s %u of %u", kind == CRAWL_BLOOM_ROTATING ? "generation" : "filter",
                               held->filter + 1, held->filters);
    else if (!err)
        err = crawl_buf_append_text(rule, "the filter");
    return err ? err : crawl_buf_printf(rule, ", chance of error %.2g", held->fpr);
}

crawl_err cw_explain_seen(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                          crawl_buf *rule)
{
    const crawl_bloom_options *seen = &crawl_frontier_view_summary(world->view)->seen;
    *verdict = url->found.queued && url->found.due_ms > world->now_ms ? CW_VERDICT_WAIT : CW_VERDICT_PASS;
    if (url->found.queued)
        return say_queued(world, &url->found, rule);
    if (!url->found.seen)
        return crawl_buf_append_text(rule,
                                     can_forget(seen->kind) ? "not seen before, or forgotten" : "not seen before");
    *verdict = CW_VERDICT_REFUSE;
    return say_held(seen->kind, &url->found.held, rule);
}

static crawl_err judge_rules(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                             crawl_buf *rule)
{
    crawl_robots *robots;
    const char *agent = world->config->robots_agent;
    crawl_err err = crawl_robots_parse(url->found.site.text, crawl_slice_from(agent), &robots);
    if (err)
        return err;
    crawl_robots_verdict answer = crawl_robots_check(robots, url->url);
    *verdict = answer.allowed ? CW_VERDICT_PASS : CW_VERDICT_REFUSE;
    err = answer.line
              ? crawl_buf_printf(rule, "robots.txt:%u: %.*s", answer.line, (int)answer.rule.size, answer.rule.data)
              : crawl_buf_printf(rule, "robots.txt: %s for %s", answer.allowed ? "no rule" : "too many rules", agent);
    crawl_robots_free(robots);
    return err;
}

crawl_err cw_explain_kept_robots(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                                 crawl_buf *rule)
{
    const cw_site_note *site = &url->found.site;
    *verdict = CW_VERDICT_PASS;
    if (site->robots != CW_SITE_ROBOTS_UNKNOWN && site->expires_ms <= world->now_ms) {
        *verdict = CW_VERDICT_UNKNOWN;
        return crawl_buf_printf(rule, "robots.txt is asked for anew: what it said was good until %s",
                                cw_inspect_date_of(site->expires_ms).text);
    }
    switch (site->robots) {
    case CW_SITE_ROBOTS_BODY:
        return judge_rules(world, url, verdict, rule);
    case CW_SITE_ROBOTS_ABSENT:
        return crawl_buf_append_text(rule, "there is no robots.txt");
    case CW_SITE_ROBOTS_REFUSED:
        *verdict = CW_VERDICT_REFUSE;
        return crawl_buf_append(rule, site->text.data, site->text.size);
    default:
        *verdict = CW_VERDICT_UNKNOWN;
        return crawl_buf_append_text(rule, "robots.txt was not asked for yet");
    }
}

crawl_err cw_explain_host(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                          crawl_buf *rule)
{
    const cw_site_note *site = &url->found.site;
    int64_t blocked_ms = url->found.has_host ? url->found.host.blocked_ms : INT64_MIN;
    *verdict = CW_VERDICT_PASS;
    if (!url->found.has_site && !url->found.has_host)
        return crawl_buf_append_text(rule, "was never asked");
    if (site->away_until_ms > world->now_ms) {
        *verdict = CW_VERDICT_REFUSE;
        return crawl_buf_printf(rule, "asked us to stay away until %s, longer than politeness.max_retry_delay",
                                cw_inspect_date_of(site->away_until_ms).text);
    }
    if (blocked_ms == CRAWL_FOREVER)
        return crawl_buf_append_text(rule, "waits for its robots.txt");
    *verdict = site->hold_until_ms > world->now_ms || blocked_ms > world->now_ms ? CW_VERDICT_WAIT : CW_VERDICT_PASS;
    if (site->hold_until_ms > world->now_ms)
        return crawl_buf_printf(rule, "asked us not to come before %s (Retry-After)",
                                cw_inspect_date_of(site->hold_until_ms).text);
    if (*verdict == CW_VERDICT_WAIT)
        return crawl_buf_printf(rule, "blocked until %s: it failed several times in a row",
                                cw_inspect_date_of(blocked_ms).text);
    return crawl_buf_append_text(rule, "may be asked");
}
