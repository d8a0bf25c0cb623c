/* simulate: runs crawls of the whole program in a world made from a number. Each run is one crawl in one or more lives,
 * all but the last of which are killed. */
#include "crawler/program/commands/commands.h"
#include "crawler/program/crawl_command.h"
#include "frontier/disk/database.h"
#include "tests/simulation/sim_args.h"
#include "tests/simulation/sim_crew.h"
#include "tests/simulation/sim_disk.h"
#include "tests/simulation/sim_fresh.h"
#include "tests/simulation/sim_records.h"
#include "tests/simulation/sim_redis.h"
#include "tests/simulation/sim_threads.h"
#include "tests/simulation/sim_web.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limits of a life: of processor time, for a life that spins, and of time by the clock, for a life that is stuck on a
 * busy machine. */
enum { LIFE_SECONDS = 100, LIFE_SECONDS_STUCK = 500, LIFE_SECONDS_LONG = 3600 };

static void write_seeds(void)
{
    FILE *file = fopen("seeds", "w");
    for (uint32_t i = 0; file && i < sim_web_seeds(); i++) {
        crawl_buf url = {0};
        sim_web_url((sim_place){i, 0}, &url);
        fprintf(file, "%.*s\n", (int)url.size, url.data);
        crawl_buf_free(&url);
    }
    if (!file || fclose(file))
        abort();
}

/* ---- processes ---- */

/* Redirects the output of the calling process to the file log, but leaves standard error if steps are printed. */
static void turn_output(void)
{
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    int nothing = open("/dev/null", O_RDONLY);
    bool turned = log >= 0 && nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(log, 1) >= 0;
    if (!turned || (!sim_world_now->says && dup2(log, 2) < 0))
        abort();
}

static _Noreturn void live(void)
{
    sim_args args = {0};
    turn_output();
    sim_args_of_plan(&args);
    bool is_long = sim_world_now->plan.hosts > SIM_HOSTS_DRAWN;
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = is_long ? LIFE_SECONDS_LONG : LIFE_SECONDS}, NULL);
    alarm(is_long ? 2 * LIFE_SECONDS_LONG : LIFE_SECONDS_STUCK);
    sim_threads_begin();
    int status = cw_program_crawl(args.count, args.words);
    fflush(NULL);
    _exit(status);
}

static int await(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            abort();
    return status;
}

/* ---- the program's own checks ---- */

