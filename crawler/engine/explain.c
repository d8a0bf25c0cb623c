/* See <crawl/sys/explain.h>. A judge holds the parts of the engine that decide about a URL before it is asked for:
 * keys, scope, guards. It uses them as links/follow.c does when a link is found and visit/begin.c when its turn comes,
 * and returns their answers as values. Notes are read by the code that writes them. */
#include <crawl/sys/explain.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sized.h"
#include "config/config_values.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/key.h"
#include "crawler/engine/scope/scope.h"
#include "crawler/engine/scope/url_looks.h"
#include "crawler/engine/visit/again/revisit.h"
#include "crawler/engine/visit/answer/walls.h"

#include <stdlib.h>

/* A place where the scope begins. A seed is also known by its fingerprint. */
typedef struct known {
    struct known *next; /* in the order given */
    crawl_judge_origin origin;
    crawl_fingerprint fingerprint;
    char text[]; /* of origin */
} known;

struct crawl_judge {
    const crawl_engine *engine; /* the owner of scope and guard; NULL: they are the judge's own */
    const crawl_config *config;
    cw_scope_key_rules key;
    cw_scope *scope;
    cw_scope_reader *reader;
    cw_host_guard *guard;
    crawl_fingerprinter *fingerprinter;
    cw_map *seeds; /* fingerprint -> known */
    known *first;
    known **last;
    crawl_url *url;         /* of the present seed or place */
    crawl_judge_origin own; /* the place of a URL within an engine's scope */
    crawl_buf canonical;
};

static crawl_err open_judge(crawl_judge *judge, crawl_error *error)
{
    crawl_err err = cw_scope_key_open(judge->config, &judge->key, error);
    if (!err && !judge->engine)
        err = cw_scope_create(judge->config, &judge->scope, error);
    if (!err && !judge->engine)
        err = cw_host_guard_create(judge->config, &judge->guard, error);
    if (err)
        return err;
    judge->last = &judge->first;
    judge->reader = cw_scope_reader_create(judge->scope);
    judge->fingerprinter = crawl_fingerprinter_create();
    judge->seeds = cw_map_create((uintptr_t)judge);
    judge->url = crawl_url_create();
    bool whole = judge->reader && judge->fingerprinter && judge->seeds && judge->url;
    return whole ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}

static crawl_err explain_finish(crawl_judge *judge, crawl_judge **out, crawl_error *error)
{
    crawl_err err = open_judge(judge, error);
    if (err)
        crawl_judge_free(judge);
    else
        *out = judge;
    return err;
}

crawl_err crawl_judge_create(const crawl_config *config, crawl_judge **out, crawl_error *error)
{
    crawl_judge *judge = calloc(1, sizeof *judge);
    if (!judge)
        return cw_error(error, CRAWL_ENOMEM);
    judge->config = config;
    return explain_finish(judge, out, error);
}

crawl_err crawl_judge_create_of(crawl_engine *engine, crawl_judge **out, crawl_error *error)
{
    crawl_judge *judge = calloc(1, sizeof *judge);
    if (!judge)
        return cw_error(error, CRAWL_ENOMEM);
    judge->engine = engine;
    judge->config = engine->config;
    judge->scope = engine->scope;
    judge->guard = engine->guard;
    return explain_finish(judge, out, error);
}

void crawl_judge_free(crawl_judge *judge)
{
    if (!judge)
        return;
    while (judge->first) {
        known *next = judge->first->next;
        free(judge->first);
        judge->first = next;
    }
    cw_map_free(judge->seeds);
    cw_scope_reader_free(judge->reader);
    if (!judge->engine) {
        cw_scope_free(judge->scope);
        cw_host_guard_free(judge->guard);
    }
    cw_scope_key_close(&judge->key);
    crawl_fingerprinter_free(judge->fingerprinter);
    crawl_url_free(judge->url);
    crawl_buf_free(&judge->canonical);
    free(judge);
}

const crawl_canonical_options *crawl_judge_canonical(const crawl_judge *judge)
{
    return &judge->key.canonical;
}

/* ---- seeds and places ---- */

static crawl_slice fingerprint_slice(const crawl_fingerprint *fingerprint)
{
    return crawl_slice_of((const char *)fingerprint->bytes, sizeof fingerprint->bytes);
}

/* Makes the key of a request: its canonical form in judge->canonical, and the fingerprint. */
static crawl_err explain_key_of(crawl_judge *judge, const crawl_url *url, crawl_slice method, crawl_slice body,
                                crawl_fingerprint *out)
{
    crawl_err err = cw_scope_key_canonical(&judge->key, url, &judge->canonical);
    if (err)
        return err;
    return cw_scope_key_fingerprint(&judge->key, judge->fingerprinter, method, crawl_buf_slice(&judge->canonical), body,
                                    out);
}

static crawl_slice explain_copy(char *text, crawl_slice from)
{
    if (from.size)
        memcpy(text, from.data, from.size);
    return crawl_slice_of(text, from.size);
}

