#include "tools/audit/practices/practice_sites.h"

#include "base/bytes.h"
#include "base/map.h"

#include <crawl/robots.h>
#include <stdlib.h>

#define HOUR_US ((int64_t)3600 * 1000000)

/* A page passes a robots.txt that is less than a day old, and then waits for its pause and a connection. */
#define ROBOTS_AGE_US (24 * HOUR_US + HOUR_US / 12)

/* Pauses of this length are not doubled. */
#define LONGEST_PAUSE_US ((int64_t)30 * 1000000)

typedef struct practice_site {
    bool is_known; /* its robots.txt was requested */
    int64_t known_us;
    int64_t status;       /* of that robots.txt */
    bool is_refused;      /* everything is refused */
    bool is_unread;       /* the log lacks its rules */
    crawl_robots *robots; /* NULL: everything is allowed, refused, or unread */
    uint64_t requests;
    uint64_t slow_line; /* of a 429 or 503 without a hold; 0: none */
    int64_t slow_end_us, slow_pause_us;
    unsigned failures; /* in a row */
    int64_t failed_us; /* end of the last failure */
    char text[];       /* origin */
} practice_site;

struct cw_practice_sites {
    cw_practice_findings *findings;
    cw_map *sites;
    crawl_buf rules;
    int64_t oldest_us; /* maximum age of a robots.txt when a page was requested */
};

cw_practice_sites *cw_practice_sites_create(cw_practice_findings *findings)
{
    cw_practice_sites *sites = calloc(1, sizeof *sites);
    if (!sites)
        return NULL;
    sites->findings = findings;
    sites->sites = cw_map_create((uintptr_t)sites);
    if (sites->sites)
        return sites;
    free(sites);
    return NULL;
}

void cw_practice_sites_free(cw_practice_sites *sites)
{
    if (!sites)
        return;
    size_t cursor = 0;
    for (practice_site *one; (one = cw_map_next(sites->sites, &cursor));)
        crawl_robots_free(one->robots);
    cw_map_free_values(sites->sites);
    crawl_buf_free(&sites->rules);
    free(sites);
}

/* NULL: out of memory. */
static practice_site *site_of(cw_practice_sites *sites, crawl_slice origin)
{
    practice_site *one = cw_map_get(sites->sites, origin);
    return one ? one : cw_map_make(sites->sites, origin, sizeof *one, offsetof(practice_site, text));
}

/* ---- robots.txt ---- */

/* Parses "NUMBER: RULE" lines as the group of all agents. */
static crawl_err parse_rules(cw_practice_sites *sites, practice_site *site, const char *text)
{
    crawl_slice rest = crawl_slice_from(text);
    crawl_buf_clear(&sites->rules);
    crawl_err err = crawl_buf_append_text(&sites->rules, "User-agent: *\n");
    while (!err && rest.size) {
        crawl_slice line = cw_cut_line(&rest);
        cw_cut(&line, ':');
        err = crawl_buf_append(&sites->rules, line.data, line.size);
        if (!err)
            err = crawl_buf_append_char(&sites->rules, '\n');
    }
    return err ? err : crawl_robots_parse(crawl_buf_slice(&sites->rules), (crawl_slice){0}, &site->robots);
}

static crawl_err take_robots(cw_practice_sites *sites, const cw_practice_request *r)
{
    enum { TOO_MANY_REQUESTS = 429 };
    practice_site *site = site_of(sites, r->site);
    if (!site)
        return CRAWL_ENOMEM;
    int status = r->error ? 0 : (int)r->status;
    crawl_robots_free(site->robots);
    site->robots = NULL;
    site->is_known = true;
    site->known_us = r->end_us;
    site->status = status;
    site->is_unread = crawl_robots_effect_of(status) == CRAWL_ROBOTS_PARSE && !r->rules;
    site->is_refused = status == TOO_MANY_REQUESTS || crawl_robots_effect_of(status) == CRAWL_ROBOTS_DISALLOW_ALL;
    return r->rules ? parse_rules(sites, site, r->rules) : CRAWL_OK;
}

static void check_rules(cw_practice_sites *sites, const practice_site *site, const cw_practice_request *r,
                        const crawl_url *url)
{
    crawl_slice href = crawl_url_request(url);
    if (site->is_unread)
        return;
    if (site->is_refused) {
        cw_practice_break(sites->findings, CW_PRACTICE_ROBOTS_OBEYED, r->line,
                          "%.*s, though robots.txt was answered with status %d", (int)href.size, href.data,
                          (int)site->status);
        return;
    }
    crawl_robots_verdict verdict = {.allowed = true};
    if (site->robots)
        verdict = crawl_robots_check(site->robots, url);
    if (verdict.allowed)
        cw_practice_keep(sites->findings, CW_PRACTICE_ROBOTS_OBEYED);
    else
        cw_practice_break(sites->findings, CW_PRACTICE_ROBOTS_OBEYED, r->line, "%.*s is forbidden by \"%.*s\"",
                          (int)(href.size < 120 ? href.size : 120), href.data, (int)verdict.rule.size,
                          verdict.rule.data);
}

