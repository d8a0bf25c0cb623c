#include "tests/simulation/sim_web.h"

#include "tests/simulation/sim_fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Streams of numbers of the world. */
enum {
    PAGES = 1,
    KIND,
    LINKS,
    LINK,
    ROBOTS,
    CONNECT,
    ANSWER,
    FAILS,
    SPELLING,
    CRAWL_DELAY,
    CHANGE,
    CLOSED,
    STUTTERS,
    DATED,
    COOKIE
};
enum { GIVE_UP = 10 }; /* politeness.give_up */

static uint32_t of_host(uint32_t stream, uint32_t host, uint32_t sides)
{
    return (uint32_t)(sim_hash(stream, host, 0) % sides);
}

static uint32_t of_page(uint32_t stream, sim_place place, uint32_t sides)
{
    return (uint32_t)(sim_hash(stream, place.host, place.page + 1) % sides);
}

/* ---- what there is ---- */

uint32_t sim_web_pages(uint32_t host)
{
    uint32_t most = sim_world_now->caps.pages;
    uint32_t pages = 1 + of_host(PAGES, host, of_host(PAGES, host + SIM_HOSTS_MAX, 3) ? 8 : SIM_PAGES_MAX - 1);
    return most && most < pages ? most : pages;
}

/* Is there a robots.txt? */
static bool obeys(uint32_t host)
{
    return of_host(ROBOTS, host, 3) != 0;
}

/* Its robots.txt fails each time. */
static bool is_closed(uint32_t host)
{
    return host >= sim_web_seeds() && of_host(CLOSED, host, 8) == 0;
}

bool sim_web_forbids(sim_place place)
{
    return is_closed(place.host) || (sim_web_kind(place) == SIM_PRIVATE && obeys(place.host));
}

/* Milliseconds; 0: none is asked for. */
static uint32_t crawl_delay_ms(uint32_t host)
{
    return obeys(host) && of_host(CRAWL_DELAY, host, 4) == 0 ? 2000 : 0;
}

sim_kind sim_web_kind(sim_place place)
{
    uint32_t of_100 = of_page(KIND, place, 100);
    if (sim_world_now->plan.days)
        return SIM_PAGE;
    if (sim_world_now->plan.is_strict)
        return of_100 < 90 ? SIM_PAGE : SIM_MISSING;
    if (place.page == 0 || (sim_world_now->caps.no_failures && of_100 >= 78 && of_100 < 93)) /* 0: a seed, or a door */
        return SIM_PAGE;
    if (sim_world_now->plan.redirects != SIM_REDIRECTS_ALL && of_100 >= 30 && of_100 < 60)
        return SIM_REDIRECT;
    return of_100 < 60   ? SIM_PAGE
           : of_100 < 70 ? SIM_REDIRECT
           : of_100 < 78 ? SIM_MISSING
           : of_100 < 90 ? SIM_FLAKY
           : of_100 < 93 ? SIM_DEAD
                         : SIM_PRIVATE;
}

unsigned sim_web_links(sim_place place)
{
    return sim_web_kind(place) == SIM_REDIRECT ? 1 : of_page(LINKS, place, 7);
}

sim_place sim_web_link(sim_place place, unsigned n)
{
    uint64_t chosen = sim_hash(LINK, (uint64_t)place.host << 32 | place.page, n);
    sim_place to = {.host = place.host};
    if (chosen % 10 >= 7)
        to.host = (uint32_t)(chosen / 10 % sim_world_now->plan.hosts);
    to.page = (uint32_t)(chosen / 10000 % sim_web_pages(to.host));
    return to;
}

bool sim_web_is_linked(sim_place from, sim_place to)
{
    for (unsigned i = 0; i < sim_web_links(from); i++) {
        sim_place link = sim_web_link(from, i);
        if (link.host == to.host && link.page == to.page)
            return true;
    }
    return false;
}

uint32_t sim_web_seeds(void)
{
    uint32_t most = sim_world_now->plan.hosts;
    return most < 3 ? 1 : 1 + (uint32_t)(sim_hash(LINK, 1, 1) % 3);
}