/* Keeps the place of judge->url. fingerprint NULL: the URL is not a seed. CRAWL_EXISTS: the seed was known before. */
static crawl_err explain_keep(crawl_judge *judge, uint32_t depth, const crawl_fingerprint *fingerprint)
{
    crawl_slice place = cw_scope_place(judge->reader, judge->url);
    crawl_slice href = crawl_url_request(judge->url);
    known *one = malloc(sizeof *one + place.size + href.size);
    if (!one)
        return CRAWL_ENOMEM;
    *one = (known){.origin.depth = depth};
    one->origin.place = explain_copy(one->text, place);
    one->origin.url = explain_copy(one->text + place.size, href);
    crawl_err err = CRAWL_OK;
    if (fingerprint) {
        one->fingerprint = *fingerprint;
        err = cw_map_put(judge->seeds, fingerprint_slice(&one->fingerprint), one);
    }
    if (err) {
        free(one);
        return err;
    }
    *judge->last = one;
    judge->last = &one->next;
    return CRAWL_OK;
}

crawl_err crawl_judge_place(crawl_judge *judge, crawl_slice url, bool of_seed)
{
    crawl_err err = crawl_url_parse(judge->url, url, NULL, NULL);
    if (!err)
        err = cw_scope_add(judge->scope, judge->url);
    if (!err && of_seed)
        err = cw_host_guard_name(judge->guard, judge->url);
    if (!err)
        err = explain_keep(judge, 0, NULL);
    return err == CRAWL_EPARSE ? CRAWL_ECORRUPT : err;
}

static crawl_err add_seed(crawl_judge *judge, const crawl_seed *seed, crawl_error *error)
{
    crawl_fingerprint fingerprint;
    int shown = seed->url.size < 200 ? (int)seed->url.size : 200;
    if (seed->depth > judge->config->depth)
        return crawl_error_set(error, CRAWL_EINVAL, "depth %u is beyond the crawl's depth of %u", seed->depth,
                               judge->config->depth);
    crawl_err err = crawl_url_parse(judge->url, seed->url, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "not an absolute URL: %.*s", shown, seed->url.data);
    if (!err && !crawl_url_is_http(judge->url))
        return crawl_error_set(error, CRAWL_EINVAL, "not http or https: %.*s", shown, seed->url.data);
    if (!err)
        err = explain_key_of(judge, judge->url, seed->method, seed->body, &fingerprint);
    if (!err)
        err = cw_host_guard_name(judge->guard, judge->url);
    if (!err)
        err = cw_scope_add(judge->scope, judge->url);
    if (!err)
        err = explain_keep(judge, seed->depth, &fingerprint);
    return err && err != CRAWL_EXISTS ? cw_error(error, err) : err;
}

crawl_err crawl_judge_seed(crawl_judge *judge, const crawl_seed *seed, crawl_error *error)
{
    crawl_seed own;
    const crawl_seed *taken = cw_sized(&own, sizeof own, seed);
    return taken ? add_seed(judge, taken, error) : cw_sized_refused(seed, sizeof own, "crawl_seed", error);
}

/* ---- a URL ---- */

/* Finds a place that contains this one. If the scope is by prefix, that may be any directory above the URL's. */
static const crawl_judge_origin *find_within(const crawl_judge *judge, crawl_slice place)
{
    bool prefix = judge->config->scope == CRAWL_SCOPE_PREFIX;
    for (const known *one = judge->first; one; one = one->next) {
        crawl_slice theirs = one->origin.place;
        if ((prefix ? theirs.size <= place.size : theirs.size == place.size) &&
            memcmp(theirs.data, place.data, theirs.size) == 0)
            return &one->origin;
    }
    return NULL;
}

static void explain_judge_scope(crawl_judge *judge, const crawl_url *url, crawl_judgement *out)
{
    out->has_origins = judge->first || judge->engine;
    out->place = cw_scope_place(judge->reader, url);
    judge->own = (crawl_judge_origin){.place = out->place};
    if (judge->config->scope != CRAWL_SCOPE_ANY && cw_scope_contains(judge->reader, url))
        out->within = judge->engine ? &judge->own : find_within(judge, out->place);
}

static void explain_judge_patterns(crawl_judge *judge, crawl_judgement *out)
{
    size_t index;
    const crawl_config *config = judge->config;
    cw_scope_rule found = cw_scope_rule_of(judge->reader, out->canonical, &index);
    out->rule = found == CW_SCOPE_RULE_NONE ? NULL : &config->rules[index];
    out->rule_stopped = found == CW_SCOPE_RULE_STOPPED;
    if (out->rule)
        out->passes = out->rule->include && !out->rule_stopped;
    else
        out->passes = !config->rule_count || !config->rules[0].include;
}

static crawl_address_verdict explain_judge_address(crawl_judge *judge, const crawl_url *url)
{
    char text[64];
    crawl_slice host = crawl_url_hostname(url);
    bool is_address = cw_host_guard_is_address(host, text);
    if (!cw_host_guard_opens(judge->guard, url))
        return CRAWL_ADDRESS_PORT;
    if (is_address && crawl_address_is_public(text))
        return CRAWL_ADDRESS_PUBLIC;
    return cw_host_guard_judge(judge->guard, url);
}

