#include "crawler/engine/links/judge.h"

#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/key.h"
#include "crawler/engine/scope/sessions.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/scope/url_looks.h"
#include "crawler/engine/scope/variants.h"

/* Returns how many links there are between two looks at the clock. A match stopped at its limit takes 50 us, so these
 * links take about 3 ms at most, whatever the patterns. */
static unsigned links_a_look(const crawl_config *config)
{
    enum { MATCHES_A_LOOK = 64 };
    size_t patterns = config->rule_count;
    return patterns <= 1 ? MATCHES_A_LOOK : patterns < MATCHES_A_LOOK ? MATCHES_A_LOOK / (unsigned)patterns : 1;
}

crawl_err cw_links_judge_open(cw_links_judge *judge, crawl_engine *engine)
{
    judge->engine = engine;
    cw_hash_secret_draw(&judge->secret);
    judge->slice = (cw_links_slice){.links_a_look = links_a_look(engine->config), .most_us = CW_LINKS_SLICE_US};
    judge->scope = cw_scope_reader_create(engine->scope);
    judge->fingerprinter = crawl_fingerprinter_create();
    judge->url = crawl_url_create();
    return judge->scope && judge->fingerprinter && judge->url ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_links_judge_close(cw_links_judge *judge)
{
    cw_scope_reader_free(judge->scope);
    crawl_fingerprinter_free(judge->fingerprinter);
    crawl_url_free(judge->url);
    crawl_buf_free(&judge->canonical);
}

void cw_links_judge_begin_slice(cw_links_judge *judge)
{
    cw_links_slice *slice = &judge->slice;
    slice->until_look = slice->links_a_look;
    slice->began_us = 0;
    slice->spent = false;
}

bool cw_links_judge_look(cw_links_judge *judge)
{
    cw_links_slice *slice = &judge->slice;
    int64_t now_us = cw_now_us();
    if (!slice->began_us)
        slice->began_us = now_us;
    slice->until_look = slice->links_a_look;
    slice->spent = now_us - slice->began_us >= slice->most_us || cw_engine_failed(judge->engine);
    return slice->spent;
}

/* Fails the crawl if memory for a link runs out, since the link might be one to follow. The crawl ends, and the page
 * stays queued. */
static crawl_err judge_told(const cw_links_judge *judge, crawl_err err)
{
    if (err == CRAWL_ENOMEM)
        cw_engine_fail(judge->engine, err, "no memory for a link");
    return err;
}

crawl_err cw_links_judge_resolve(const cw_links_judge *judge, crawl_slice text, const crawl_url *base,
                                 const char *charset, crawl_url *url)
{
    crawl_err err = crawl_url_parse(url, text, base, charset);
    if (!err)
        err = cw_scope_userinfo_take(url, NULL, NULL);
    if (!err)
        err = cw_host_upgrade(judge->engine, url);
    return err || crawl_url_is_http(url) ? judge_told(judge, err) : CRAWL_REFUSED;
}

crawl_err cw_links_judge_canonical(cw_links_judge *judge, const crawl_url *url)
{
    return judge_told(judge, cw_scope_key_canonical(&judge->engine->key, url, &judge->canonical));
}

crawl_err cw_links_judge_fingerprint(cw_links_judge *judge, crawl_slice method, crawl_slice body,
                                     crawl_fingerprint *out)
{
    return cw_scope_key_fingerprint(&judge->engine->key, judge->fingerprinter, method,
                                    crawl_buf_slice(&judge->canonical), body, out);
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

/* Returns true if the patterns let the URL pass. A pattern that took too many steps is counted, and the first one is
 * reported to the user. part: a part of a page also passes if no pattern matches. */
static bool passes(cw_links_judge *judge, crawl_slice canonical, bool part)
{
    const crawl_filter_rule *stopped;
    bool passes = part ? cw_scope_passes_part(judge->scope, canonical, &stopped)
                       : cw_scope_passes(judge->scope, canonical, &stopped);
    judge->stopped = stopped != NULL;
    if (stopped && atomic_fetch_add(&judge->engine->counters.patterns_stopped, 1) == 0)
        say_stopped(judge->engine, stopped, canonical);
    return passes;
}

static crawl_edge_verdict judge_in_scope(cw_links_judge *judge, const crawl_url *url, bool part)
{
    crawl_engine *engine = judge->engine;
    if (!cw_host_guard_opens(engine->guard, url))
        return CRAWL_EDGE_PORT;
    if (cw_links_judge_canonical(judge, url))
        return CRAWL_EDGE_NO_URL;
    crawl_slice canonical = crawl_buf_slice(&judge->canonical);
    if (!passes(judge, canonical, part))
        return CRAWL_EDGE_FILTER;
    crawl_trap trap = cw_scope_trap_check(engine->trap, url, canonical);
    if (!trap && !cw_scope_sessions_pass(engine->sessions, url))
        trap = CRAWL_TRAP_SESSIONS;
    if (!trap && !cw_scope_variants_pass(engine->variants, url))
        trap = CRAWL_TRAP_VARIANTS;
    return cw_links_fate_of_trap(trap);
}

crawl_edge_verdict cw_links_judge_verdict(cw_links_judge *judge, const crawl_url *url, bool widens_scope)
{
    bool belongs = widens_scope || cw_scope_contains(judge->scope, url);
    return belongs ? judge_in_scope(judge, url, false) : CRAWL_EDGE_SCOPE;
}

crawl_edge_verdict cw_links_judge_part(cw_links_judge *judge, const crawl_url *url)
{
    return judge_in_scope(judge, url, true);
}

bool cw_links_judge_is_origin(const crawl_url *url, crawl_slice origin)
{
    crawl_buf other = {0};
    bool same = crawl_url_origin(url, &other) == CRAWL_OK && crawl_slice_equal(crawl_buf_slice(&other), origin);
    crawl_buf_free(&other);
    return same;
}