/* ---- URLs ---- */

static void put_path(sim_place place, crawl_buf *out)
{
    crawl_buf_printf(out, "/%sp%u", sim_web_kind(place) == SIM_PRIVATE ? "private/" : "", place.page);
}

void sim_web_url(sim_place place, crawl_buf *out)
{
    crawl_buf_printf(out, "http://h%u.site.example", place.host);
    put_path(place, out);
}

bool sim_web_find(crawl_slice url, uint32_t *host, crawl_slice *path)
{
    unsigned number = 0;
    int size = 0;
    char text[256] = "";
    if (url.size >= sizeof text)
        return false;
    memcpy(text, url.data, url.size);
    if (sscanf(text, "http://h%u.site.example%n", &number, &size) != 1 || !size || text[size] != '/')
        return false;
    *host = number;
    *path = crawl_slice_of(url.data + size, url.size - (size_t)size);
    return number < sim_world_now->plan.hosts;
}

bool sim_web_page(uint32_t host, crawl_slice path, sim_place *out)
{
    for (uint32_t i = 0; i < sim_web_pages(host); i++) {
        crawl_buf own = {0};
        *out = (sim_place){host, i};
        put_path(*out, &own);
        bool same = crawl_slice_equal(path, crawl_slice_of(own.data, own.size));
        crawl_buf_free(&own);
        if (same)
            return true;
    }
    return false;
}

/* A link in one of the spellings that mean the same URL. */
static void put_link(sim_place from, unsigned n, crawl_buf *out)
{
    sim_place to = sim_web_link(from, n);
    uint64_t spelling = sim_hash(SPELLING, (uint64_t)from.host << 32 | from.page, n) % 6;
    if (spelling == 0 || to.host != from.host)
        crawl_buf_printf(out, spelling == 1 ? "HTTP://H%u.Site.Example:80" : "http://h%u.site.example", to.host);
    else if (spelling == 2)
        crawl_buf_printf(out, "/x/..");
    put_path(to, out);
    if (spelling == 3)
        crawl_buf_printf(out, "#part");
}

/* Seconds for which a host's cookies are good; 0: for the session. */
static uint32_t cookie_s(uint32_t host)
{
    static const uint32_t ages_s[] = {0, 120, 86400};
    return ages_s[of_host(COOKIE, host + SIM_HOSTS_MAX, sizeof ages_s / sizeof *ages_s)];
}

/* ---- what must be true of a request ---- */

enum { LATE_US = 1000000 };

static bool is_robots(crawl_slice path)
{
    return crawl_slice_equal(path, crawl_slice_from("/robots.txt"));
}

static void check_pace(uint32_t number, const sim_host *host)
{
    const sim_plan *plan = &sim_world_now->plan;
    int64_t now = sim_world_now->now_us;
    int64_t pause_us = (int64_t)plan->delay_ms * 1000;
    int64_t asked_us = (int64_t)crawl_delay_ms(number) * 1000;
    if (host->robots_us != INT64_MIN && !host->is_unsure && pause_us < asked_us)
        pause_us = asked_us;
    if (host->asked_us != INT64_MIN && now - host->asked_us < pause_us)
        sim_fault("h%u was asked %lld us after the last request, not %lld", number, (long long)(now - host->asked_us),
                  (long long)pause_us);
    if (now < host->held_us)
        sim_fault("h%u was asked %lld us before its Retry-After ended", number, (long long)(host->held_us - now));
    if (host->in_flight >= plan->per_host)
        sim_fault("h%u has %u requests at once", number, host->in_flight + 1);
}

/* The last that came is sent, as long as it is good, and none else. Files keep dates in seconds. */
static void check_cookies(uint32_t number, const sim_host *host, crawl_slice cookies)
{
    char wanted[32] = "";
    int64_t age_us = sim_world_now->now_us - host->cookie_us;
    int64_t most_us = cookie_s(number) ? (int64_t)cookie_s(number) * 1000000 : INT64_MAX - LATE_US;
    bool is_near = age_us > most_us - LATE_US && age_us < most_us + LATE_US;
    if (host->cookie_is_unsure || is_near)
        return;
    if (host->cookie && age_us < most_us)
        snprintf(wanted, sizeof wanted, "visit=%u", host->cookie);
    if (!crawl_slice_equal(cookies, crawl_slice_from(wanted)))
        sim_fault("h%u was sent the cookies \"%.*s\", not \"%s\"", number, (int)cookies.size, cookies.data, wanted);
}