crawl_err crawl_judge_url(crawl_judge *judge, const crawl_url *url, crawl_judgement *out)
{
    *out = (crawl_judgement){0};
    crawl_err err = explain_key_of(judge, url, (crawl_slice){0}, (crawl_slice){0}, &out->fingerprint);
    if (err)
        return err;
    const known *seed = cw_map_get(judge->seeds, fingerprint_slice(&out->fingerprint));
    out->seed = seed ? &seed->origin : NULL;
    out->canonical = crawl_buf_slice(&judge->canonical);
    explain_judge_scope(judge, url, out);
    explain_judge_patterns(judge, out);
    out->trap = cw_scope_shape_judge(judge->config, url);
    out->address = explain_judge_address(judge, url);
    return CRAWL_OK;
}

/* ---- a running crawl ---- */

crawl_err crawl_engine_host_wall(crawl_engine *engine, crawl_slice origin, crawl_state_note *out, crawl_buf *storage)
{
    crawl_buf name = {0};
    crawl_err err = crawl_buf_printf(&name, CRAWL_STATE_WALLS "%.*s", (int)origin.size, origin.data);
    if (!err)
        err = crawl_frontier_note_get(engine->frontier, crawl_buf_slice(&name), storage);
    if (!err)
        crawl_state_note_read(crawl_buf_slice(&name), crawl_buf_slice(storage), out);
    crawl_buf_free(&name);
    return err ? err : out->kind == CRAWL_STATE_WALL ? CRAWL_OK : CRAWL_ABSENT;
}

crawl_err crawl_engine_robots(crawl_engine *engine, crawl_slice origin, const crawl_url *url, crawl_robots_state *out,
                              crawl_buf *text)
{
    cw_host_site_look look;
    cw_host_record *host = cw_host_table_find(engine->host_table, origin);
    if (!host)
        return CRAWL_ABSENT;
    crawl_err err = cw_host_sites_look(engine->sites, host, url, cw_engine_now(engine), &look, text);
    cw_host_record_release(host);
    if (err)
        return err;
    *out = (crawl_robots_state){
        .robots = look.robots,
        .is_asked = look.is_pending,
        .expires_ms = look.robots == CRAWL_HOST_ROBOTS_UNKNOWN ? 0 : look.expires_ms,
        .is_allowed = look.answer.verdict != CW_SITE_REFUSED || !engine->config->robots,
    };
    memcpy(out->words, look.answer.words, sizeof out->words);
    return CRAWL_OK;
}

crawl_err crawl_engine_seen(crawl_engine *engine, const crawl_fingerprint *fingerprint)
{
    return crawl_frontier_seen(engine->frontier, fingerprint);
}

/* ---- notes ---- */

static bool explain_read_host(crawl_slice note, crawl_state_note *out)
{
    cw_host_site_note site;
    if (!cw_host_site_note_read(note, &site))
        return false;
    out->robots = site.robots;
    out->robots_expires_ms = site.expires_ms;
    out->hold_until_ms = site.hold_until_ms;
    out->away_until_ms = site.away_until_ms;
    out->text = site.text;
    return true;
}

crawl_state_note_kind crawl_state_note_read(crawl_slice name, crawl_slice note, crawl_state_note *out)
{
    *out = (crawl_state_note){.kind = CRAWL_STATE_OTHER};
    if (cw_starts_with(name, CRAWL_STATE_PLACES)) {
        size_t prefix = sizeof CRAWL_STATE_PLACES - 1;
        out->kind = CRAWL_STATE_PLACE;
        out->place = crawl_slice_of(name.data + prefix, name.size - prefix);
        out->of_seed = crawl_slice_equal(note, crawl_slice_from(CW_ENGINE_PLACE_OF_SEED));
    } else if (crawl_slice_equal(name, crawl_slice_from(CW_SCOPE_SEEDS_NOTE))) {
        out->kind = CRAWL_STATE_SEEDS;
        out->seeds_from = note;
    } else if (cw_starts_with(name, CRAWL_STATE_WALLS)) {
        out->kind = cw_visit_walls_recall(note, out) ? CRAWL_STATE_WALL : CRAWL_STATE_OTHER;
    } else if (cw_starts_with(name, CRAWL_STATE_BLOCKS)) {
        out->kind = CRAWL_STATE_BLOCK;
    } else if (!cw_starts_with(name, "#") && explain_read_host(note, out)) {
        out->kind = CRAWL_STATE_HOST;
    }
    return out->kind;
}

/* The clock of a directory's frontier is the wall clock. */
bool crawl_state_lastmod(crawl_slice memo, int64_t *lastmod_ms)
{
    const cw_visit_revisit page = cw_visit_revisit_read(memo);
    *lastmod_ms = page.lastmod_ms;
    return cw_visit_revisit_is_hinted(&page, 0, 0);
}
