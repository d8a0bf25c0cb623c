/* Checks that no host waits longer than it must. If there are connections for all, a host that may be asked is asked
 * soon, whatever others do, and its pause is never longer than its answers justify. */
#include "tests/simulation/sim_parts.h"

#include <stdio.h>

/* CONNECTIONS: those for hosts with slow answers, three quarters of --connections. SOON_US: how late a request may be;
 * its connection takes 0.4 s. SOON_SHARED_US: the same if the host may have to pass to another process first, as when
 * its own ends; much less than a lease. */
enum { CONNECTIONS = 48, SOON_US = 1500000, SOON_SHARED_US = 2000000 };

/* Returns true if it is known when each page is found, and nothing else holds up requests. */
static bool is_watched(const sim_plan *plan)
{
    bool has_room = plan->hosts * plan->per_host <= CONNECTIONS;
    bool is_held_up = plan->disk == SIM_DISK_SLOW || plan->names || plan->walls || plan->max_pages;
    /* A host may wait for the end of a lease. */
    bool is_torn = plan->processes && (plan->breaks || sim_world_now->lost_hold);
    return has_room && !is_held_up && !is_torn && !plan->revisit_s && sim_web_depths() == 1 &&
           plan->redirects == SIM_REDIRECTS_ALL;
}

void sim_waits_came(sim_place place)
{
    sim_kind kind = sim_web_kind(place);
    bool leads_on = kind == SIM_PAGE || kind == SIM_FLAKY || kind == SIM_PRIVATE || kind == SIM_REDIRECT;
    for (unsigned i = 0; leads_on && i < sim_web_links(place); i++) {
        sim_place to = sim_web_link(place, i);
        sim_page *page = &sim_world_now->hosts[to.host].pages[to.page];
        page->known_us = page->known_us ? page->known_us : sim_world_now->now_us;
    }
}

/* Returns since when a page of the host could have been asked for, given the pages known so far; INT64_MAX: there is
 * none. */
static int64_t known_since_us(uint32_t number, const sim_host *host)
{
    int64_t since_us = INT64_MAX;
    for (uint32_t i = 0; i < sim_web_pages(number); i++) {
        const sim_page *page = &host->pages[i];
        bool is_seed = i == 0 && number < sim_web_seeds();
        int64_t known_us = page->known_us || !is_seed ? page->known_us : sim_world_now->first_us;
        bool waits = known_us && !page->asked && !page->cancelled && !sim_web_forbids((sim_place){number, i});
        if (waits && known_us < since_us)
            since_us = known_us;
    }
    return since_us;
}

static int64_t later(int64_t a_us, int64_t b_us)
{
    return a_us > b_us ? a_us : b_us;
}

void sim_waits_check(uint32_t number, const sim_host *host)
{
    const sim_plan *plan = &sim_world_now->plan;
    int64_t known_us = is_watched(plan) && !host->has_failed ? known_since_us(number, host) : INT64_MAX;
    if (known_us == INT64_MAX)
        return;
    int64_t pause_us = later((int64_t)plan->delay_ms * 1000, (int64_t)sim_web_delay_ms(number) * 1000);
    pause_us = plan->adaptive && plan->delay_ms ? later(pause_us, host->longest_us) : pause_us;
    int64_t free_us = later(later(known_us, host->opened_us), sim_world_now->began_us + pause_us);
    free_us = later(free_us, sim_world_now->left_us); /* until then a process that leaves has its hosts */
    if (host->asked_us != INT64_MIN)
        free_us = later(free_us, host->asked_us + pause_us);
    int64_t late_us = sim_world_now->now_us - free_us;
    if (late_us > (plan->processes ? SOON_SHARED_US : SOON_US))
        sim_fault("h%u was asked %lld us after it might have been", number, (long long)late_us);
}
