#include "tools/audit/practices/practice_log.h"

#include "base/keyed_hash.h"
#include "base/map.h"
#include "tools/audit/practices/practice_agents.h"
#include "tools/audit/practices/practice_sites.h"
#include "tools/common/io.h"

#include <crawl/wall.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { VISITS_AN_HOUR = 6 }; /* per page: min_interval of [revisit] is 10 minutes */

/* The requests for a URL with one method. */
typedef struct practice_page {
    cw_keyed_hash key;
    uint64_t away_line; /* of its departure; 0: ended */
    uint64_t run;       /* of its last answer */
    uint64_t line;      /* of its last answer */
    uint32_t depth;
    bool is_file; /* requested as a sitemap or feed */
    bool has_validator;
    uint32_t visits; /* since since_us */
    int64_t since_us;
} practice_page;

/* The present run. */
typedef struct practice_run {
    uint64_t number; /* from 1; 0: none yet */
    bool is_open;
    bool follows_kill;
    bool is_whole; /* the log has all earlier requests */
    bool obeys;    /* it obeys robots.txt */
    bool is_bounded;
    int64_t depth; /* limit */
} practice_run;

struct cw_practice_log {
    cw_practice_findings *findings;
    cw_practice_sites *sites;
    cw_practice_agents agents;
    cw_hash_secret secret;
    cw_map *pages;
    crawl_buf text;
    crawl_url *url;
    practice_run run;
    uint64_t requests, gets, heads, files_as_pages;
    int64_t deepest;
};

cw_practice_log *cw_practice_log_create(cw_practice_findings *findings)
{
    cw_practice_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->findings = findings;
    log->sites = cw_practice_sites_create(findings);
    log->pages = cw_map_create((uintptr_t)log);
    log->url = crawl_url_create();
    cw_hash_secret_draw(&log->secret);
    if (log->sites && log->pages && log->url)
        return log;
    cw_practice_log_free(log);
    return NULL;
}

void cw_practice_log_free(cw_practice_log *log)
{
    if (!log)
        return;
    cw_practice_sites_free(log->sites);
    cw_practice_agents_free(&log->agents);
    cw_map_free_values(log->pages);
    crawl_buf_free(&log->text);
    crawl_url_free(log->url);
    free(log);
}

static int64_t practice_us_of(const json_t *row, const char *field)
{
    return llround(json_number_value(json_object_get(row, field)) * 1000);
}

static int64_t practice_count_of(const json_t *row, const char *field)
{
    return json_integer_value(json_object_get(row, field));
}

static bool practice_is(const json_t *row, const char *field)
{
    return json_is_true(json_object_get(row, field));
}

static bool practice_is_kind(const json_t *row, const char *kind)
{
    const char *name = cw_tool_json_field(row, "kind");
    return name && strcmp(name, kind) == 0;
}

/* ---- runs ---- */

static crawl_err practice_begin_run(cw_practice_log *log, const json_t *row, uint64_t line)
{
    const char *agent = cw_tool_json_field(row, "user_agent");
    const json_t *depth = json_object_get(row, "depth");
    practice_run *run = &log->run;
    bool is_shared = practice_is(row, "shared");
    bool is_whole = run->number ? run->is_whole : !practice_is(row, "resumed");
    *run = (practice_run){.number = run->number + 1,
                          .is_open = true,
                          .follows_kill = run->is_open,
                          .is_whole = is_whole && !is_shared,
                          .obeys = !json_is_false(json_object_get(row, "robots")),
                          .is_bounded = json_is_integer(depth),
                          .depth = json_integer_value(depth)};
    cw_practice_sites_begin(log->sites);
    if (!run->obeys)
        cw_practice_break(log->findings, CW_PRACTICE_ROBOTS_FIRST, line,
                          "this run asks for no robots.txt (--no-robots)");
    if (practice_is(row, "other_agents"))
        cw_practice_break(log->findings, CW_PRACTICE_AGENT_SAME, line, "a [host NAME] section has another User-Agent");
    if (!agent)
        return CRAWL_OK;
    return cw_practice_agents_add(&log->agents, log->findings, line, practice_us_of(row, "start"), agent,
                                  cw_tool_json_field(row, "robots_agent"));
}

