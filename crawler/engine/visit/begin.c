#include "crawler/engine/visit/begin.h"

#include "config/config_values.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/feeds.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/again/revisits.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/home.h"
#include "crawler/engine/visit/render/render_visit.h"
#include "crawler/engine/visit/visit.h"

#include <stdio.h>

/* Time until a visit comes again that waits for an answer to others: Redis' about tickets, or the host's about
 * robots.txt. In the second case the host is blocked, and this bridges the moment before. */
enum { LOOK_AGAIN_MS = 50 };

static bool is_sitemap(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_SITEMAP;
}

/* Returns requests of a host that is given up for its walls, in a shared crawl: any process may get the host next, so
 * they wait in Redis for the next run. In other crawls requests wait behind the block of their host. */
static bool begin_later(cw_visit *visit, crawl_error_class error_class)
{
    crawl_engine *engine = cw_visit_engine(visit);
    bool is_held = engine->config->shared && error_class == CRAWL_CLASS_GIVEN_UP;
    if (!is_held || !cw_host_pacing_is_walled(visit->host))
        return false;
    cw_engine_count(&engine->counters.walled_later, 1);
    cw_visit_end(visit, CRAWL_DONE_LATER, cw_engine_now(engine));
    return true;
}

static void begin_refuse(cw_visit *visit, crawl_error_class error_class, const char *words)
{
    if (cw_visit_probe_is(visit)) {
        cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
        return;
    }
    if (cw_visit_part_is(visit)) {
        bool is_rule =
            error_class == CRAWL_CLASS_ROBOTS || error_class == CRAWL_CLASS_LIMIT || error_class == CRAWL_CLASS_PORT;
        cw_visit_part_refuse(visit, is_rule ? CRAWL_RENDER_REFUSE_BLOCKED : CRAWL_RENDER_REFUSE_CONNECT);
        return;
    }
    if (begin_later(visit, error_class))
        return;
    if (!is_sitemap(visit)) {
        cw_visit_page_refuse(visit, error_class, words);
        return;
    }
    if (cw_links_feeds_is_guess(&visit->lease)) {
        cw_visit_sitemap_refuse_guess(visit);
        return;
    }
    cw_links_sitemaps_fault(cw_visit_engine(visit), visit->lease.tag, CRAWL_SITEMAP_REFUSED, visit->lease.url);
    cw_visit_revisits_refused(visit, error_class);
}

static void refuse_by_limit(cw_visit *visit, crawl_trap limit)
{
    char words[80];
    snprintf(words, sizeof words, "%s is reached", crawl_trap_name(limit));
    cw_engine_count(&cw_visit_engine(visit)->counters.traps[limit], 1);
    begin_refuse(visit, CRAWL_CLASS_LIMIT, words);
}

/* Returns the path that the page counts for; 0: none, or out of memory. */
static uint64_t begin_path(const cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_links_judge *judge = &visit->maker->judge;
    bool is_counted = engine->config->shared && engine->config->max_queries;
    return is_counted && !cw_links_judge_canonical(judge, visit->url)
               ? cw_scope_trap_path(engine->trap, crawl_buf_slice(&judge->canonical))
               : 0;
}

/* Asks for a page, which counts for its host the first time. */
static void begin_page(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    const cw_links_source source = cw_visit_source(visit);
    crawl_trap full = CRAWL_TRAP_NONE;
    if (cw_links_guesses_is(visit->lease.tag) && cw_links_guesses_are_shut(visit->host)) {
        begin_refuse(visit, CRAWL_CLASS_REFUSED, "a guess from a script: most of them on this host are not pages");
        return;
    }
    bool is_new = visit->lease.attempt == 1 && visit->lease.visit == 1 && !cw_visit_is_external(visit);
    visit->path = is_new ? begin_path(visit) : 0;
    if (is_new && cw_scope_trap_take(engine->trap, visit->host, visit->path, &full) == CRAWL_AGAIN) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine) + LOOK_AGAIN_MS);
        return;
    }
    cw_links_sitemaps_ask(&visit->maker->judge, &source);
    cw_links_feeds_ask(&visit->maker->judge, &source);
    visit->is_counted = is_new && !full;
    if (full)
        refuse_by_limit(visit, full);
    else
        cw_visit_page_ask(visit);
}