uint32_t sim_web_depths(void)
{
    uint32_t depth = sim_world_now->plan.depth;
    return depth <= SIM_DEPTH_MAX ? depth + 1 : 1;
}

/* min_interval, less the tenth by which intervals vary. */
static void check_revisit(sim_place place, const sim_page *page)
{
    const int64_t least_us = (int64_t)270 * 1000000;
    sim_kind kind = sim_web_kind(place);
    bool may_fail = kind == SIM_FLAKY || kind == SIM_DEAD;
    if (sim_web_depths() == 1 && page->answered && page->life == sim_world_now->life && !may_fail &&
        sim_world_now->now_us - page->asked_us < least_us)
        sim_fault("h%u/p%u was visited again after %lld us", place.host, place.page,
                  (long long)(sim_world_now->now_us - page->asked_us));
}

/* A kill takes nothing that had come to its end well before it. */
static void check_over_kill(sim_place place, const sim_page *page)
{
    const sim_world *world = sim_world_now;
    sim_kind kind = sim_web_kind(place);
    bool may_come_again = kind == SIM_FLAKY || kind == SIM_DEAD || sim_web_depths() > 1 || world->plan.revisit_hours;
    if (!may_come_again && page->is_kept)
        sim_fault("h%u/p%u was asked again after a kill, though it was answered %lld us before that", place.host,
                  place.page, (long long)(world->ended_us - page->answered_us));
    if (world->was_short)
        sim_fault("h%u/p%u is asked for, but the life before ended with room for more", place.host, place.page);
}

static void check_page(sim_place place, const sim_host *host)
{
    const sim_plan *plan = &sim_world_now->plan;
    const sim_page *page = &host->pages[place.page];
    if (host->robots_us == INT64_MIN)
        sim_fault("h%u/p%u was asked before robots.txt", place.host, place.page);
    if (sim_web_forbids(place))
        sim_fault("h%u/p%u is forbidden by robots.txt", place.host, place.page);
    if (sim_world_now->plan.revisit_hours)
        check_revisit(place, page);
    else if (sim_web_depths() == 1 && page->answered && page->life == sim_world_now->life &&
             sim_web_kind(place) != SIM_DEAD && !(sim_web_kind(place) == SIM_FLAKY && page->answered < 2))
        sim_fault("h%u/p%u was asked again", place.host, place.page);
    uint32_t most = (plan->retries + 1) * sim_web_depths() + sim_world_now->repeats;
    if (!plan->revisit_hours && page->asked >= most)
        sim_fault("h%u/p%u was asked %u times, and might be %u", place.host, place.page, page->asked + 1, most);
    check_over_kill(place, page);
    int64_t late_us = sim_world_now->now_us - sim_world_now->began_us - (int64_t)plan->max_seconds * 1000000;
    if (plan->max_seconds && late_us > LATE_US)
        sim_fault("h%u/p%u was asked %lld us after --max-time", place.host, place.page, (long long)late_us);
    if (sim_web_depths() == 1 && page->in_flight)
        sim_fault("h%u/p%u is asked twice at once", place.host, place.page);
}

/* ---- answers ---- */

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
    static const int64_t periods_us[] = {INT64_MAX, (int64_t)600 * 1000000, (int64_t)3600 * 1000000};
    int64_t edition = sim_world_now->now_us / periods_us[of_page(CHANGE, place, 3)];
    if (sim_world_now->plan.days)
        edition = sim_fresh_edition(place);
    crawl_buf_printf(&out->body, "<p>Edition %lld.\n", (long long)edition);
    for (unsigned i = 0; i < sim_web_links(place); i++) {
        crawl_buf_printf(&out->body, "<a href=\"");
        put_link(place, i, &out->body);
        crawl_buf_printf(&out->body, "\">%u</a>\n", i);
    }
}

