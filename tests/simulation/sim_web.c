#include "tests/simulation/sim_parts.h"

#include "tests/simulation/sim_crew.h"
#include "tests/simulation/sim_fresh.h"

#include <stdio.h>
#include <string.h>

enum { GIVE_UP = 10 }; /* politeness.give_up */

/* ---- hosts and pages ---- */

uint32_t sim_web_pages(uint32_t host)
{
    uint32_t most = sim_world_now->caps.pages;
    /* A shared crawl with revisits lasts only minutes. */
    bool is_short = sim_world_now->plan.processes && sim_world_now->plan.revisit_s;
    bool has_few = is_short || sim_of_host(PAGES, host + SIM_HOSTS_DRAWN, 3);
    uint32_t pages = 1 + sim_of_host(PAGES, host, has_few ? 8 : SIM_PAGES_MAX - 1);
    return most && most < pages ? most : pages;
}

/* Returns the number of hosts that page 0 of the host leads to if there are many; 0: these links are at random. */
static unsigned children_of(uint32_t host)
{
    uint32_t hosts = sim_world_now->plan.hosts;
    uint32_t first = host * SIM_CHILDREN + 1;
    if (hosts <= SIM_HOSTS_MANY || first >= hosts)
        return 0;
    return hosts - first < SIM_CHILDREN ? hosts - first : SIM_CHILDREN;
}

bool sim_web_has_robots(uint32_t host)
{
    return sim_of_host(ROBOTS, host, 3) != 0;
}

bool sim_web_is_closed(uint32_t host)
{
    return host >= sim_web_seeds() && sim_of_host(CLOSED, host, 8) == 0 && !children_of(host);
}

bool sim_web_forbids(sim_place place)
{
    return sim_web_is_closed(place.host) || (sim_web_kind(place) == SIM_PRIVATE && sim_web_has_robots(place.host));
}

uint32_t sim_web_delay_ms(uint32_t host)
{
    return sim_web_has_robots(host) && sim_of_host(CRAWL_DELAY, host, 4) == 0 ? 2000 : 0;
}

sim_kind sim_web_kind(sim_place place)
{
    uint32_t of_100 = sim_of_page(KIND, place, 100);
    if (sim_world_now->plan.days)
        return SIM_PAGE;
    if (sim_world_now->plan.is_strict)
        return of_100 < 90 ? SIM_PAGE : SIM_MISSING;
    if (place.page == 0 || (sim_world_now->caps.no_failures && of_100 >= 78 && of_100 < 93)) /* page 0 is a seed or an
                                                                                                entry of its host */
        return SIM_PAGE;
    if (sim_world_now->plan.redirects != SIM_REDIRECTS_ALL && of_100 >= 30 && of_100 < 60)
        return SIM_REDIRECT;
    return of_100 < 60   ? SIM_PAGE
           : of_100 < 70 ? SIM_REDIRECT
           : of_100 < 78 ? sim_of_page(SOFT, place, 2) ? SIM_SOFT : SIM_MISSING
           : of_100 < 90 ? SIM_FLAKY
           : of_100 < 93 ? SIM_DEAD
                         : SIM_PRIVATE;
}

unsigned sim_web_links(sim_place place)
{
    unsigned children = place.page ? 0 : children_of(place.host);
    return sim_web_kind(place) == SIM_REDIRECT ? 1 : children + sim_of_page(LINKS, place, 7);
}

sim_place sim_web_link(sim_place place, unsigned n)
{
    uint64_t chosen = sim_hash(LINK, (uint64_t)place.host << 32 | place.page, n);
    sim_place to = {.host = place.host};
    if (!place.page && n < children_of(place.host))
        return (sim_place){.host = place.host * SIM_CHILDREN + 1 + n};
    if (chosen % 10 >= 7)
        to.host = (uint32_t)(chosen / 10 % sim_world_now->plan.hosts);
    to.page = (uint32_t)(chosen / 10000 % sim_web_pages(to.host));
    return to;
}

