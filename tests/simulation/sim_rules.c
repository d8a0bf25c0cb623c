/* Checks the rules that each request must keep when it arrives. */
#include "tests/simulation/sim_crew.h"
#include "tests/simulation/sim_parts.h"

#include <stdio.h>

enum { LATE_US = 1000000 };

static int64_t pause_of(uint32_t number, const sim_host *host)
{
    int64_t pause_us = (int64_t)sim_world_now->plan.delay_ms * 1000;
    int64_t asked_us = (int64_t)sim_web_delay_ms(number) * 1000;
    bool is_known = host->robots_us != INT64_MIN && !host->is_unsure;
    return is_known && pause_us < asked_us ? asked_us : pause_us;
}

/* With --per-ip, the hosts at an address share a pause and a limit. Without it, address_delay and per_address are
 * looser, and each of several processes keeps them for itself. */
static void check_address(uint32_t number, const sim_host *host, uint32_t where)
{
    enum { LOOSE = 8 };
    const sim_plan *plan = &sim_world_now->plan;
    const sim_address *address = &sim_world_now->addresses[where];
    int64_t delay_us = (int64_t)plan->delay_ms * 1000;
    /* A process asks for a robots.txt that it wants before it reads what another one knows of the host. */
    int64_t own_us = sim_crew_asked_last(number) ? pause_of(number, host) : delay_us;
    int64_t pause_us = plan->per_ip ? own_us : delay_us / LOOSE;
    uint32_t most = plan->per_ip ? plan->per_host : LOOSE;
    if (plan->processes && !plan->per_ip)
        return;
    if (address->asked_us != INT64_MIN && sim_world_now->now_us - address->asked_us < pause_us)
        sim_fault("h%u was asked %lld us after another host at its address, not %lld", number,
                  (long long)(sim_world_now->now_us - address->asked_us), (long long)pause_us);
    if (address->in_flight >= most)
        sim_fault("h%u has %u requests at once at its address", number, address->in_flight + 1);
}

static void check_pace(uint32_t number, const sim_host *host)
{
    const sim_plan *plan = &sim_world_now->plan;
    int64_t now = sim_world_now->now_us;
    int64_t pause_us = pause_of(number, host);
    if (host->asked_us != INT64_MIN && now - host->asked_us < pause_us)
        sim_fault("h%u was asked %lld us after the last request, not %lld", number, (long long)(now - host->asked_us),
                  (long long)pause_us);
    if (now < host->held_us)
        sim_fault("h%u was asked %lld us before its Retry-After ended", number, (long long)(host->held_us - now));
    if (host->in_flight >= plan->per_host)
        sim_fault("h%u has %u requests at once", number, host->in_flight + 1);
}

/* The request must send the last cookie that arrived while it is good, and no other. Files keep dates in seconds. */
static void check_cookies(uint32_t number, const sim_host *host, crawl_slice cookies)
{
    char wanted[32] = "";
    int64_t age_us = sim_world_now->now_us - host->cookie_us;
    int64_t most_us = sim_web_cookie_s(number) ? (int64_t)sim_web_cookie_s(number) * 1000000 : INT64_MAX - LATE_US;
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

/* Checks the lower bound of revisits: min_interval, less the tenth by which intervals vary. */
static void check_revisit(sim_place place, const sim_page *page)
{
    const int64_t least_us = (int64_t)sim_world_now->plan.revisit_s * 300000; /* 9 tenths of a third */
    const int64_t most_us = (int64_t)1200 * 1000000; /* wait of a page that is due at once but last in the queue of a
                                                        slow host */
    sim_kind kind = sim_web_kind(place);
    bool may_fail = kind == SIM_FLAKY || kind == SIM_DEAD;
    if (page->due_us && sim_world_now->now_us - page->due_us > most_us)
        sim_fault("h%u/p%u was visited %lld us after its sitemap told of a change", place.host, place.page,
                  (long long)(sim_world_now->now_us - page->due_us));
    if (sim_web_vanishes(place) && page->status == 410 && page->life == sim_world_now->life)
        sim_fault("h%u/p%u is visited again, though it is gone", place.host, place.page);
    if (sim_maps_list(place))
        return;
    if (sim_web_depths() == 1 && page->answered && page->life == sim_world_now->life && !may_fail &&
        sim_world_now->now_us - page->asked_us < least_us)
        sim_fault("h%u/p%u was visited again after %lld us", place.host, place.page,
                  (long long)(sim_world_now->now_us - page->asked_us));
}

/* A kill must lose nothing that had ended well before it. */
static void check_over_kill(sim_place place, const sim_page *page)
{
    const sim_world *world = sim_world_now;
    sim_kind kind = sim_web_kind(place);
    bool may_come_again = kind == SIM_FLAKY || kind == SIM_DEAD || sim_web_depths() > 1 || world->plan.revisit_s;
    if (!may_come_again && page->is_kept)
        sim_fault("h%u/p%u was asked again after a kill, though it was answered %lld us before that", place.host,
                  place.page, (long long)(world->ended_us - page->answered_us));
    if (world->was_short)
        sim_fault("h%u/p%u is asked for, but the life before ended with room for more", place.host, place.page);
}

void sim_rules_page(sim_place place, const sim_host *host)
{
    const sim_plan *plan = &sim_world_now->plan;
    const sim_page *page = &host->pages[place.page];
    if (host->robots_us == INT64_MIN)
        sim_fault("h%u/p%u was asked before robots.txt", place.host, place.page);
    if (sim_web_forbids(place))
        sim_fault("h%u/p%u is forbidden by robots.txt", place.host, place.page);
    if (sim_world_now->plan.revisit_s)
        check_revisit(place, page);
    else if (sim_web_depths() == 1 && page->answered && page->life == sim_world_now->life &&
             page->answered_us >= sim_world_now->began_us && /* not before, with a request cancelled in this life */
             sim_web_kind(place) != SIM_DEAD && !(sim_web_kind(place) == SIM_FLAKY && page->answered < 2))
        sim_fault("h%u/p%u was asked again", place.host, place.page);
    uint32_t most = (plan->retries + 1) * sim_web_depths() + sim_world_now->repeats;
    if (!plan->revisit_s && page->asked >= most)
        sim_fault("h%u/p%u was asked %u times, and might be %u", place.host, place.page, page->asked + 1, most);
    check_over_kill(place, page);
    int64_t late_us = sim_world_now->now_us - sim_crew_began_us() - (int64_t)plan->max_seconds * 1000000;
    if (plan->max_seconds && late_us > LATE_US)
        sim_fault("h%u/p%u was asked %lld us after --max-time", place.host, place.page, (long long)late_us);
    if (sim_web_depths() == 1 && page->in_flight)
        sim_fault("h%u/p%u is asked twice at once", place.host, place.page);
}

/* After two walls in a row the host must be left alone for a minute, and twice as long after each further wall. */
static void check_wall(uint32_t number, const sim_host *host)
{
    const int64_t backoff_us = (int64_t)60 * 1000000;
    int64_t hold_us = host->walls < 2 ? 0 : backoff_us << (host->walls < 7 ? host->walls - 2 : 5);
    if (hold_us && sim_world_now->now_us - host->walled_us < hold_us)
        sim_fault("h%u was asked %lld us after %u walls in a row", number,
                  (long long)(sim_world_now->now_us - host->walled_us), host->walls);
}

void sim_rules_host(uint32_t number, const sim_host *host, uint32_t address, crawl_slice cookies)
{
    check_wall(number, host);
    check_pace(number, host);
    check_address(number, host, address);
    check_cookies(number, host, cookies);
}