/* The same in several words: groups of others, of this crawler by name, and the longest rule that counts. */
static void put_rules(uint32_t host, crawl_buf *out)
{
    static const char *const groups[][2] = {
        {"User-agent: *\nDisallow: /private/\n", ""},
        {"User-agent: crawl\nDisallow: /private/\n", "\nUser-agent: *\nDisallow: /\n"},
        {"User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n", ""},
        {"User-agent: *\nDisallow: /\nAllow: /p\nDisallow: /private/\n", ""},
        {"User-agent: crawl\nUser-agent: other\nDisallow: /private\nAllow: /\n", "\nUser-agent: *\nAllow: /private\n"},
    };
    uint32_t which = of_host(ROBOTS, host + SIM_HOSTS_MAX, sizeof groups / sizeof *groups);
    crawl_buf_append_text(out, groups[which][0]);
    if (crawl_delay_ms(host))
        crawl_buf_printf(out, "Crawl-delay: %u\n", crawl_delay_ms(host) / 1000);
    crawl_buf_append_text(out, groups[which][1]);
}

static void fill_robots(uint32_t host, bool first, sim_answer *out)
{
    bool stutters = first && of_host(STUTTERS, host, 5) == 0;
    put_head(out, "Content-Type", "text/plain");
    out->status = is_closed(host) || stutters ? 500 : obeys(host) ? 200 : 404;
    if (out->status == 200)
        put_rules(host, &out->body);
}

/* Of some pages of some hosts. One that ends with the session lives on with a state. */
static void put_cookie(sim_place place, sim_answer *out)
{
    char text[64];
    if (!sim_world_now->plan.cookies || of_host(COOKIE, place.host, 2) || of_page(COOKIE, place, 3) == 0)
        return;
    out->cookie = ++sim_world_now->hosts[place.host].given;
    snprintf(text, sizeof text, "visit=%u; Path=/", out->cookie);
    if (cookie_s(place.host))
        snprintf(text + strlen(text), sizeof text - strlen(text), "; Max-Age=%u", cookie_s(place.host));
    put_head(out, "Set-Cookie", text);
}

static uint32_t wait_s(sim_place place)
{
    return 1 + of_page(FAILS, place, 40);
}

static void fill_wait(sim_place place, sim_answer *out)
{
    char text[32];
    struct tm date;
    time_t until = (time_t)(sim_world_now->now_us / 1000000) + 1 + wait_s(place);
    out->status = of_page(FAILS, place, 2) ? 503 : 429;
    if (of_page(DATED, place, 2)) {
        snprintf(text, sizeof text, "%u", wait_s(place));
    } else {
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&until, &date));
        out->until_us = (int64_t)until * 1000000;
    }
    put_head(out, "Retry-After", text);
}

