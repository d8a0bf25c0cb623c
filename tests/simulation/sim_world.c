#include "tests/simulation/sim_world.h"

#include "tests/simulation/sim_web.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int64_t begin_us = 1767225600000000; /* 2026-01-01 */

sim_world *sim_world_now;

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t mix(uint64_t word)
{
    word += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

uint64_t sim_hash(uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(sim_world_now->seed + a) ^ b) ^ c);
}

uint32_t sim_throw(uint32_t sides)
{
    sim_world_now->dice = mix(sim_world_now->dice);
    return (uint32_t)((sim_world_now->dice >> 32) * sides >> 32);
}

void sim_step(const char *format, ...)
{
    char text[512];
    sim_world *world = sim_world_now;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    world->steps++;
    world->stepped_us = world->now_us;
    world->chain = mix(world->chain ^ (uint64_t)world->now_us);
    for (const char *c = text; *c; c++)
        world->chain = mix(world->chain ^ (unsigned char)*c);
    if (world->says)
        fprintf(stderr, "%lld.%06lld %s\n", (long long)(world->now_us / 1000000), (long long)(world->now_us % 1000000),
                text);
    if (world->steps == world->leave_at) {
        world->leaver = (int)syscall(SYS_getpid);
        raise(SIGTERM);
    }
    if (world->steps == world->kill_at)
        raise(SIGKILL);
}

