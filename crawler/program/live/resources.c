#include "crawler/program/live/resources.h"

#include "base/clock.h"
#include "crawler/program/commands/explain/command_explain.h"
#include "crawler/program/live/live_hosts.h"
#include "crawler/program/live/live_stats.h"
#include "crawler/program/live/page/live_page.h"

#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FRESH_US = 100 * 1000, /* maximum age of figures: reading them takes the frontier's lock, and strangers must not
                            * control how often */
    WALK_SHARE = 20        /* walks over all hosts take at most 1/WALK_SHARE of the time */
};

/* --- Figures. --- */

static uint64_t resident_bytes(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*u %" SCNu64, &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void cw_live_refresh(cw_live *live)
{
    int64_t now_us = cw_now_us();
    if (live->stats_us && now_us - live->stats_us < FRESH_US)
        return;
    crawl_engine_stats_get(live->engine, &live->stats);
    live->stats_us = now_us;
}

void cw_live_read_crew(cw_live *live)
{
    crawl_shared_crew crew;
    if (!live->stats.is_shared || crawl_engine_shared_crew(live->engine, &crew))
        return; /* keep the last ones */
    crawl_shared_crew_free(&live->crew);
    live->crew = crew;
}

static cw_live_source source_of(cw_live *live)
{
    cw_live_refresh(live);
    return (cw_live_source){
        .stats = &live->stats,
        .config = live->config,
        .history = &live->history,
        .is_draining = live->control.is_draining,
        .started_ms = live->started_ms,
        .resident_bytes = resident_bytes(),
        .crew = live->stats.is_shared ? &live->crew : NULL,
        .self = crawl_engine_shared_name(live->engine),
    };
}

crawl_err cw_live_figures(cw_live *live, const struct evkeyvalq *, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_json(&source, out);
}

static crawl_err make_metrics(cw_live *live, const struct evkeyvalq *, crawl_buf *out)
{
    cw_live_source source = source_of(live);
    return cw_live_metrics(&source, out);
}

static crawl_err make_identity(cw_live *live, const struct evkeyvalq *, crawl_buf *out)
{
    return crawl_buf_append(out, live->identity.data, live->identity.size);
}

static crawl_err make_timeline(cw_live *live, const struct evkeyvalq *, crawl_buf *out)
{
    cw_writer to = {.out = out};
    cw_live_timeline_write(&live->timeline, &to);
    return to.err;
}

static crawl_err make_breakdown(cw_live *live, const struct evkeyvalq *, crawl_buf *out)
{
    cw_writer to = {.out = out};
    cw_live_breakdown_write(&live->breakdown, &to);
    return to.err;
}

/* --- Hosts and URLs. --- */

static crawl_slice parameter(const struct evkeyvalq *query, const char *name)
{
    return crawl_slice_from(evhttp_find_header(query, name));
}

static crawl_err make_hosts(cw_live *live, const struct evkeyvalq *query, crawl_buf *out)
{
    const cw_live_hosts_query wanted = {parameter(query, "part"), parameter(query, "standing")};
    int64_t began_us = cw_now_us();
    if (began_us < live->walk_us)
        return CRAWL_AGAIN;
    crawl_err err = cw_live_hosts_write(live->engine, &wanted, out);
    int64_t ended_us = cw_now_us();
    live->walk_us = ended_us + (ended_us - began_us) * WALK_SHARE;
    return err;
}

static crawl_err make_host(cw_live *live, const struct evkeyvalq *query, crawl_buf *out)
{
    return cw_live_host_write(live->engine, parameter(query, "host"), out);
}

static crawl_err make_explanation(cw_live *live, const struct evkeyvalq *query, crawl_buf *out)
{
    crawl_slice url = parameter(query, "url");
    cw_explain_world world = {.config = live->config, .at_depth = -1, .engine = live->engine, .now_ms = cw_wall_ms()};
    json_t *object = NULL;
    if (!url.size)
        return CRAWL_EINVAL;
    crawl_err err = live->judge ? CRAWL_OK : crawl_judge_create_of(live->engine, &live->judge, NULL);
    world.judge = live->judge;
    if (!err)
        err = cw_explain_object(&world, url, &object);
    if (err)
        return err;
    char *text = json_dumps(object, JSON_COMPACT);
    err = crawl_buf_printf(out, "%s\n", text);
    free(text);
    json_decref(object);
    return err;
}

/* --- The table. --- */

static const char script[] = "text/javascript; charset=utf-8";
static const char json[] = "application/json";

static const cw_live_resource resources[] = {
    {"/", "text/html; charset=utf-8", cw_live_html, NULL},
    {"/live.css", "text/css; charset=utf-8", cw_live_css, NULL},
    {"/live.js", script, cw_live_js, NULL},
    {"/charts.js", script, cw_live_charts_js, NULL},
    {"/controls.js", script, cw_live_controls_js, NULL},
    {"/figures.js", script, cw_live_figures_js, NULL},
    {"/format.js", script, cw_live_format_js, NULL},
    {"/hosts.js", script, cw_live_hosts_js, NULL},
    {"/identity.js", script, cw_live_identity_js, NULL},
    {"/requests.js", script, cw_live_requests_js, NULL},
    {"/workers.js", script, cw_live_workers_js, NULL},
    {"/stats.json", json, NULL, cw_live_figures},
    {"/crawl.json", json, NULL, make_identity},
    {"/hosts.json", json, NULL, make_hosts},
    {"/timeline.json", json, NULL, make_timeline},
    {"/breakdown.json", json, NULL, make_breakdown},
    {"/host.json", json, NULL, make_host},
    {"/explain.json", json, NULL, make_explanation},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", NULL, make_metrics},
    {"/events", "text/event-stream", NULL, NULL},
};

const cw_live_resource *cw_live_resource_at(const char *path)
{
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        if (path && strcmp(path, resources[i].path) == 0)
            return &resources[i];
    return NULL;
}