static void fill_failure(sim_place place, sim_answer *out)
{
    static const crawl_fetch_error errors[] = {CRAWL_FETCH_RESET, CRAWL_FETCH_TIMEOUT};
    uint32_t how = of_page(FAILS, place, 5);
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

static void fill_answer(sim_place place, bool first, sim_answer *out)
{
    sim_kind kind = sim_web_kind(place);
    if (kind == SIM_MISSING || kind == SIM_DEAD) {
        out->status = sim_web_status(place);
    } else if (kind == SIM_REDIRECT) {
        crawl_buf to = {0};
        out->status = sim_web_status(place);
        put_link(place, 0, &to);
        crawl_buf_printf(&out->head, "Location: %.*s\n", (int)to.size, to.data);
        crawl_buf_free(&to);
    } else if (kind == SIM_FLAKY && first) {
        fill_failure(place, out);
    } else {
        fill_page(place, out);
        put_cookie(place, out);
    }
}

int sim_web_status(sim_place place)
{
    static const int of_kind[] = {[SIM_PAGE] = 200,    [SIM_FLAKY] = 200, [SIM_PRIVATE] = 200,
                                  [SIM_MISSING] = 404, [SIM_DEAD] = 500,  [SIM_REDIRECT] = 0};
    static const int redirects[] = {301, 302, 303, 307, 308};
    sim_kind kind = sim_web_kind(place);
    return kind == SIM_REDIRECT ? redirects[of_page(FAILS, place, 5)] : of_kind[kind];
}

int64_t sim_web_connect_us(uint32_t host)
{
    static const uint32_t most_us[] = {500, 20000, 400000};
    uint32_t kind = of_host(CONNECT, host, 3);
    bool is_kept = kind == 0 && sim_throw(4); /* a connection is there, and the request leaves at once */
    return is_kept ? 0 : 100 + sim_throw(most_us[kind]);
}

void sim_web_ask(uint32_t number, crawl_slice path, crawl_slice cookies, sim_answer *out)
{
    static const uint32_t most_us[] = {2000, 300000, 3000000};
    sim_world *world = sim_world_now;
    sim_host *host = &world->hosts[number];
    sim_place place;
    check_pace(number, host);
    check_cookies(number, host, cookies);
    out->first_us = 100 + sim_throw(most_us[of_host(ANSWER, number, 3)]);
    out->rest_us = sim_throw(2000);
    if (is_robots(path)) {
        fill_robots(number, host->robots_asked++ == 0, out);
    } else if (sim_web_page(number, path, &place)) {
        sim_page *page = &host->pages[place.page];
        check_page(place, host);
        world->asked++;
        if (world->plan.days)
            sim_fresh_visit(place);
        if (world->plan.is_strict && world->order_count < SIM_PAGES_MAX)
            world->order[world->order_count++] = place.page;
        page->asked++;
        page->in_flight = true;
        page->asked_us = world->now_us;
        page->life = world->life;
        fill_answer(place, page->asked + page->cancelled == 1, out);
    } else {
        sim_fault("h%u was asked for %.*s, to which there is no link", number, (int)path.size, path.data);
        out->status = 404;
    }
    if (out->error == CRAWL_FETCH_TIMEOUT)
        out->first_us = 60000000;
    host->asked_us = world->now_us;
    host->in_flight++;
    world->requests++;
    sim_step("ask h%u%.*s", number, (int)path.size, path.data);
}

void sim_web_head(uint32_t number, const sim_answer *answer)
{
    sim_host *host = &sim_world_now->hosts[number];
    if (!answer->cookie)
        return;
    host->cookie = answer->cookie;
    host->cookie_us = sim_world_now->now_us;
    host->cookie_is_unsure = false;
}

static void end_page(sim_page *page, bool told, bool came)
{
    page->in_flight = false;
    page->answered += came;
    if (came)
        page->answered_us = sim_world_now->now_us;
    if (told)
        return;
    page->asked--;
    page->cancelled++;
}

static void count_failure(sim_host *host, bool failed)
{
    host->failures = failed ? host->failures + 1 : 0;
    host->gave_up = host->gave_up || host->failures >= GIVE_UP;
    sim_world_now->gave_up = sim_world_now->gave_up || host->gave_up;
}

void sim_web_end(uint32_t number, crawl_slice path, const sim_answer *answer, bool told)
{
    sim_world *world = sim_world_now;
    sim_host *host = &world->hosts[number];
    sim_place place;
    host->in_flight--;
    bool came = told && answer->status && !answer->error;
    if (told)
        count_failure(host, !came || answer->status >= 500);
    if (is_robots(path) && came && answer->status < 500) {
        host->robots_us = world->now_us;
        host->is_unsure = false;
    } else if (sim_web_page(number, path, &place)) {
        world->good += came && answer->status == 200;
        end_page(&host->pages[place.page], told, came);
    }
    if (came && (answer->status == 503 || answer->status == 429)) {
        host->told_us = world->now_us;
        host->held_us = answer->until_us ? answer->until_us : world->now_us + (int64_t)wait_s(place) * 1000000;
    }
    sim_step("end h%u%.*s %d %s", number, (int)path.size, path.data, answer->status,
             told ? crawl_fetch_error_name(answer->error) : "cancelled");
}