static void check_robots_txt(cw_practice_sites *sites, const practice_site *site, const cw_practice_request *r,
                             const crawl_url *url)
{
    if (!site->is_known) {
        if (r->is_whole)
            cw_practice_break(sites->findings, CW_PRACTICE_ROBOTS_FIRST, r->line,
                              "%.*s: its robots.txt had not been answered", (int)r->host.size, r->host.data);
        return;
    }
    cw_practice_keep(sites->findings, CW_PRACTICE_ROBOTS_FIRST);
    int64_t age_us = r->start_us - site->known_us;
    sites->oldest_us = age_us > sites->oldest_us ? age_us : sites->oldest_us;
    if (age_us > ROBOTS_AGE_US)
        cw_practice_break(sites->findings, CW_PRACTICE_ROBOTS_DAY, r->line, "%.*s: its robots.txt is %.1f hours old",
                          (int)r->host.size, r->host.data, (double)age_us / (double)HOUR_US);
    else
        cw_practice_keep(sites->findings, CW_PRACTICE_ROBOTS_DAY);
    check_rules(sites, site, r, url);
}

/* ---- patience ---- */

static void check_slower(cw_practice_sites *sites, practice_site *site, const cw_practice_request *r)
{
    if (!site->slow_line || r->start_us < site->slow_end_us)
        return;
    if (r->pause_us > site->slow_pause_us || r->pause_us >= LONGEST_PAUSE_US || r->is_as_asked)
        cw_practice_keep(sites->findings, CW_PRACTICE_BACK_OFF);
    else
        cw_practice_break(sites->findings, CW_PRACTICE_BACK_OFF, r->line,
                          "%.*s: the same pause as before the 429 or 503 of line %llu", (int)r->host.size, r->host.data,
                          (unsigned long long)site->slow_line);
    site->slow_line = 0;
}

/* Returns true if this is the answer of a host in trouble. */
static bool is_failure(const cw_practice_request *r)
{
    enum { NOT_IMPLEMENTED = 501, HTTP_VERSION = 505 };
    static const char *const troubles[] = {"connect", "timeout", "reset"};
    if (r->error)
        return cw_is_among(crawl_slice_from(r->error), troubles, sizeof troubles / sizeof *troubles);
    return r->status >= 500 && r->status <= 599 && r->status != NOT_IMPLEMENTED && r->status != HTTP_VERSION;
}

/* Demands a hold after two failures in a row. Failures of requests that were under way together count as one. */
static void check_failure(cw_practice_sites *sites, practice_site *site, const cw_practice_request *r)
{
    if (!is_failure(r)) {
        site->failures = r->error ? site->failures : 0;
        return;
    }
    if (site->failures && r->start_us < site->failed_us)
        return;
    site->failures++;
    site->failed_us = r->end_us;
    if (r->is_held)
        cw_practice_keep(sites->findings, CW_PRACTICE_BACK_OFF);
    else if (site->failures > 1)
        cw_practice_break(sites->findings, CW_PRACTICE_BACK_OFF, r->line, "%.*s: failure %u in a row, and no hold",
                          (int)r->host.size, r->host.data, site->failures);
}

static void see_slow(practice_site *site, const cw_practice_request *r)
{
    enum { TOO_MANY_REQUESTS = 429, UNAVAILABLE = 503 };
    if (r->error || (r->status != TOO_MANY_REQUESTS && r->status != UNAVAILABLE) || r->is_held)
        return;
    site->slow_line = r->line;
    site->slow_end_us = r->end_us;
    site->slow_pause_us = r->pause_us;
}

/* ---- the whole ---- */

void cw_practice_sites_begin(cw_practice_sites *sites)
{
    size_t cursor = 0;
    for (practice_site *one; (one = cw_map_next(sites->sites, &cursor));) {
        one->failures = 0;
        one->slow_line = 0;
    }
}

crawl_err cw_practice_sites_depart(cw_practice_sites *sites, const cw_practice_request *r, const crawl_url *url)
{
    practice_site *site = site_of(sites, r->host);
    if (!site)
        return CRAWL_ENOMEM;
    if (site->requests++ && !r->pause_us)
        cw_practice_break(sites->findings, CW_PRACTICE_PAUSE, r->line, "%.*s: no pause at all (--delay 0)",
                          (int)r->host.size, r->host.data);
    else if (site->requests > 1)
        cw_practice_keep(sites->findings, CW_PRACTICE_PAUSE);
    check_slower(sites, site, r);
    if (!r->is_free)
        check_robots_txt(sites, site, r, url);
    return CRAWL_OK;
}

crawl_err cw_practice_sites_end(cw_practice_sites *sites, const cw_practice_request *r)
{
    practice_site *site = site_of(sites, r->host);
    if (!site)
        return CRAWL_ENOMEM;
    if (r->error && strcmp(r->error, "cancelled") == 0)
        return CRAWL_OK;
    if (r->asks_to_wait)
        cw_practice_keep(sites->findings, CW_PRACTICE_RETRY_AFTER);
    check_failure(sites, site, r);
    see_slow(site, r);
    return r->is_robots ? take_robots(sites, r) : CRAWL_OK;
}

void cw_practice_sites_close(cw_practice_sites *sites)
{
    const cw_practice_row *row = &sites->findings->rows[CW_PRACTICE_ROBOTS_DAY];
    if (row->kept)
        cw_practice_tell(sites->findings, CW_PRACTICE_ROBOTS_DAY, "at most %.1f hours old when a page was asked",
                         (double)sites->oldest_us / (double)HOUR_US);
}