/* ---- URLs ---- */

/* NULL: out of memory. */
static practice_page *page_of(cw_practice_log *log, const char *method, const char *url)
{
    crawl_buf_clear(&log->text);
    if (crawl_buf_printf(&log->text, "%s %s", method, url))
        return NULL;
    cw_keyed_hash key = cw_keyed_hash_of(&log->secret, crawl_buf_slice(&log->text));
    practice_page *page = cw_map_get(log->pages, crawl_slice_of(&key, sizeof key));
    if (page)
        return page;
    page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->key = key;
    if (cw_map_put(log->pages, crawl_slice_of(&page->key, sizeof page->key), page)) {
        free(page);
        return NULL;
    }
    return page;
}

/* A page found at a smaller depth is requested again to follow its links, and so is a feed that is linked as a page,
 * and after a kill a page that had not been kept. */
static void check_conditional(cw_practice_log *log, const practice_page *page, const json_t *row, uint64_t line)
{
    bool is_other = page->is_file == practice_is_kind(row, "page");
    bool is_nearer = practice_count_of(row, "depth") < page->depth;
    bool was_lost = log->run.follows_kill && page->run + 1 == log->run.number;
    if (!page->has_validator)
        return;
    log->files_as_pages += is_other;
    if (practice_is(row, "conditional"))
        cw_practice_keep(log->findings, CW_PRACTICE_CONDITIONAL);
    else if (!is_other && !is_nearer && !was_lost)
        cw_practice_break(log->findings, CW_PRACTICE_CONDITIONAL, line,
                          "%.120s was answered with a validator on line %" PRIu64 ": go on with --revisit and --state",
                          cw_tool_json_field(row, "url"), page->line);
}

static void check_page_url(cw_practice_log *log, const practice_page *page, const json_t *row, uint64_t line)
{
    const char *url = cw_tool_json_field(row, "url");
    if (page->away_line && page->run == log->run.number)
        cw_practice_break(log->findings, CW_PRACTICE_SAME_RESOURCE, line,
                          "%.120s is still on its way, since line %" PRIu64, url, page->away_line);
    else
        cw_practice_keep(log->findings, CW_PRACTICE_SAME_RESOURCE);
    if (crawl_wall_is_challenge_path(crawl_url_path(log->url)))
        cw_practice_break(log->findings, CW_PRACTICE_CHALLENGES, line, "%.160s", url);
    else
        cw_practice_keep(log->findings, CW_PRACTICE_CHALLENGES);
}

static void count_visit(cw_practice_log *log, practice_page *page, const json_t *row, uint64_t line)
{
    const int64_t hour_us = (int64_t)3600 * 1000000;
    int64_t start_us = practice_us_of(row, "start");
    if (!page->visits || start_us - page->since_us >= hour_us) {
        page->visits = 0;
        page->since_us = start_us;
    }
    if (++page->visits > VISITS_AN_HOUR)
        cw_practice_break(log->findings, CW_PRACTICE_REVISITS, line, "%.120s: visit %u in %.0f minutes",
                          cw_tool_json_field(row, "url"), page->visits, (double)(start_us - page->since_us) / 60e6);
    else
        cw_practice_keep(log->findings, CW_PRACTICE_REVISITS);
}

static void see_answer(const cw_practice_log *log, practice_page *page, const json_t *row, uint64_t line)
{
    enum { NOT_MODIFIED = 304 };
    int64_t status = practice_count_of(row, "status");
    bool is_good = status >= 200 && status <= 299;
    page->run = log->run.number;
    if (cw_tool_json_field(row, "error") || !(is_good || status == 404 || status == 410))
        return;
    page->has_validator = is_good && practice_is(row, "validator");
    page->is_file = !practice_is_kind(row, "page");
    page->depth = (uint32_t)practice_count_of(row, "depth");
    page->line = line;
}