uint32_t sim_web_walls_from(uint32_t host)
{
    bool has_some = sim_world_now->plan.walls && host >= sim_web_seeds() && sim_of_host(WALL, host, 2);
    return has_some ? 1 + sim_of_host(WALL, host + SIM_HOSTS_DRAWN, 6) : 0;
}

uint32_t sim_web_vanishes(sim_place place)
{
    bool does = sim_world_now->plan.revisit_s && !sim_world_now->plan.days && sim_web_depths() == 1 && place.page &&
                sim_web_kind(place) == SIM_PAGE && sim_of_page(VANISH, place, 6) == 0;
    return does ? 1 + sim_of_page(VANISH, place, 18) / 6 : 0;
}

bool sim_web_is_gone(sim_place place)
{
    uint32_t after = sim_web_vanishes(place);
    return after && sim_world_now->hosts[place.host].pages[place.page].answered >= after;
}

int64_t sim_web_period_us(sim_place place)
{
    static const int64_t periods_us[] = {INT64_MAX, (int64_t)600 * 1000000, (int64_t)3600 * 1000000};
    return periods_us[sim_of_page(CHANGE, place, 3)];
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

uint32_t sim_web_cookie_s(uint32_t host)
{
    static const uint32_t ages_s[] = {0, 120, 86400};
    return ages_s[sim_of_host(COOKIE, host + SIM_HOSTS_DRAWN, sizeof ages_s / sizeof *ages_s)];
}

/* ---- URLs ---- */

enum { PATH_SIZE = 24, DIGITS_MAX = 9 };

static const char *path_of(sim_place place, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "/%sp%u", sim_web_kind(place) == SIM_PRIVATE ? "private/" : "", place.page);
    return out;
}

static void put_path(sim_place place, crawl_buf *out)
{
    char path[PATH_SIZE];
    crawl_buf_append_text(out, path_of(place, path));
}

/* Reads the number at text, and sets *digits to its length; 0: there is none. */
static uint32_t read_number(crawl_slice text, size_t *digits)
{
    uint32_t number = 0;
    for (*digits = 0; *digits < text.size && *digits < DIGITS_MAX; ++*digits) {
        unsigned char digit = (unsigned char)(text.data[*digits] - '0');
        if (digit > 9)
            break;
        number = number * 10 + digit;
    }
    return number;
}

/* Returns what follows the prefix; data is NULL: text has another one. */
static crawl_slice rest_after(crawl_slice text, const char *prefix)
{
    size_t size = strlen(prefix);
    bool has = text.size >= size && memcmp(text.data, prefix, size) == 0;
    return has ? crawl_slice_of(text.data + size, text.size - size) : (crawl_slice){0};
}

void sim_web_url(sim_place place, crawl_buf *out)
{
    crawl_buf_printf(out, "http://h%u.site.example", place.host);
    put_path(place, out);
}

bool sim_web_find(crawl_slice url, uint32_t *host, crawl_slice *path)
{
    size_t digits;
    crawl_slice rest = rest_after(url, "http://h");
    *host = read_number(rest, &digits);
    if (!digits || *host >= sim_world_now->plan.hosts)
        return false;
    *path = rest_after(crawl_slice_of(rest.data + digits, rest.size - digits), ".site.example");
    return path->size && path->data[0] == '/';
}

bool sim_web_page(uint32_t host, crawl_slice path, sim_place *out)
{
    size_t digits;
    char own[PATH_SIZE];
    crawl_slice rest = rest_after(path, "/private/p");
    rest = rest.data ? rest : rest_after(path, "/p");
    *out = (sim_place){host, read_number(rest, &digits)};
    return digits && out->page < sim_web_pages(host) && crawl_slice_equal(path, crawl_slice_from(path_of(*out, own)));
}

void sim_web_put_link(sim_place from, unsigned n, crawl_buf *out)
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

/* ---- requests ---- */

static bool is_robots(crawl_slice path)
{
    return crawl_slice_equal(path, crawl_slice_from("/robots.txt"));
}