/* Begins a visit that robots.txt allows, if the gate lets it pass. */
static void begin_allowed(cw_visit *visit)
{
    cw_host_admission admission = cw_visit_connections_admit(visit);
    if (admission == CW_ADMIT_WAIT)
        return;
    if (admission == CW_ADMIT_REFUSE)
        begin_refuse(visit, cw_host_pacing_class(&visit->pass), visit->pass.words);
    else if (is_sitemap(visit))
        cw_visit_sitemap_ask(visit);
    else if (cw_visit_probe_is(visit))
        cw_visit_probe_ask(visit);
    else if (cw_visit_part_is(visit))
        cw_visit_part_ask(visit);
    else
        begin_page(visit);
}

/* Continues by the verdict of the site's robots.txt, or has that asked for. */
static void begin_at_site(cw_visit *visit, const cw_host_site_answer *answer)
{
    switch (answer->verdict) {
    case CW_SITE_ALLOWED:
        begin_allowed(visit);
        break;
    case CW_SITE_REFUSED:
        begin_refuse(visit, answer->error_class, answer->words);
        break;
    case CW_SITE_FETCH_ROBOTS:
        cw_visit_robots_ask(visit);
        break;
    case CW_SITE_FETCH_TDMREP:
        cw_visit_tdmrep_ask(visit);
        break;
    case CW_SITE_PENDING:
        if (cw_visit_part_is(visit) && cw_host_pacing_is_failing(visit->host))
            cw_visit_part_refuse(visit, CRAWL_RENDER_REFUSE_CONNECT);
        else
            cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(cw_visit_engine(visit)) + LOOK_AGAIN_MS);
        break;
    }
}

static void cannot_begin(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_engine_fail(engine, err, "a request cannot be prepared");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}

/* Returns true if the host is within the limit of hosts that all processes ask. */
static bool begin_host(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_err err = cw_host_handover_admit(engine, visit->host);
    if (err == CRAWL_FULL)
        begin_refuse(visit, CRAWL_CLASS_LIMIT, "crawl.max_hosts is reached");
    else if (err == CRAWL_AGAIN)
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine) + LOOK_AGAIN_MS);
    else if (err)
        cannot_begin(visit, err);
    return !err;
}

/* Has the request queued again with https, if it is still wanted. */
static void begin_upgrade(cw_visit *visit)
{
    if (is_sitemap(visit))
        cw_visit_sitemap_upgrade(visit);
    else if (cw_visit_part_is(visit))
        cw_visit_part_upgrade(visit);
    else if (cw_visit_probe_is(visit)) /* the host with https is probed for itself */
        cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    else
        cw_visit_page_upgrade(visit);
}

/* Begins the visit of a page or a sitemap. */
static void begin_visit(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_host_site_answer answer;
    int64_t now = cw_engine_now(engine);
    crawl_err err = crawl_url_parse(visit->url, visit->lease.url, NULL, NULL);
    if (!err && cw_host_upgrade_wanted(engine, visit->url)) {
        begin_upgrade(visit);
        return;
    }
    if (!err && !cw_host_guard_opens(engine->guard, visit->url)) {
        begin_refuse(visit, CRAWL_CLASS_PORT, cw_host_guard_port_words);
        return;
    }
    if (!err && !begin_host(visit))
        return;
    if (!err)
        err = cw_host_sites_check(engine->sites, visit->host, visit->url, !engine->config->robots,
                                  cw_visit_is_external(visit), now, &answer);
    visit->site_speaks = !err && answer.speaks;
    if (err)
        cannot_begin(visit, err);
    else
        begin_at_site(visit, &answer);
}

void cw_visit_begin_at_home(cw_visit *visit)
{
    if ((visit->lease.tag & CW_ENGINE_TAG_TDMREP) == CW_ENGINE_TAG_TDMREP)
        cw_visit_tdmrep_begin(visit);
    else if (visit->lease.tag & CW_ENGINE_TAG_ROBOTS)
        cw_visit_robots_begin(visit);
    else
        begin_visit(visit);
}

void cw_visit_begin(cw_visit *visit)
{
    if (cw_visit_part_is(visit) && !cw_visit_part_is_wanted(visit)) {
        cw_visit_part_refuse(visit, CRAWL_RENDER_REFUSE_BLOCKED);
        return;
    }
    visit->host = cw_host_table_get(cw_visit_engine(visit)->host_table, visit->lease.origin);
    if (!visit->host)
        cannot_begin(visit, CRAWL_ENOMEM);
    else if (!cw_visit_home_send(visit))
        cw_visit_begin_at_home(visit);
}
