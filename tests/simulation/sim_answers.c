/* Builds the answers of the hosts of a world. */
#include "tests/simulation/sim_parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void put_head(sim_answer *out, const char *name, const char *value)
{
    crawl_buf_printf(&out->head, "%s: %s\n", name, value);
}

static void fill_page(sim_place place, sim_answer *out)
{
    out->status = 200;
    put_head(out, "Content-Type", "text/html; charset=utf-8");
    crawl_buf_printf(&out->body, "<!doctype html><title>h%u p%u</title><p>Page %u of host %u.\n", place.host,
                     place.page, place.page, place.host);
    int64_t edition = sim_world_now->now_us / sim_web_period_us(place);
    if (sim_world_now->plan.days)
        edition = sim_world_now->hosts[place.host].pages[place.page].changes;
    crawl_buf_printf(&out->body, "<p>Edition %lld.\n", (long long)edition);
    for (unsigned i = 0; i < sim_web_links(place); i++) {
        crawl_buf_printf(&out->body, "<a href=\"");
        sim_web_put_link(place, i, &out->body);
        crawl_buf_printf(&out->body, "\">%u</a>\n", i);
    }
}

/* Extra rules of each host in large worlds: all of them exceed --set=state.site_memory. */
enum { RULES_OF_MANY = 20 };

/* Appends equivalent rules in one of several forms: groups of others, a group of this crawler, and a longest match. */
static void put_rules(uint32_t host, crawl_buf *out)
{
    static const char *const groups[][2] = {
        {"User-agent: *\nDisallow: /private/\n", ""},
        {"User-agent: crawl\nDisallow: /private/\n", "\nUser-agent: *\nDisallow: /\n"},
        {"User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n", ""},
        {"User-agent: *\nDisallow: /\nAllow: /p\nDisallow: /private/\n", ""},
        {"User-agent: crawl\nUser-agent: other\nDisallow: /private\nAllow: /\n", "\nUser-agent: *\nAllow: /private\n"},
    };
    uint32_t which = sim_of_host(ROBOTS, host + SIM_HOSTS_DRAWN, sizeof groups / sizeof *groups);
    crawl_buf_append_text(out, groups[which][0]);
    for (unsigned i = 0; sim_world_now->plan.hosts > SIM_HOSTS_FEW && i < RULES_OF_MANY; i++)
        crawl_buf_printf(out, "Disallow: /closed/for/robots/%u/\n", i);
    if (sim_web_delay_ms(host))
        crawl_buf_printf(out, "Crawl-delay: %u\n", sim_web_delay_ms(host) / 1000);
    crawl_buf_append_text(out, groups[which][1]);
}

void sim_answers_robots(uint32_t host, bool first, sim_answer *out)
{
    bool stutters = first && sim_of_host(STUTTERS, host, 5) == 0;
    put_head(out, "Content-Type", "text/plain");
    out->status = sim_web_is_closed(host) || stutters ? 500 : sim_web_has_robots(host) ? 200 : 404;
    if (out->status == 200) {
        put_rules(host, &out->body);
        sim_maps_put_line(host, &out->body);
    }
}

/* Sets a cookie on some pages of some hosts. A session cookie lives on in the state. */
static void put_cookie(sim_place place, sim_answer *out)
{
    char text[64];
    if (!sim_world_now->plan.cookies || sim_of_host(COOKIE, place.host, 2) || sim_of_page(COOKIE, place, 3) == 0)
        return;
    out->cookie = ++sim_world_now->hosts[place.host].given;
    snprintf(text, sizeof text, "visit=%u; Path=/", out->cookie);
    if (sim_web_cookie_s(place.host))
        snprintf(text + strlen(text), sizeof text - strlen(text), "; Max-Age=%u", sim_web_cookie_s(place.host));
    put_head(out, "Set-Cookie", text);
}

uint32_t sim_answers_wait_s(sim_place place)
{
    return 1 + sim_of_page(FAILS, place, 40);
}

static void fill_wait(sim_place place, sim_answer *out)
{
    char text[32];
    struct tm date;
    time_t until = (time_t)(sim_world_now->now_us / 1000000) + 1 + sim_answers_wait_s(place);
    out->status = sim_of_page(FAILS, place, 2) ? 503 : 429;
    if (sim_of_page(DATED, place, 2)) {
        snprintf(text, sizeof text, "%u", sim_answers_wait_s(place));
    } else {
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&until, &date));
        out->until_us = (int64_t)until * 1000000;
    }
    put_head(out, "Retry-After", text);
}

static void fill_failure(sim_place place, sim_answer *out)
{
    static const crawl_fetch_error errors[] = {CRAWL_FETCH_RESET, CRAWL_FETCH_TIMEOUT};
    uint32_t how = sim_of_page(FAILS, place, 5);
    if (how < 2)
        out->error = errors[how];
    else if (how == 2)
        out->status = 502;
    else if (how == 3)
        fill_wait(place, out);
    else {
        fill_page(place, out);
        out->body.size /= 2;
        out->error = CRAWL_FETCH_RESET;
    }
}

void sim_answers_wall(sim_answer *out)
{
    out->status = 403;
    out->is_wall = true;
    put_head(out, "Content-Type", "text/html");
    put_head(out, "cf-mitigated", "challenge");
    crawl_buf_append_text(&out->body, "<title>Just a moment...</title><a href=/nowhere>Go on</a>\n");
}

void sim_answers_page(sim_place place, bool first, sim_answer *out)
{
    sim_kind kind = sim_web_kind(place);
    if (sim_web_is_gone(place)) {
        out->status = 410;
    } else if (kind == SIM_MISSING || kind == SIM_DEAD) {
        out->status = sim_web_status(place);
    } else if (kind == SIM_REDIRECT) {
        crawl_buf to = {0};
        out->status = sim_web_status(place);
        sim_web_put_link(place, 0, &to);
        crawl_buf_printf(&out->head, "Location: %.*s\n", (int)to.size, to.data);
        crawl_buf_free(&to);
    } else if (kind == SIM_SOFT) {
        out->status = sim_web_status(place);
        put_head(out, "Content-Type", "text/html");
        crawl_buf_append_text(&out->body, "<title>Page not found</title><p>Gone. <a href=/nowhere>Go on</a>\n");
    } else if (kind == SIM_FLAKY && first) {
        fill_failure(place, out);
    } else {
        fill_page(place, out);
        put_cookie(place, out);
    }
}

int sim_web_status(sim_place place)
{
    static const int of_kind[] = {[SIM_PAGE] = 200,    [SIM_FLAKY] = 200, [SIM_PRIVATE] = 200, [SIM_SOFT] = 200,
                                  [SIM_MISSING] = 404, [SIM_DEAD] = 500,  [SIM_REDIRECT] = 0};
    static const int redirects[] = {301, 302, 303, 307, 308};
    sim_kind kind = sim_web_kind(place);
    return kind == SIM_REDIRECT ? redirects[sim_of_page(FAILS, place, 5)] : of_kind[kind];
}

int64_t sim_web_connect_us(uint32_t host)
{
    static const uint32_t most_us[] = {500, 20000, 400000};
    uint32_t kind = sim_of_host(CONNECT, host, 3);
    bool is_kept = kind == 0 && sim_throw(4); /* the connection exists, and the request leaves at once */
    return is_kept ? 0 : 100 + sim_throw(most_us[kind]);
}