static void count_failure(sim_host *host, bool failed)
{
    host->failures = failed ? host->failures + 1 : 0;
    host->gave_up = host->gave_up || host->failures >= GIVE_UP;
    sim_world_now->gave_up = sim_world_now->gave_up || host->gave_up;
}

enum { NAME_SECONDS = 300 };

uint32_t sim_web_address(uint32_t host)
{
    const sim_world *world = sim_world_now;
    uint32_t turn = (uint32_t)((world->now_us - world->first_us) / ((int64_t)NAME_SECONDS * 1000000));
    if (!world->plan.names)
        return host;
    if (!world->plan.addresses)
        return (host + turn) % world->plan.hosts;
    return sim_of_host(ADDRESS, host + SIM_HOSTS_DRAWN * turn, world->plan.addresses);
}

/* Returns true if the name fails a request that can be repeated as often as needed. */
static bool may_lack_name(const sim_host *host, crawl_slice path, sim_page *page, sim_place place)
{
    if (is_robots(path))
        return host->robots_asked == 0;
    sim_kind kind = page ? sim_web_kind(place) : SIM_PAGE;
    return kind != SIM_DEAD && (kind != SIM_FLAKY || sim_world_now->plan.retries > 1);
}

bool sim_web_connect(uint32_t number, crawl_slice path)
{
    const sim_plan *plan = &sim_world_now->plan;
    sim_host *host = &sim_world_now->hosts[number];
    sim_place place = {0};
    sim_page *page = sim_web_page(number, path, &place) ? &host->pages[place.page] : NULL;
    bool is_turn = host->connected++ == sim_of_host(NAME, number, 10);
    if (!plan->names || sim_world_now->caps.no_failures || !is_turn || !may_lack_name(host, path, page, place))
        return true;
    host->robots_asked += is_robots(path);
    if (page)
        page->unnamed++;
    host->asked_us = sim_world_now->now_us; /* counts as a request */
    count_failure(host, true);
    sim_step("name h%u%.*s", number, (int)path.size, path.data);
    return false;
}

/* Returns true for some minutes after the drawn request. */
static bool is_walled(uint32_t number)
{
    sim_host *host = &sim_world_now->hosts[number];
    uint32_t from = sim_web_walls_from(number);
    int64_t seconds = 60 + sim_of_host(WALL, number, sim_world_now->plan.processes ? 30 : 1200);
    uint32_t asked = 0;
    for (uint32_t i = 0; from && i < sim_web_pages(number); i++)
        asked += host->pages[i].asked;
    if (from && asked >= from && !host->wall_us)
        host->wall_us = sim_world_now->now_us + seconds * 1000000;
    return sim_world_now->now_us < host->wall_us;
}

void sim_web_ask(uint32_t number, crawl_slice path, crawl_slice cookies, sim_answer *out)
{
    static const uint32_t most_us[] = {2000, 300000, 3000000};
    sim_world *world = sim_world_now;
    sim_host *host = &world->hosts[number];
    sim_place place;
    sim_rules_host(number, host, out->address, cookies);
    out->flight = sim_crew_asked(number, out->address);
    bool is_known = sim_crew_has(out->flight);
    out->first_us = 100 + sim_throw(most_us[sim_of_host(ANSWER, number, 3)]);
    out->rest_us = sim_throw(2000);
    if (is_robots(path)) {
        sim_answers_robots(number, host->robots_asked++ == 0, out);
    } else if (sim_maps_is_one(number, path)) {
        sim_maps_answer(number, path, out);
    } else if (sim_web_page(number, path, &place)) {
        sim_page *page = &host->pages[place.page];
        sim_rules_page(place, host);
        sim_waits_check(number, host);
        world->asked++;
        if (world->plan.days)
            sim_fresh_visit(place);
        if (world->plan.is_strict && world->order_count < SIM_PAGES_MAX)
            world->order[world->order_count++] = place.page;
        page->asked++;
        page->due_us = 0;
        page->in_flight = is_known;
        page->asked_us = world->now_us;
        page->life = is_known ? world->life : 0;
        if (is_walled(number))
            sim_answers_wall(out);
        else
            sim_answers_page(place, page->asked + page->cancelled == 1, out);
    } else {
        sim_fault("h%u was asked for %.*s, to which there is no link", number, (int)path.size, path.data);
        out->status = 404;
    }
    if (out->error == CRAWL_FETCH_TIMEOUT)
        out->first_us = 60000000;
    host->asked_us = world->addresses[out->address].asked_us = out->asked_us = world->now_us;
    host->in_flight += is_known;
    world->addresses[out->address].in_flight += is_known;
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
    host->cookie_is_unsure = !sim_crew_has(answer->flight); /* then the cookie is not checked */
}