/* ---- requests ---- */

static cw_practice_request practice_request_of(const cw_practice_log *log, const json_t *row, uint64_t line)
{
    const char *site = cw_tool_json_field(row, "site");
    const char *hold = cw_tool_json_field(row, "hold_by");
    const char *pause_by = cw_tool_json_field(row, "pause_by");
    bool is_robots = practice_is_kind(row, "robots");
    bool follows = site && practice_is_kind(row, "tdmrep");
    crawl_slice host = crawl_slice_from(cw_tool_json_field(row, "host"));
    return (cw_practice_request){
        .line = line,
        .host = host,
        .site = site ? crawl_slice_from(site) : host,
        .is_robots = is_robots,
        .is_free = is_robots || follows || !log->run.obeys,
        .is_whole = log->run.is_whole,
        .start_us = practice_us_of(row, "start"),
        .pause_us = practice_us_of(row, "pause"),
        .is_as_asked = pause_by && strcmp(pause_by, "crawl-delay") == 0,
        .end_us = practice_us_of(row, "end"),
        .status = practice_count_of(row, "status"),
        .error = cw_tool_json_field(row, "error"),
        .rules = cw_tool_json_field(row, "rules"),
        .is_held = hold,
        .asks_to_wait = json_is_number(json_object_get(row, "retry_after")) || (hold && strcmp(hold, "ratelimit") == 0),
    };
}

/* Checks the depth. Links out of the crawl, which are checked, are one step beyond its limit. */
static void check_depth(cw_practice_log *log, const json_t *row, uint64_t line)
{
    int64_t depth = practice_count_of(row, "depth");
    log->deepest = depth > log->deepest ? depth : log->deepest;
    if (log->run.is_bounded && depth > log->run.depth + 1)
        cw_practice_break(log->findings, CW_PRACTICE_DEPTH, line,
                          "%" PRId64 " links from a seed, where %" PRId64 " are allowed", depth, log->run.depth);
    else if (log->run.is_bounded)
        cw_practice_keep(log->findings, CW_PRACTICE_DEPTH);
}

static const char *method_of(const json_t *row)
{
    const char *method = cw_tool_json_field(row, "method");
    return method ? method : "GET";
}

static crawl_err practice_depart(cw_practice_log *log, const json_t *row, uint64_t line)
{
    const char *method = method_of(row);
    const char *url = cw_tool_json_field(row, "url");
    practice_page *page = page_of(log, method, url);
    if (!page)
        return CRAWL_ENOMEM;
    crawl_err err = crawl_url_parse(log->url, crawl_slice_from(url), NULL, NULL);
    if (err)
        return err;
    log->requests++;
    check_page_url(log, page, row, line);
    check_depth(log, row, line);
    bool is_page = practice_is_kind(row, "page");
    bool is_get = strcmp(method, "GET") == 0, is_head = strcmp(method, "HEAD") == 0;
    log->gets += is_get;
    log->heads += is_head;
    if (is_get && (is_page || practice_is_kind(row, "sitemap")))
        check_conditional(log, page, row, line);
    bool has_body = !is_get && !is_head; /* which the log has not: requests of one URL may differ */
    if (is_page && !has_body && practice_count_of(row, "attempt") <= 1)
        count_visit(log, page, row, line);
    page->away_line = has_body ? 0 : line;
    page->run = log->run.number;
    cw_practice_request request = practice_request_of(log, row, line);
    return cw_practice_sites_depart(log->sites, &request, log->url);
}

