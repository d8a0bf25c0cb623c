#include "tests/simulation/sim_fresh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Range of the mean time between two changes of a page; the logarithm is distributed evenly. */
static const double least_us = 3 * 3600e6, most_us = 30 * 86400e6;

enum { RATES = 100, CHANGES = 101 }; /* streams of random numbers of the world */
/* The least share of the best schedule's freshness. */
static const double least_share = 0.9;
enum { BISECTIONS = 60 }; /* of a range of 18 decimal digits */
enum { WAKES = 10 };      /* maximum per request; besides, each thread wakes once an hour */

/* ---- pages that change ---- */

static double unit(uint64_t word)
{
    return ((double)(word >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
}

static double mean_us(sim_place place)
{
    return least_us * pow(most_us / least_us, unit(sim_hash(RATES, place.host, place.page)));
}

/* Returns the time from the change with this number to the next one. */
static double gap_us(sim_place place, uint32_t number)
{
    return -mean_us(place) * log(unit(sim_hash(CHANGES, (uint64_t)place.host << 32 | place.page, number)));
}

/* ---- the crawl's freshness ---- */

static void count_fresh(sim_page *page)
{
    int64_t now_us = sim_world_now->now_us;
    int64_t until_us = (int64_t)page->change_us;
    page->fresh_us += (until_us < now_us ? until_us : now_us) - page->asked_us;
}

void sim_fresh_visit(sim_place place)
{
    sim_page *page = &sim_world_now->hosts[place.host].pages[place.page];
    if (page->asked) {
        count_fresh(page);
    } else {
        page->first_us = sim_world_now->now_us;
        page->changes = 0;
        page->change_us = (double)sim_world_now->first_us + gap_us(place, 0);
    }
    while (page->change_us <= (double)sim_world_now->now_us)
        page->change_us += gap_us(place, ++page->changes);
}

/* ---- the best schedule ---- */

/* Cho and Garcia-Molina, "Effective page refresh policies for web crawlers", 2003: a page that changes l times a day
 * and is visited f times a day, evenly, is current for this share of the time. */
static double freshness(double l, double f)
{
    return f > 0 ? f / l * (1 - exp(-l / f)) : 0;
}

/* The derivative of freshness by f: it falls as f grows. */
static double gain(double l, double f)
{
    return (1 - exp(-l / f)) / l - exp(-l / f) / f;
}

/* Returns how often to visit a page if one more visit is worth the same everywhere; 0: the page changes too often. */
static double visits_at(double l, double worth)
{
    double low = 1e-9, high = 1e9;
    if (gain(l, low) <= worth)
        return 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double f = sqrt(low * high);
        *(gain(l, f) > worth ? &low : &high) = f;
    }
    return low;
}

typedef struct rates {
    double *changes; /* a day, of each page */
    size_t count;
    double visits, fresh; /* of the crawl: per day and page, and a share */
} rates;

static double best_freshness(const rates *all)
{
    double low = 1e-9, high = 1e9, sum = 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double worth = sqrt(low * high), visits = 0;
        sum = 0;
        for (size_t k = 0; k < all->count; k++) {
            double f = visits_at(all->changes[k], worth);
            visits += f;
            sum += freshness(all->changes[k], f);
        }
        *(visits > all->visits * (double)all->count ? &low : &high) = worth;
    }
    return sum / (double)all->count;
}

static double even_freshness(const rates *all)
{
    double sum = 0;
    for (size_t k = 0; k < all->count; k++)
        sum += freshness(all->changes[k], all->visits);
    return sum / (double)all->count;
}

static void add_page(rates *all, sim_place place)
{
    sim_page *page = &sim_world_now->hosts[place.host].pages[place.page];
    if (!page->asked)
        return;
    count_fresh(page);
    double days = (double)(sim_world_now->now_us - page->first_us) / 86400e6;
    all->changes[all->count++] = 86400e6 / mean_us(place);
    all->fresh += (double)page->fresh_us / 86400e6 / days;
    all->visits += page->asked / days;
}

static void check_naps(const sim_world *world)
{
    uint64_t most = (uint64_t)world->requests * WAKES + (uint64_t)world->plan.days * 24 * world->plan.workers;
    if (world->naps > most)
        sim_fault("the program woke %llu times for %u requests", (unsigned long long)world->naps, world->requests);
}

void sim_fresh_check(void)
{
    rates all = {.changes = calloc(sim_world_now->page_count, sizeof *all.changes)};
    if (!all.changes)
        abort();
    for (uint32_t host = 0; host < sim_world_now->plan.hosts; host++)
        for (uint32_t page = 0; page < sim_web_pages(host); page++)
            add_page(&all, (sim_place){host, page});
    all.visits /= (double)all.count;
    all.fresh /= (double)all.count;
    double best = best_freshness(&all);
    printf(
        "%zu pages, %u days, %.2f visits a day: current for %.1f %% of the time; evenly visited %.1f %%, best %.1f %%\n",
        all.count, sim_world_now->plan.days, all.visits, 100 * all.fresh, 100 * even_freshness(&all), 100 * best);
    if (all.fresh < least_share * best)
        sim_fault("copies are current for %.1f %% of the time; %.1f %% could be", 100 * all.fresh, 100 * best);
    free(all.changes);
    check_naps(sim_world_now);
}