/* Counts a wall. Requests that left before the last wall came count as one with it. */
static void count_wall(sim_host *host, const sim_answer *answer)
{
    if (!answer->is_wall) {
        host->walls = 0;
        host->unwalled_us = answer->came_us;
    } else if (answer->came_us < host->unwalled_us) {
        return; /* another answer has ended its row already: the crawl took this one first, but was slow with it */
    } else if (!host->walls || answer->asked_us >= host->wall_told_us) {
        host->walls++;
        host->walled_us = answer->came_us;
        host->wall_told_us = sim_world_now->now_us;
        host->gave_up = sim_world_now->gave_up = true;
    } else if (answer->came_us < host->walled_us) {
        host->walled_us = answer->came_us; /* both had waited for the crawl, which may take this one first */
    }
}

void sim_web_over(uint32_t number, crawl_slice path, const sim_answer *answer, bool told)
{
    sim_world *world = sim_world_now;
    sim_host *host = &world->hosts[number];
    sim_place place;
    sim_page *page = sim_web_page(number, path, &place) ? &host->pages[place.page] : NULL;
    int64_t took_us = world->now_us - answer->asked_us;
    bool is_known = sim_crew_ended(number, answer->address, answer->flight);
    /* A process takes new requests of a shared host once all it has are over. */
    if (is_robots(path) || host->in_flight >= world->plan.per_host || world->plan.processes)
        host->opened_us = world->now_us;
    host->in_flight -= is_known;
    world->addresses[answer->address].in_flight -= is_known;
    host->longest_us = host->longest_us > took_us ? host->longest_us : took_us;
    if (told && answer->status && !answer->error && answer->status < 500 && is_robots(path)) {
        host->robots_us = world->now_us;
        host->is_unsure = !is_known;
    }
    if (!page)
        return;
    page->in_flight = false;
    page->asked -= !told;
    page->cancelled += !told;
}

static void note_answer(sim_page *page, int status)
{
    page->status = status;
    page->answered++;
    page->answered_us = sim_world_now->now_us;
}

void sim_web_end(uint32_t number, crawl_slice path, const sim_answer *answer, bool told)
{
    sim_world *world = sim_world_now;
    sim_host *host = &world->hosts[number];
    sim_place place;
    bool is_known = sim_crew_has(answer->flight);
    bool came = told && answer->status && !answer->error;
    host->has_failed = host->has_failed || !came || answer->status == 429 || answer->status >= 500;
    if (told)
        count_failure(host, !came || answer->status >= 500);
    if (sim_web_page(number, path, &place)) {
        world->good += came && answer->status == 200;
        if (came && is_known)
            count_wall(host, answer);
        if (came && !answer->is_wall)
            note_answer(&host->pages[place.page], answer->status);
        if (came && answer->status < 400)
            sim_waits_came(place);
    } else if (came && sim_maps_is_one(number, path)) {
        sim_maps_came(number, path);
    }
    if (came && is_known && (answer->status == 503 || answer->status == 429)) {
        host->told_us = world->now_us;
        host->held_us =
            answer->until_us ? answer->until_us : answer->came_us + (int64_t)sim_answers_wait_s(place) * 1000000;
    }
    sim_step("end h%u%.*s %d %s", number, (int)path.size, path.data, answer->status,
             told ? crawl_fetch_error_name(answer->error) : "cancelled");
}