static crawl_err practice_end(cw_practice_log *log, const json_t *row, uint64_t line)
{
    practice_page *page = page_of(log, method_of(row), cw_tool_json_field(row, "url"));
    const char *hold = cw_tool_json_field(row, "hold_by");
    if (!page)
        return CRAWL_ENOMEM;
    page->away_line = 0;
    see_answer(log, page, row, line);
    if (hold && strcmp(hold, "wall") == 0)
        cw_practice_log_wall(log, practice_us_of(row, "end"));
    cw_practice_request request = practice_request_of(log, row, line);
    return cw_practice_sites_end(log->sites, &request);
}

crawl_err cw_practice_log_row(cw_practice_log *log, cw_audit_event event, const json_t *row, uint64_t line)
{
    if (event == CW_AUDIT_RUN)
        return practice_begin_run(log, row, line);
    if (event == CW_AUDIT_RUN_END)
        log->run.is_open = false;
    return event == CW_AUDIT_DEPART ? practice_depart(log, row, line)
           : event == CW_AUDIT_END  ? practice_end(log, row, line)
                                    : CRAWL_OK;
}

/* ---- the whole ---- */

void cw_practice_log_violation(cw_practice_log *log, const cw_audit_violation *v)
{
    bool is_asked = v->reason && (strcmp(v->reason, "retry-after") == 0 || strcmp(v->reason, "ratelimit") == 0);
    cw_practice practice = v->kind == CW_AUDIT_TOO_SOON  ? CW_PRACTICE_PAUSE
                           : v->kind == CW_AUDIT_AT_ONCE ? CW_PRACTICE_AT_ONCE
                           : v->kind != CW_AUDIT_HELD    ? CW_PRACTICE_LOG
                           : is_asked                    ? CW_PRACTICE_RETRY_AFTER
                                                         : CW_PRACTICE_BACK_OFF;
    cw_practice_break(log->findings, practice, v->line, "%s, as said above", cw_audit_kind_name(v->kind));
}

void cw_practice_log_wall(cw_practice_log *log, int64_t at_us)
{
    cw_practice_agents_wall(&log->agents, at_us);
}

void cw_practice_log_end(cw_practice_log *log)
{
    cw_practice_findings *findings = log->findings;
    const cw_practice_row *rows = findings->rows;
    if (!log->requests)
        return;
    cw_practice_agents_end(&log->agents, findings);
    cw_practice_tell(findings, CW_PRACTICE_AT_ONCE, "%s", "");
    cw_practice_tell(findings, CW_PRACTICE_LOG, "%" PRIu64 " requests left; keep it", log->requests);
    if (log->files_as_pages)
        cw_practice_tell(findings, CW_PRACTICE_CONDITIONAL,
                         "%" PRIu64 " URLs were asked both as page and as sitemap or feed", log->files_as_pages);
    cw_practice_sites_close(log->sites);
    cw_practice_tell(findings, CW_PRACTICE_RETRY_AFTER, "%s",
                     rows[CW_PRACTICE_RETRY_AFTER].kept ? "" : "no answer asked to wait");
    cw_practice_tell(findings, CW_PRACTICE_BACK_OFF, "%s",
                     rows[CW_PRACTICE_BACK_OFF].kept ? "" : "no host had to be spared");
    if (rows[CW_PRACTICE_DEPTH].kept)
        cw_practice_tell(findings, CW_PRACTICE_DEPTH, "the deepest page is %" PRId64 " links from a seed",
                         log->deepest);
    if (!log->agents.count) /* this version did not write the method either */
        return;
    uint64_t others = log->requests - log->gets - log->heads;
    cw_practice_tell(findings, CW_PRACTICE_METHODS, "GET %" PRIu64 ", HEAD %" PRIu64 ", others %" PRIu64, log->gets,
                     log->heads, others);
    if (others > log->requests / 2)
        cw_practice_break(findings, CW_PRACTICE_METHODS, 0, "%" PRIu64 " of %" PRIu64 " requests are not GET or HEAD",
                          others, log->requests);
}
