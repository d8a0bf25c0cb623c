#include "tests/simulation/sim_crew.h"

#include "tests/simulation/sim_web.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEGIN_US = 300000, BIRTH_US = 5000000, STOP_SIDES = 4000, STOP_US = 3 * SIM_LEASE_MS * 1000 };
/* SETTLE_US: the time after which a process has heard what Redis says; SETTLE_STOPPED_US: after a stop, when it may
 * first let its old connection go. UNTOLD_US: maximum age of an answer that Redis does not know. */
enum { SETTLE_US = 100000, SETTLE_STOPPED_US = SIM_LEASE_MS * 500, UNTOLD_US = 10000000 };

static sim_member *own; /* NULL: not one of several processes */

/* ---- turns ---- */

static void crew_wake(uint32_t *word)
{
    __atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void crew_await(uint32_t *word, uint32_t known)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == known &&
           (syscall(SYS_futex, word, FUTEX_WAIT, known, NULL, NULL, 0) == 0 || errno == EAGAIN))
        ;
}

bool sim_crew_is_one(void)
{
    return own != NULL;
}

bool sim_crew_asked_last(uint32_t host)
{
    return !own || sim_world_now->hosts[host].asked_by == own - sim_world_now->members;
}

int64_t sim_crew_began_us(void)
{
    return own ? own->began_us : sim_world_now->began_us;
}

/* ---- losing hosts ---- */

static void lose_host(sim_member *member, uint32_t number)
{
    sim_host *host = &sim_world_now->hosts[number];
    host->in_flight -= member->flights[number];
    for (uint32_t i = 0; i < sim_web_pages(number) && member->flights[number]; i++)
        host->pages[i].in_flight = false;
    if (member->flights[number] || host->asked_by == member - sim_world_now->members) {
        host->held_us = INT64_MIN;
        host->walls = 0;
        host->is_unsure = host->cookie_is_unsure = true;
    }
    member->flights[number] = 0;
}

/* A page that is gone by the next visit must be visible until a visit that the crawl remembers: its links are found in
 * no other way. */
static void keep_visible(uint32_t number)
{
    sim_host *host = &sim_world_now->hosts[number];
    for (uint32_t i = 0; i < sim_web_pages(number); i++)
        if (sim_web_vanishes((sim_place){number, i}) && sim_world_now->now_us - host->pages[i].answered_us < UNTOLD_US)
            host->pages[i].answered = 0;
}

/* Makes the member lose its hosts. Other processes may have them after the end of its lease, and do not know what it
 * has not told. */
static void lose(sim_member *member)
{
    sim_world *world = sim_world_now;
    world->life++; /* pages may be asked again */
    world->repeats += 4;
    world->lost_hold = true;
    member->losses++;
    for (uint32_t i = 0; i < world->plan.hosts; i++) {
        world->addresses[i].in_flight -= member->flights_at[i];
        member->flights_at[i] = 0;
        lose_host(member, i);
        keep_visible(i);
    }
}

void sim_crew_lose_all(void)
{
    for (uint32_t i = 0; i < sim_world_now->plan.processes; i++)
        lose(&sim_world_now->members[i]);
}

void sim_crew_connected(void)
{
    own->connection = sim_world_now->disconnected;
    int64_t settled_us = sim_world_now->now_us + (sim_world_now->disconnected ? SETTLE_US : 0);
    own->settled_us = settled_us > own->settled_us ? settled_us : own->settled_us;
}

/* Returns true if the process has learned what became of its hosts since Redis broke its connection. */
static bool is_settled(void)
{
    return own->connection == sim_world_now->disconnected && sim_world_now->now_us >= own->settled_us;
}

uint32_t sim_crew_asked(uint32_t host, uint32_t address)
{
    if (!own)
        return 0;
    own->has_asked = true;
    if (!is_settled())
        return own->losses - 1;
    own->flights[host]++;
    own->flights_at[address]++;
    sim_world_now->hosts[host].asked_by = own - sim_world_now->members;
    return own->losses;
}

bool sim_crew_has(uint32_t number)
{
    return !own || own->losses == number;
}

bool sim_crew_ended(uint32_t host, uint32_t address, uint32_t number)
{
    bool has = sim_crew_has(number);
    if (own && has) {
        own->flights[host]--;
        own->flights_at[address]--;
    }
    return has;
}

/* ---- a process ---- */