static void check_audit(void)
{
    pid_t child = fork();
    if (child == 0) {
        sim_args args = {0};
        turn_output();
        sim_args_of_audit(&args);
        execv(CRAWL_AUDIT, args.words);
        _exit(127);
    }
    int status = await(child);
    if (status)
        sim_fault("crawl audit: status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void check_state(void)
{
    char state[SIM_STATE_SIZE];
    char *words[] = {(char[]){"inspect"}, sim_args_state(state), (char[]){"--check"}, NULL};
    pid_t child = fork();
    if (child == 0) {
        turn_output();
        int status = cw_command_inspect(3, words);
        fflush(NULL);
        _exit(status);
    }
    int status = await(child);
    if (status)
        sim_fault("crawl inspect --check: status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* ---- lives ---- */

/* Ends the requests under way after a kill. It may lose holds since loses_us, pages since safe_us, and cookies since
 * cookies_us. */
static void end_flights(uint32_t number, int64_t loses_us, int64_t safe_us, int64_t cookies_us)
{
    sim_host *host = &sim_world_now->hosts[number];
    bool is_lost = host->told_us > loses_us;
    sim_world_now->lost_hold = sim_world_now->lost_hold || (is_lost && host->held_us > sim_world_now->now_us);
    if (is_lost)
        host->held_us = INT64_MIN;
    host->cookie_is_unsure = host->cookie_is_unsure || host->cookie_us > cookies_us;
    host->is_unsure = host->is_unsure || host->robots_us > loses_us;
    host->in_flight = 0;
    host->walls = 0;
    for (uint32_t i = 0; i < sim_web_pages(number); i++) {
        sim_page *page = &host->pages[i];
        page->in_flight = false;
        page->due_us = 0;
        bool is_safe = page->answered_us < safe_us;
        page->is_kept = page->is_kept || (page->answered && page->answered_us >= sim_world_now->began_us && is_safe);
        if (page->known_us >= safe_us) /* it waits again when another page leads to it */
            page->known_us = 0;
        /* A page may be gone only after a visit that the crawl remembers: its links are found in no other way. */
        if (sim_web_vanishes((sim_place){number, i}) && !is_safe)
            page->answered = 0;
    }
}

static void begin_life(bool is_last)
{
    sim_world *world = sim_world_now;
    bool is_killed = !is_last && !world->caps.no_kills && world->plan.disk != SIM_DISK_SLOW && sim_throw(4);
    bool by_disk = is_killed && (world->plan.disk == SIM_DISK_FULL || world->plan.disk == SIM_DISK_FAILS);
    bool has_many = world->plan.hosts > SIM_HOSTS_MANY;
    uint64_t after = 1 + sim_throw(has_many ? 4 * world->plan.hosts : 4u << sim_throw(8));
    world->life++;
    world->asked = 0;
    world->good = 0;
    bool leaves = is_killed && !by_disk && world->plan.leaves && sim_throw(2);
    world->kill_at = is_killed && !by_disk && !leaves ? world->steps + after : 0;
    world->leave_at = leaves ? world->steps + after : 0;
    world->leaver = 0;
    world->disk_fails_at = by_disk ? after : 0;
    world->disk_calls = 0;
    world->disk_failed_us = 0;
    struct stat log;
    world->log_bytes = stat("log", &log) ? 0 : log.st_size;
    world->began_us = world->now_us;
    if (world->says && is_killed)
        fprintf(stderr, "life %u: %s after %llu %s\n", world->life,
                by_disk  ? (world->plan.disk == SIM_DISK_FULL ? "the disk is full" : "the disk fails")
                : leaves ? "asked to end"
                         : "killed",
                (unsigned long long)after, by_disk ? "calls" : "steps");
}

/* Maximum age of work, at the end of a life, that the end may lose. */
enum { KILL_US = 1000000, CUT_US = 2200000, HOLD_US = 250000, COOKIE_US = 33000000 };
/* Minimum time that a machine takes to start again. */
enum { BOOT_US = 10000000 };

/* Updates the world at the end of a life. was_killed: at the drawn moment. has_left: it was asked to end. */
static void end_life(bool was_killed, bool has_left)
{
    sim_world *world = sim_world_now;
    bool was_cut = was_killed && world->plan.disk == SIM_DISK_FORGETS;
    int64_t failed_us = world->disk_failed_us ? world->disk_failed_us : world->now_us;
    world->ended_us = world->now_us;
    world->repeats += was_cut || world->disk_failed_us ? 4 : was_killed;
    for (uint32_t i = 0; i < world->plan.hosts; i++)
        world->addresses[i].in_flight = 0;
    int64_t holds_us = was_cut ? CUT_US : was_killed ? HOLD_US : 0;
    int64_t pages_us = was_cut ? CUT_US : was_killed ? KILL_US : 0;
    for (uint32_t i = 0; i < world->plan.hosts; i++)
        end_flights(i, failed_us - holds_us, failed_us - pages_us, was_killed ? failed_us - COOKIE_US : INT64_MAX);
    if (was_cut) {
        sim_disk_cut();
        world->now_us += BOOT_US;
    }
    if (was_killed || has_left)
        world->now_us += sim_throw(5000000);
}

/* Checks that the program said why it ended, if its disk failed. */
static void check_words(void)
{
    const sim_world *world = sim_world_now;
    const char *words = strerror(world->plan.disk == SIM_DISK_FULL ? ENOSPC : EIO);
    char *line = NULL;
    size_t room = 0;
    bool said = false;
    FILE *log = fopen("log", "r");
    if (!log || fseek(log, world->log_bytes, SEEK_SET))
        abort();
    while (!said && getline(&line, &room, log) > 0)
        said = strstr(line, words);
    free(line);
    fclose(log);
    if (world->disk_failed_us && !said && !world->says)
        sim_fault("life %u ended without a word of its disk", world->life);
}

static void check_status(int status)
{
    const sim_world *world = sim_world_now;
    int wanted = world->disk_failed_us ? 4 : 0;
    if (world->leaver && WIFEXITED(status) && WEXITSTATUS(status) == SIM_STATUS_LEFT)
        return;
    bool may_be_good = world->good && !world->plan.processes; /* with several processes, another one may have had it */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        sim_fault("life %u did not end within its processor time", world->life);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        sim_fault("life %u did not end in time", world->life);
    else if (!WIFEXITED(status))
        sim_fault("life %u ended by signal %d", world->life, WTERMSIG(status));
    else if (WEXITSTATUS(status) != wanted && (wanted || WEXITSTATUS(status) != 1 || may_be_good))
        sim_fault("life %u ended with status %d, not %d", world->life, WEXITSTATUS(status), wanted);
}

/* Returns true if nothing is left for another life. */
static bool is_over(void)
{
    const sim_world *world = sim_world_now;
    const sim_plan *plan = &world->plan;
    if (plan->max_pages && plan->kept)
        return world->asked == 0;
    if (!plan->max_seconds || plan->revisit_s)
        return true;
    /* A life also ends early if all that is left is due after its limit. */
    bool ended_early = world->ended_us - world->began_us < (int64_t)plan->max_seconds * 1000000;
    return ended_early && (!plan->kept || world->asked == 0);
}

/* Runs one life. Returns true if nothing is left for another one. */
static bool live_once(bool is_last)
{
    sim_world *world = sim_world_now;
    begin_life(is_last);
    pid_t child = fork();
    if (child == 0)
        live();
    int status = await(child);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && world->steps == world->kill_at;
    if (world->life == SIM_LIVES_MAX)
        sim_fault("the crawl does not end");
    if (!killed) {
        check_status(status);
        check_words();
    }
    killed = killed || world->disk_failed_us;
    bool has_left = WIFEXITED(status) && WEXITSTATUS(status) == SIM_STATUS_LEFT;
    end_life(killed, has_left);
    sim_records_check_life(killed || has_left);
    return !killed && !has_left && is_over();
}

/* ---- runs ---- */

static int remove_one(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static void remove_folder(const char *folder)
{
    if (nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
        abort();
}

static void live_as_one(uint32_t)
{
    live();
}

/* From this life on, limits of pages and of time are too large to end it: hundreds of short lives show nothing new. */
enum { LIVES_SHORT = 24, NO_LIMIT = 10000000 };

static void lift_limits(sim_plan *plan)
{
    if (plan->max_pages)
        plan->max_pages = NO_LIMIT;
    if (plan->max_seconds && !plan->revisit_s)
        plan->max_seconds = NO_LIMIT;
}

/* Runs the lives of a begun world in the current folder. */
static void run_lives(void)
{
    sim_world *world = sim_world_now;
    bool ended = world->plan.processes;
    if (world->plan.processes) {
        sim_crew_run(live_as_one, check_status);
        check_state();
    }
    for (uint32_t life = 1; life <= world->plan.lives && !ended && !world->fault[0]; life++) {
        if (life == LIVES_SHORT)
            lift_limits(&world->plan);
        ended = live_once(life == world->plan.lives || life >= LIVES_SHORT);
        if (world->plan.kept && world->requests && !world->fault[0])
            check_state();
    }
    if (!world->fault[0])
        sim_records_check_run();
    if (world->plan.days)
        sim_fresh_check();
    if (!world->fault[0] && !world->lost_hold)
        check_audit();
}

typedef struct sim_options {
    uint64_t seed, count;
    int64_t minutes; /* no run begins later than this; 0: no limit */
    bool says, keeps, twice;
    bool first;    /* stop at the first fault */
    bool shortens; /* make runs with a fault smaller */
    sim_caps caps;
} sim_options;

enum { FOLDER_SIZE = 256 };

static const char *parent = "/dev/shm"; /* of the folders of runs */

/* Plays a run in its own folder, which stays. Returns true if no fault was found. */
static bool play(uint64_t seed, const sim_caps *caps, bool says, char folder[FOLDER_SIZE])
{
    snprintf(folder, FOLDER_SIZE, "%s/simulate-%d-%llu", parent, (int)getpid(), (unsigned long long)seed);
    fflush(stdout); /* child processes would copy the buffer */
    sim_world_begin(seed, caps, says);
    remove_folder(folder);
    if (mkdir(folder, 0700) || chdir(folder))
        abort();
    if (mkdir("synced", 0700))
        abort();
    write_seeds();
    if (caps->processes)
        sim_redis_empty();
    run_lives();
    if (chdir("/"))
        abort();
    return !sim_world_now->fault[0];
}

enum { WAYS = 7, SHORTEN_RUNS_MAX = 200 };

/* Removes a part of the world. False: nothing of it is left. */
static bool take_away(sim_caps *caps, unsigned what)
{
    bool *const flags[] = {&caps->no_kills, &caps->no_failures, &caps->one_worker};
    uint32_t *const numbers[] = {&caps->hosts, &caps->hosts, &caps->pages, &caps->pages};
    size_t flag_count = sizeof flags / sizeof *flags;
    if (what >= flag_count) {
        uint32_t *number = numbers[what - flag_count];
        *number = what % 2 ? *number / 2 : *number - 1;
        return *number > 0;
    }
    bool had = !*flags[what];
    *flags[what] = true;
    return had;
}

/* Makes the world of a run with a fault smaller as long as the fault remains, and prints the options. */
static void shorten(uint64_t seed, sim_caps best)
{
    char folder[FOLDER_SIZE];
    unsigned vain = 0;
    best.hosts = sim_world_now->plan.hosts;
    best.pages = best.pages ? best.pages : SIM_PAGES_MAX;
    for (unsigned run = 0; run < SHORTEN_RUNS_MAX && vain < WAYS; run++) {
        sim_caps next = best;
        vain++;
        if (!take_away(&next, run % WAYS) || play(seed, &next, false, folder))
            continue;
        best = next;
        vain = 0;
    }
    play(seed, &best, false, folder);
    printf(
        "  shorter: simulate --seed %llu --processes %u --hosts %u --pages %u%s%s%s: %u requests: %s\n  left in %s\n",
        (unsigned long long)seed, best.processes, best.hosts, best.pages, best.no_kills ? " --no-kills" : "",
        best.no_failures ? " --no-failures" : "", best.one_worker ? " --one-worker" : "", sim_world_now->requests,
        sim_world_now->fault, folder);
}

/* Plays a run and prints its result. Returns true if no fault was found. */
static bool run_seed(const sim_options *options, uint64_t seed)
{
    char folder[FOLDER_SIZE];
    const sim_world *world = sim_world_now;
    bool good = play(seed, &options->caps, options->says, folder);
    printf("%s %llu: %u requests, lives %u, %.0f s, %016llx%s%s\n", good ? "ok" : "FAULT", (unsigned long long)seed,
           world->requests, world->life, (double)(world->now_us - world->first_us) / 1e6,
           (unsigned long long)world->chain, good ? "" : ": ", world->fault);
    if (options->keeps || (!good && !options->shortens))
        printf("  left in %s\n", folder);
    else
        remove_folder(folder);
    if (!good && options->shortens)
        shorten(seed, options->caps);
    fflush(stdout);
    return good;
}

static bool run_twice(const sim_options *options, uint64_t seed)
{
    bool good = run_seed(options, seed);
    uint64_t chain = sim_world_now->chain;
    good = run_seed(options, seed) && good;
    if (chain != sim_world_now->chain)
        printf("FAULT %llu: two runs differ\n", (unsigned long long)seed);
    return good && chain == sim_world_now->chain;
}

/* Makes addresses equal in each run, since some behaviour depends on them. */
static void fix_addresses(char **argv)
{
    int now = personality(0xffffffff);
    if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) && personality((unsigned)now | ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", argv);
}

static void take_option(sim_options *options, int option)
{
    sim_caps *caps = &options->caps;
    bool *const flags[] = {
        ['v'] = &options->says,     ['k'] = &options->keeps, ['t'] = &options->twice,    ['f'] = &options->first,
        ['m'] = &options->shortens, ['K'] = &caps->no_kills, ['F'] = &caps->no_failures, ['W'] = &caps->one_worker};
    if (option == 's')
        options->seed = strtoull(optarg, NULL, 10);
    else if (option == 'n')
        options->count = strtoull(optarg, NULL, 10);
    else if (option == 'M')
        options->minutes = strtoll(optarg, NULL, 10);
    else if (option == 'h')
        caps->hosts = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 'p')
        caps->pages = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 'd')
        caps->days = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 'P')
        caps->processes = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 'D')
        parent = realpath(optarg, NULL);
    else
        *flags[option] = true;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"say", no_argument, NULL, 'v'},
                                            {"keep", no_argument, NULL, 'k'},
                                            {"twice", no_argument, NULL, 't'},
                                            {"first", no_argument, NULL, 'f'},
                                            {"shorten", no_argument, NULL, 'm'},
                                            {"hosts", required_argument, NULL, 'h'},
                                            {"pages", required_argument, NULL, 'p'},
                                            {"no-kills", no_argument, NULL, 'K'},
                                            {"no-failures", no_argument, NULL, 'F'},
                                            {"one-worker", no_argument, NULL, 'W'},
                                            {"minutes", required_argument, NULL, 'M'},
                                            {"days", required_argument, NULL, 'd'},
                                            {"processes", required_argument, NULL, 'P'},
                                            {"folder", required_argument, NULL, 'D'},
                                            {0}};
    sim_options own = {.seed = 1, .count = 1};
    fix_addresses(argv);
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == '?')
            return 2;
        take_option(&own, option);
    }
    if (!parent || cw_disk_rocksdb_load(NULL)) /* once, and not in each life */
        return 4;
    int file = memfd_create("world", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof *sim_world_now))
        return 4;
    sim_world_now = mmap(NULL, sizeof *sim_world_now, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (sim_world_now == MAP_FAILED)
        return 4;
    if (own.caps.processes)
        sim_redis_begin(file);
    bool good = true;
    time_t end = own.minutes ? time(NULL) + own.minutes * 60 : 0;
    for (uint64_t i = 0; i < own.count && (good || !own.first) && (!end || time(NULL) < end); i++)
        good = (own.twice ? run_twice : run_seed)(&own, own.seed + i) && good;
    return good ? 0 : 1;
}