void sim_fault(const char *format, ...)
{
    sim_world *world = sim_world_now;
    if (world->fault[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(world->fault, sizeof world->fault, format, args);
    va_end(args);
    if (world->says)
        fprintf(stderr, "FAULT: %s\n", world->fault);
}

/* ---- plans ---- */

enum { PLAN = 1000, HOSTS_OF_DAYS = 8, PAGES_OF_MANY = 2 };

static uint32_t draw(uint32_t what, uint32_t sides)
{
    return (uint32_t)(sim_hash(PLAN, what, 0) % sides);
}

/* Plans a run that visits randomly changing pages for days, without failures. */
static void plan_days(sim_plan *plan, const sim_caps *caps)
{
    *plan = (sim_plan){.hosts = caps->hosts ? caps->hosts : HOSTS_OF_DAYS,
                       .lives = 1,
                       .workers = 3,
                       .per_host = 2,
                       .delay_ms = 250,
                       .depth = 1000,
                       .redirects = SIM_REDIRECTS_ALL,
                       .days = caps->days,
                       .revisit_s = 900,
                       .max_seconds = caps->days * 86400,
                       .order = "bfs",
                       .seen = "exact"};
}

/* Plans a crawl of many hosts by a few requests at once, so that a million take a week. */
static void plan_many(sim_plan *plan, sim_caps *caps)
{
    *plan = (sim_plan){.hosts = caps->hosts,
                       .lives = 2,
                       .workers = 3,
                       .per_host = 2,
                       .delay_ms = 1000,
                       .connections = 4,
                       .depth = 1000,
                       .retries = 1,
                       .redirects = SIM_REDIRECTS_ALL,
                       .kept = true,
                       .order = "bfs",
                       .seen = "exact"};
    caps->pages = caps->pages ? caps->pages : PAGES_OF_MANY;
}

static void plan_revisits(sim_plan *plan, uint32_t interval_s, uint32_t seconds)
{
    plan->revisit_s = interval_s;
    plan->max_seconds = seconds;
    plan->hosts = plan->hosts < 6 ? plan->hosts : 6;
    plan->max_pages = 0;
    plan->is_strict = false;
}

/* Plans one or two hosts with several requests at once. Few other events make the crawl look again, so a lost wake-up
 * delays a request until another ends. */
static void plan_at_once(sim_plan *plan)
{
    plan->hosts = 1 + draw(55, 2);
    plan->per_host = 2 + draw(56, 3);
    plan->delay_ms = draw(57, 2) ? 50 : 250;
    plan->lives = 1;
    plan->depth = 1000;
    plan->redirects = SIM_REDIRECTS_ALL;
    plan->disk = SIM_DISK_GOOD;
    plan->adaptive = plan->walls = plan->names = plan->per_ip = false;
    plan->addresses = plan->max_pages = plan->max_seconds = 0;
}

/* Plans few hosts with fast answers, since each process checks fifty times a second whether it has something to tell
 * the others. */
static void plan_processes(sim_plan *plan, const sim_caps *caps)
{
    plan->processes = caps->processes < SIM_MEMBERS_MAX ? caps->processes : SIM_MEMBERS_MAX;
    plan->hosts = 2 + draw(36, 30);
    plan->delay_ms = (uint32_t[]){50, 250, 1000, 5000}[draw(37, 4)];
    plan->kills = caps->no_kills ? 0 : draw(38, 4);
    plan->leaves = draw(58, 2);
    plan->stops = !caps->no_kills && draw(39, 3) == 0;
    plan->breaks = !caps->no_failures && draw(40, 3) == 0;
    plan->outage = caps->no_failures || draw(50, 3) ? SIM_REDIS_STAYS : (sim_outage)(1 + draw(51, 3));
    plan->outages = 1 + draw(53, 4);
    plan->seen = draw(41, 2) ? "exact" : "scalable";
    plan->kept = true;
    plan->lives = 1;
    plan->depth = 1000;
    plan->redirects = SIM_REDIRECTS_ALL;
    plan->disk = draw(42, 4) ? SIM_DISK_GOOD : SIM_DISK_SLOW;
    plan->cookies = draw(43, 3) == 0;
    plan->sitemaps = draw(44, 3) == 0;
    plan->max_pages = plan->max_seconds = plan->revisit_s = 0;
    plan->is_strict = false;
    if (draw(52, 6) == 0)
        plan_revisits(plan, 60, 360);
    plan->walls = !plan->revisit_s && draw(45, 5) == 0;
    plan->names = !plan->revisit_s && draw(46, 3) == 0;
    plan->per_ip = plan->names && draw(47, 2);
    plan->addresses = plan->names && draw(48, 4) ? 1 + draw(49, 1 + plan->hosts / 2) : 0;
}

static void plan_draw(sim_world *world)
{
    static const char *const orders[] = {"bfs", "dfs", "best"};
    static const char *const kinds[] = {"exact", "digest"};
    static const uint32_t delays[] = {0, 50, 250, 1000, 5000};
    static const uint32_t depths[] = {1, 2, 3, 5, 1000};
    sim_plan *plan = &world->plan;
    plan->hosts = 1 + draw(1, draw(2, 4) ? 12 : 64);
    if (draw(28, 40) == 0)
        plan->hosts = SIM_HOSTS_DRAWN - draw(29, 56);
    plan->workers = draw(3, 2) ? 1 : 1 + draw(4, 4);
    plan->per_host = 1 + draw(5, 4);
    plan->delay_ms = delays[draw(6, 5)];
    plan->depth = depths[draw(7, 5)];
    plan->retries = 1 + draw(8, 3);
    plan->adaptive = draw(9, 2);
    plan->kept = draw(10, 3) != 0;
    plan->lives = plan->kept ? 1 + draw(11, 6) : 1;
    plan->leaves = draw(58, 3) == 0;
    plan->order = orders[draw(12, 3)];
    plan->redirects = draw(19, 3) ? SIM_REDIRECTS_ALL : draw(20, 3);
    plan->max_seconds = plan->kept && draw(21, 6) == 0 ? 20 + draw(22, 200) : 0;
    plan->seen = kinds[draw(13, 2)];
    plan->max_pages = draw(14, 4) ? 0 : 1 + draw(15, 30);
    plan->is_strict = draw(16, 6) == 0;
    plan->disk = plan->kept && draw(23, 2) ? (sim_disk)(1 + draw(24, 3)) : SIM_DISK_GOOD;
    plan->cookies = draw(25, 3) == 0;
    plan->sitemaps = draw(26, 3) == 0;
    plan->walls = draw(27, 4) == 0;
    if (draw(17, 12) == 0) {
        plan_revisits(plan, 900, 3600 * (1 + draw(18, 4)));
        plan->lives = plan->kept ? 1 + draw(11, 4) : 1;
    }
    if (plan->max_pages)
        plan->max_seconds = 0;
    if (plan->kept && !plan->max_seconds && draw(30, 8) == 0)
        plan->disk = SIM_DISK_SLOW;
    if (!plan->revisit_s && plan->kept && (plan->max_pages || plan->max_seconds))
        plan->lives = SIM_LIVES_MAX;
    if (plan->is_strict || plan->max_pages || plan->max_seconds) /* it would end before the wall does */
        plan->walls = false;
    plan->names = !plan->is_strict && !plan->revisit_s && draw(31, 4) == 0;
    plan->per_ip = plan->names && draw(32, 2);
    plan->addresses = plan->names && draw(33, 4) ? 1 + draw(34, 1 + plan->hosts / 2) : 0;
    if (plan->is_strict) {
        plan->hosts = plan->per_host = plan->workers = plan->lives = 1;
        plan->depth = 1000;
        plan->max_pages = plan->max_seconds = 0;
        plan->sitemaps = false;
    }
    if (!plan->is_strict && !plan->revisit_s && draw(54, 16) == 0)
        plan_at_once(plan);
    if (world->caps.days)
        plan_days(plan, &world->caps);
    else if (world->caps.hosts > SIM_HOSTS_MANY && !world->caps.processes)
        plan_many(plan, &world->caps);
    if (world->caps.processes)
        plan_processes(plan, &world->caps);
    if (world->caps.hosts && world->caps.hosts < plan->hosts)
        plan->hosts = world->caps.hosts;
    if (plan->hosts > SIM_HOSTS_MAX)
        plan->hosts = SIM_HOSTS_MAX;
    if (plan->addresses > plan->hosts)
        plan->addresses = plan->hosts;
    if (world->caps.one_worker)
        plan->workers = 1;
}

/* ---- the arrays ---- */

/* Makes the arrays of the hosts, addresses and pages of the plan. */
static void make_hosts(sim_world *world)
{
    uint32_t hosts = world->plan.hosts;
    for (uint32_t i = 0; i < hosts; i++)
        world->page_count += sim_web_pages(i);
    world->room = hosts * (sizeof *world->hosts + sizeof *world->addresses) + world->page_count * sizeof *world->pages;
    world->hosts = mmap(NULL, world->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (world->hosts == MAP_FAILED)
        abort();
    world->addresses = (sim_address *)(world->hosts + hosts);
    world->pages = (sim_page *)(world->addresses + hosts);
    sim_page *pages = world->pages;
    for (uint32_t i = 0; i < hosts; i++) {
        world->addresses[i].asked_us = INT64_MIN;
        sim_host *host = &world->hosts[i];
        host->asked_us = host->held_us = host->robots_us = INT64_MIN;
        host->pages = pages;
        pages += sim_web_pages(i);
    }
}

void sim_world_begin(uint64_t seed, const sim_caps *caps, bool says)
{
    sim_world *world = sim_world_now;
    if (world->room)
        munmap(world->hosts, world->room);
    memset(world, 0, sizeof *world);
    world->seed = world->dice = seed;
    world->now_us = world->first_us = begin_us;
    world->caps = *caps;
    world->says = says;
    plan_draw(world);
    make_hosts(world);
}