void sim_crew_rest(int64_t next_us)
{
    sim_world *world = sim_world_now;
    uint32_t turn = own->turn;
    own->next_us = next_us;
    if (world->plan.stops && sim_throw(STOP_SIDES) == 0) {
        int64_t us = sim_throw(STOP_US);
        own->next_us = world->now_us + us;
        sim_step("process %u stops for %lld us", (unsigned)(own - world->members), (long long)us);
        if (us > SIM_LEASE_MS * 250) {
            lose(own);
            own->settled_us = own->next_us + SETTLE_STOPPED_US;
        }
        own->began_us += own->has_asked ? 0 : us;
    }
    own->rests = true;
    crew_wake(&world->rested);
    crew_await(&own->turn, turn);
}

static pid_t bear(uint32_t number, void (*live)(uint32_t number))
{
    pid_t child = fork();
    if (child)
        return child;
    own = &sim_world_now->members[number];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    live(number);
    abort();
}

/* ---- all processes ---- */

static void on_child(int)
{
    crew_wake(&sim_world_now->rested);
}

/* Returns the member whose time comes first. NULL: all have ended. */
static sim_member *next_member(void)
{
    sim_world *world = sim_world_now;
    sim_member *next = NULL;
    for (uint32_t i = 0; i < world->plan.processes; i++)
        if (!world->members[i].has_ended && (!next || world->members[i].next_us < next->next_us))
            next = &world->members[i];
    return next;
}

/* Waits until the member rests or ends. True: it has ended, with *status. */
static bool await_rest(sim_member *member, int *status)
{
    for (;;) {
        uint32_t known = __atomic_load_n(&sim_world_now->rested, __ATOMIC_ACQUIRE);
        if (waitpid(member->pid, status, WNOHANG) == member->pid)
            return true;
        if (member->rests)
            return false;
        crew_await(&sim_world_now->rested, known);
    }
}

/* Draws when the next process is killed, or asked to end. */
static void draw_kill(sim_world *world, uint32_t sides)
{
    uint64_t at = world->kills_left ? world->steps + 1 + sim_throw(sides) : 0;
    bool is_leave = world->plan.leaves && sim_throw(2);
    world->kill_at = is_leave ? 0 : at;
    world->leave_at = is_leave ? at : 0;
    world->leaver = 0;
}

/* Handles the end of a process. Another process replaces one that was killed, or has left. */
static void take_death(sim_member *member, int status, void (*judge)(int status))
{
    sim_world *world = sim_world_now;
    bool has_left = member->pid == world->leaver;
    bool was_killed =
        WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && world->kill_at && world->steps >= world->kill_at;
    if (world->says)
        fprintf(stderr, "process %u ends\n", (unsigned)(member - world->members));
    member->pid = 0;
    if (!was_killed)
        judge(status);
    member->has_ended = !was_killed && !(has_left && WIFEXITED(status) && WEXITSTATUS(status) == SIM_STATUS_LEFT);
    if (was_killed)
        lose(member);
    if (has_left)
        world->left_us = world->now_us;
    if (was_killed || has_left) {
        world->kills_left--;
        draw_kill(world, 200);
    }
    if (!member->has_ended)
        member->next_us = world->now_us + 1 + sim_throw(BIRTH_US);
}

static void begin_members(void)
{
    sim_world *world = sim_world_now;
    world->kills_left = world->plan.kills;
    draw_kill(world, 100);
    world->life = 1;
    world->began_us = world->now_us;
    for (uint32_t i = 0; i < world->plan.processes; i++)
        world->members[i] = (sim_member){.next_us = world->now_us + (i ? sim_throw(BEGIN_US) : 0)};
}

static void end_members(void)
{
    for (uint32_t i = 0; i < sim_world_now->plan.processes; i++)
        if (sim_world_now->members[i].pid > 0) {
            kill(sim_world_now->members[i].pid, SIGKILL);
            waitpid(sim_world_now->members[i].pid, NULL, 0);
        }
}

void sim_crew_run(void (*live)(uint32_t number), void (*judge)(int status))
{
    sim_world *world = sim_world_now;
    begin_members();
    signal(SIGCHLD, on_child);
    for (sim_member *member; (member = next_member()) && !world->fault[0];) {
        int status;
        if (member->next_us == INT64_MAX) {
            sim_fault("no process can go on: a wake-up was lost");
            break;
        }
        world->now_us = member->next_us > world->now_us ? member->next_us : world->now_us;
        member->rests = false;
        if (!member->pid) {
            member->began_us = world->now_us;
            member->has_asked = false;
            member->pid = bear((uint32_t)(member - world->members), live);
        } else {
            crew_wake(&member->turn);
        }
        if (await_rest(member, &status))
            take_death(member, status, judge);
    }
    signal(SIGCHLD, SIG_DFL);
    end_members();
}
