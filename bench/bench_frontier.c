/* Times the frontier of <crawl/frontier.h> and weighs it: pushes of new links, pushes of links of which nine in ten
 * were seen before, pop and done, at several numbers of URLs over one host, a thousand hosts, and a tenth as many hosts
 * as URLs, a million at most.
 *
 *   bench_frontier [--urls N]... [--hosts N] [--runs N] [--batch N] [--order bfs|dfs|best] [--seen KIND] [--end
 *   finished|forget|again]
 *                  [--durable DIRECTORY [--processor]] [--csv FILE] [--times]
 *
 * URLs have 60 bytes. Fingerprints are given (hashing is another benchmark's). No pause, one thread, one lease at a
 * time. Leases end as finished, to be forgotten a day later, or in a further visit a day later with a memo of 40 bytes.
 * Every run is a process of its own, so that its memory is that of the run; the table gives medians. --csv appends a
 * line for each row, under a head if the file is new; bench/frontier.gp draws it.
 *
 * --times prints, below each row, how long single calls of each run took: median, 99, 99.9 and 99.99 of a hundred, and
 * the longest, by the clock, or with --processor by that of the calling thread. A push is that of a batch, a pop one
 * with the done of its lease.
 *
 * In memory, requests are made outside the time taken, and the time is that of the processor. Durable, in a directory
 * made below DIRECTORY and removed, the time is that of the clock, or with --processor that of the processor in all
 * threads together, and requests are made within it: what the database does beside the calls counts. It is closed and
 * opened between the pushes and the pops, and once more as a crash would leave it. */
#include <crawl/frontier.h>

#include "bench/keys.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define URL_SIZE 60
#define ORIGIN_SIZE 32
#define BATCH_MAX 1000
#define RUNS_MAX 31
#define SIZES_MAX 8
#define HOSTS_MAX 1000000
#define PARENT "https://www.host0000000.example/section/the-page-with-the-link"

#define DAY_MS 86400000
#define MEMO "0123456789012345678901234567890123456789"

enum end { END_FINISHED, END_FORGET, END_AGAIN };

static const char *const ends[] = {"finished", "forget", "again"};

struct settings {
    uint64_t urls[SIZES_MAX];
    size_t sizes;
    size_t runs;
    size_t batch;
    uint64_t hosts; /* 0: the three numbers */
    crawl_order order;
    crawl_bloom_kind seen;
    enum end end;
    const char *durable; /* NULL: in memory */
    bool processor;      /* durable: time of the processor */
    bool times;          /* of single calls, too */
    FILE *csv;           /* NULL: none */
};

/* The figures of a run. */
enum {
    PUSH_NEW, /* ns per link */
    PUSH_SEEN,
    POP_DONE,
    RSS,    /* bytes per queued URL, the filter included */
    BYTES,  /* the same as the frontier counts it, the filter excluded */
    FILTER, /* of the filter alone */
    IDLE,   /* bytes per host once nothing is queued */
    DISK,   /* bytes per queued URL of all files, when closed */
    CLOSE,  /* seconds */
    OPEN,
    RECOVER, /* seconds to open after a crash */
    POP_RSS, /* bytes in the middle of the pops */
    FIGURES
};

/* Times of single calls in buckets: 16 for each power of two of nanoseconds. */
enum { STEPS = 16, POWERS = 40, BUCKETS = STEPS * POWERS };

struct times {
    uint64_t counts[BUCKETS];
    uint64_t longest; /* ns */
};

enum { TIMES = 5 }; /* told of them: of four parts, and the longest; us */

struct result {
    double figures[FIGURES];
    double push[TIMES];
    double pop[TIMES];
};

typedef struct run {
    crawl_frontier *frontier;
    const struct settings *settings;
    uint64_t urls, hosts;
    char directory[256];
    crawl_frontier_options options;
    struct times push_times;
    struct times pop_times;
    char text[BATCH_MAX][URL_SIZE + 1];
    crawl_request requests[BATCH_MAX];
} run;

static void fail(const char *what)
{
    fprintf(stderr, "bench_frontier: %s\n", what);
    exit(1);
}

static clockid_t clock_used = CLOCK_THREAD_CPUTIME_ID;

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static clockid_t ticks = CLOCK_MONOTONIC; /* of single calls */

static uint64_t tick(void)
{
    struct timespec t;
    clock_gettime(ticks, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void note_time(struct times *times, uint64_t ns)
{
    unsigned power = 63 - (unsigned)__builtin_clzll(ns | STEPS);
    unsigned step = (unsigned)(ns >> (power - 4)) % STEPS;
    unsigned bucket = power * STEPS + step;
    times->counts[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
    if (ns > times->longest)
        times->longest = ns;
}

/* Below which this part of the calls stays, in microseconds. */
static double time_of_part(const struct times *times, double part)
{
    uint64_t all = 0;
    uint64_t below = 0;
    for (unsigned i = 0; i < BUCKETS; i++)
        all += times->counts[i];
    for (unsigned i = 0; i < BUCKETS; i++) {
        below += times->counts[i];
        if (below && (double)below >= part * (double)all)
            return (double)((uint64_t)(STEPS + i % STEPS + 1) << (i / STEPS - 4)) / 1000;
    }
    return 0;
}

static void sum_up(const struct times *times, double out[TIMES])
{
    static const double parts[] = {0.5, 0.99, 0.999, 0.9999};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        out[i] = time_of_part(times, parts[i]);
    out[TIMES - 1] = (double)times->longest / 1000;
}

/* Of one run. */
static void print_times(const char *what, const double times[TIMES])
{
    printf("    %-4s us: median %.1f, 99 %% %.1f, 99.9 %% %.1f, 99.99 %% %.1f, longest %.0f\n", what, times[0],
           times[1], times[2], times[3], times[4]);
}

static double resident(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%*u %lu", &pages) != 1)
        fail("no /proc/self/statm");
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The last `width` digits of value, without printf, which would be a twentieth of a push that is durable. */
static char *put_digits(char *at, int width, unsigned base, uint64_t value)
{
    for (int i = width - 1; i >= 0; i--, value /= base)
        at[i] = "0123456789abcdef"[value % base];
    return at + width;
}

static char *put_text(char *at, const char *text)
{
    size_t size = strlen(text);
    memcpy(at, text, size);
    return at + size;
}

/* Link `number`: its host by a hash, its depth growing as a crawl's does. */
static void make_request(run *r, size_t slot, uint64_t number)
{
    uint64_t words[3] = {mix(number), mix(number ^ (uint64_t)1 << 62), mix(number ^ (uint64_t)1 << 63)};
    crawl_request *request = &r->requests[slot];
    char *at = put_digits(put_text(r->text[slot], "https://www.host"), 7, 10, words[0] % r->hosts);
    at = put_digits(put_text(at, ".example/"), 4, 16, words[1]);
    at = put_digits(put_text(at, "/article-"), 10, 10, number);
    *put_text(at, ".html") = '\0';
    *request =
        (crawl_request){.url = crawl_slice_of(r->text[slot], URL_SIZE), .depth = (uint32_t)(number * 4 / r->urls)};
    memcpy(request->fingerprint.bytes, words, CRAWL_FINGERPRINT_SIZE);
}

/* Seconds of one push; *accepted goes up. */
static double push(run *r, size_t count, uint64_t *accepted)
{
    size_t taken = 0;
    uint64_t begin = r->settings->times ? tick() : 0;
    double start = now();
    if (crawl_frontier_push(r->frontier, r->requests, count, crawl_slice_from(PARENT), NULL, &taken, 0))
        fail("push failed");
    *accepted += taken;
    double seconds = now() - start;
    if (r->settings->times)
        note_time(&r->push_times, tick() - begin);
    return seconds;
}

/* Pushes as many links as there are to be, of which link_of makes the number. Nanoseconds for each. */
static double push_links(run *r, uint64_t (*link_of)(const run *r, uint64_t made, uint64_t *fresh), uint64_t *accepted)
{
    double seconds = 0;
    uint64_t fresh = r->urls;
    double start = now();
    *accepted = 0;
    for (uint64_t made = 0; made < r->urls;) {
        size_t count = 0;
        for (; count < r->settings->batch && made < r->urls; made++)
            make_request(r, count++, link_of(r, made, &fresh));
        seconds += push(r, count, accepted);
    }
    if (r->settings->durable)
        seconds = now() - start;
    return seconds * 1e9 / (double)r->urls;
}

static uint64_t link_new(const run *r, uint64_t made, uint64_t *fresh)
{
    (void)r;
    (void)fresh;
    return made;
}

static double push_new(run *r)
{
    uint64_t accepted;
    double time = push_links(r, link_new, &accepted);
    if (accepted < r->urls - r->urls / 100)
        fail("more links were dropped than the filter's rate allows");
    return time;
}

/* One in ten is new. */
static uint64_t link_seen(const run *r, uint64_t made, uint64_t *fresh)
{
    return made % 10 ? mix(made) % r->urls : (*fresh)++;
}

static double push_seen(run *r)
{
    uint64_t accepted;
    double time = push_links(r, link_seen, &accepted);
    if (accepted > r->urls / 10 + 1)
        fail("links were accepted twice");
    if (accepted < r->urls / 10 - r->urls / 100)
        fail("more links were dropped than the filter's rate allows");
    return time;
}

static crawl_err end_lease(run *r, const crawl_lease *lease)
{
    if (r->settings->end == END_AGAIN)
        return crawl_frontier_done_again(r->frontier, lease->id, DAY_MS, crawl_slice_from(MEMO), 0);
    crawl_outcome outcome = r->settings->end == END_FORGET ? CRAWL_DONE_FORGET : CRAWL_DONE_FINISHED;
    return crawl_frontier_done(r->frontier, lease->id, outcome, DAY_MS, 0);
}

static double pop_all(run *r, double *memory)
{
    crawl_lease lease;
    uint64_t popped = 0;
    double start = now();
    uint64_t begin = r->settings->times ? tick() : 0;
    for (; crawl_frontier_pop(r->frontier, 0, &lease, NULL) == CRAWL_OK; popped++) {
        if (end_lease(r, &lease))
            fail("done failed");
        if (r->settings->times) {
            uint64_t end = tick();
            note_time(&r->pop_times, end - begin);
            begin = end;
        }
        if (popped == r->urls / 2)
            *memory = resident();
    }
    if (popped < r->urls)
        fail("requests were lost");
    return (now() - start) * 1e9 / (double)popped;
}

/* The durable one. */

static double files_bytes; /* nftw has no argument of the caller's */

static int add_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)path;
    (void)walk;
    if (type == FTW_F)
        files_bytes += (double)status->st_blocks * 512;
    return 0;
}

static int remove_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void set_options(run *r, const struct settings *settings)
{
    crawl_frontier_options_init(&r->options);
    r->options.order = settings->order;
    r->options.seen.kind = settings->seen;
    r->options.pause_ms = 0;
}

static double open_frontier(run *r)
{
    crawl_error error = {0};
    double start = now();
    crawl_err err = r->settings->durable ? crawl_frontier_open(r->directory, &r->options, 0, &r->frontier, &error)
                                         : crawl_frontier_create(&r->options, &r->frontier, &error);
    if (err)
        fail(error.message);
    return now() - start;
}

/* Opens what was closed in another process, which is killed then. A program anew: RocksDB's threads do not outlive a
 * fork. */
static void crash(const run *r)
{
    static const char *const orders[] = {"bfs", "dfs", "best"};
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        execl("/proc/self/exe", "bench_frontier", "--order", orders[r->options.order], "--seen",
              crawl_bloom_kind_name(r->options.seen.kind), "--crash", r->directory, (char *)NULL);
        _exit(1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        fail("the process that was to be killed ended otherwise");
}

static void crash_here(const struct settings *settings, const char *directory)
{
    static run r;
    struct settings durable = *settings;
    durable.durable = "";
    r.settings = &durable;
    snprintf(r.directory, sizeof r.directory, "%s", directory);
    set_options(&r, settings);
    open_frontier(&r);
    kill(getpid(), SIGKILL);
}

static void close_and_open(run *r, struct result *result)
{
    crawl_error error = {0};
    double start = now();
    if (crawl_frontier_close(r->frontier, &error))
        fail(error.message);
    result->figures[CLOSE] = now() - start;
    files_bytes = 0;
    nftw(r->directory, add_file, 8, FTW_PHYS);
    result->figures[DISK] = files_bytes / ((double)r->urls * 1.1);
    result->figures[OPEN] = open_frontier(r);
    if (crawl_frontier_close(r->frontier, &error))
        fail(error.message);
    crash(r);
    result->figures[RECOVER] = open_frontier(r);
}

static void set_up(run *r, const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    set_options(r, settings);
    r->settings = settings;
    r->urls = urls;
    r->hosts = hosts;
    if (settings->processor)
        ticks = CLOCK_THREAD_CPUTIME_ID;
    make_request(r, 0, 0);
    if (strlen(r->text[0]) != URL_SIZE)
        fail("URLs have another size than stated");
    if (!settings->durable)
        return;
    clock_used = settings->processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    snprintf(r->directory, sizeof r->directory, "%s/bench-frontier-XXXXXX", settings->durable);
    if (!mkdtemp(r->directory))
        fail("no directory can be made there");
}

static struct result measure(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    static run r;
    struct result result = {0};
    crawl_frontier_stats stats;
    set_up(&r, settings, urls, hosts);
    double before = resident();
    open_frontier(&r);
    result.figures[PUSH_NEW] = push_new(&r);
    result.figures[RSS] = (resident() - before) / (double)urls;
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    result.figures[BYTES] = (double)stats.bytes / (double)stats.queued;
    result.figures[FILTER] = (double)stats.filter.bytes / (double)stats.queued;
    result.figures[PUSH_SEEN] = push_seen(&r);
    if (settings->durable)
        close_and_open(&r, &result);
    result.figures[POP_DONE] = pop_all(&r, &result.figures[POP_RSS]);
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    result.figures[IDLE] = (double)stats.bytes / (double)stats.hosts;
    sum_up(&r.push_times, result.push);
    sum_up(&r.pop_times, result.pop);
    crawl_frontier_free(r.frontier);
    if (settings->durable)
        nftw(r.directory, remove_file, 8, FTW_DEPTH | FTW_PHYS);
    return result;
}

static struct result measure_apart(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    int pipes[2];
    struct result result;
    int status = 0;
    if (pipe(pipes))
        fail("no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        result = measure(settings, urls, hosts);
        _exit(write(pipes[1], &result, sizeof result) != (ssize_t)sizeof result);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], &result, sizeof result);
    close(pipes[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || got != (ssize_t)sizeof result)
        fail("a run failed");
    return result;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const struct result *results, size_t count, size_t figure)
{
    double values[RUNS_MAX];
    for (size_t i = 0; i < count; i++)
        values[i] = results[i].figures[figure];
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void print_memory(const struct result *results, size_t runs, uint64_t hosts)
{
    printf("%8.0f %8.0f %8.1f  ", median(results, runs, RSS), median(results, runs, BYTES),
           median(results, runs, FILTER));
    if (hosts >= 1000) /* of one host the table, slots and all would be counted as its own */
        printf("%9.0f\n", median(results, runs, IDLE));
    else
        printf("%9s\n", "-");
}

static void print_durable(const struct result *results, size_t runs, uint64_t urls)
{
    printf("%8.0f %8.0f %8.0f  %7.0f %8.2f %8.2f %8.2f\n", median(results, runs, RSS) * (double)urls / 1048576,
           median(results, runs, POP_RSS) / 1048576, median(results, runs, FILTER) * (double)urls / 1048576,
           median(results, runs, DISK), median(results, runs, CLOSE), median(results, runs, OPEN),
           median(results, runs, RECOVER));
}

/* Rates per second; memory and disk in bytes. */
static void write_csv(const struct settings *settings, const struct result *results, uint64_t urls, uint64_t hosts)
{
    size_t runs = settings->runs;
    fprintf(settings->csv, "%s,%llu,%llu,%.0f,%.0f,%.0f,%.0f,%.0f,%.1f\n", settings->durable ? "durable" : "memory",
            (unsigned long long)urls, (unsigned long long)hosts, 1e9 / median(results, runs, PUSH_NEW),
            1e9 / median(results, runs, PUSH_SEEN), 1e9 / median(results, runs, POP_DONE),
            median(results, runs, RSS) * (double)urls, median(results, runs, POP_RSS), median(results, runs, DISK));
    fflush(settings->csv);
}

static FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "a");
    if (!csv)
        fail("--csv: the file cannot be written");
    if (ftell(csv) == 0)
        fprintf(csv, "backend,urls,hosts,push,push_seen,pop_done,rss_push,rss_pop,disk_per_url\n");
    fflush(csv);
    return csv;
}

static void print_row(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    struct result results[RUNS_MAX];
    size_t runs = settings->runs;
    for (size_t i = 0; i < runs; i++)
        results[i] = measure_apart(settings, urls, hosts);
    printf("%9llu %9llu  %9.2f %9.2f %9.2f  ", (unsigned long long)urls, (unsigned long long)hosts,
           1e3 / median(results, runs, PUSH_NEW), 1e3 / median(results, runs, PUSH_SEEN),
           1e3 / median(results, runs, POP_DONE));
    if (settings->durable)
        print_durable(results, runs, urls);
    else
        print_memory(results, runs, hosts);
    for (size_t i = 0; i < runs && settings->times; i++) {
        print_times("push", results[i].push);
        print_times("pop", results[i].pop);
    }
    if (settings->csv)
        write_csv(settings, results, urls, hosts);
    fflush(stdout);
}

static uint64_t number_of(const char *text, uint64_t least, uint64_t most)
{
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;
    if (!text || *end || !(value >= (double)least && value <= (double)most))
        fail("a number is missing or out of its range");
    return (uint64_t)value;
}

static crawl_order order_of(const char *text)
{
    static const char *const names[] = {"bfs", "dfs", "best"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return (crawl_order)i;
    fail("--order: none of bfs, dfs, best");
    return CRAWL_ORDER_BFS;
}

static enum end end_of(const char *text)
{
    for (size_t i = 0; text && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(text, ends[i]) == 0)
            return (enum end)i;
    fail("--end: none of finished, forget, again");
    return END_FINISHED;
}

static void read_option(struct settings *settings, const char *name, const char *value)
{
    if (strcmp(name, "--urls") == 0 && settings->sizes < SIZES_MAX)
        settings->urls[settings->sizes++] = number_of(value, 1000, 1000000000);
    else if (strcmp(name, "--hosts") == 0)
        settings->hosts = number_of(value, 1, 10000000);
    else if (strcmp(name, "--runs") == 0)
        settings->runs = number_of(value, 1, RUNS_MAX);
    else if (strcmp(name, "--batch") == 0)
        settings->batch = number_of(value, 1, BATCH_MAX);
    else if (strcmp(name, "--order") == 0)
        settings->order = order_of(value);
    else if (strcmp(name, "--seen") == 0 && value && crawl_bloom_kind_named(value, &settings->seen) == CRAWL_OK)
        return;
    else if (strcmp(name, "--end") == 0)
        settings->end = end_of(value);
    else if (strcmp(name, "--durable") == 0 && value)
        settings->durable = value;
    else if (strcmp(name, "--csv") == 0 && value)
        settings->csv = open_csv(value);
    else if (strcmp(name, "--crash") == 0 && value)
        crash_here(settings, value);
    else
        fail(
            "usage: bench_frontier [--urls N]... [--hosts N] [--runs N] [--batch N] [--order bfs|dfs|best] [--seen KIND] "
            "[--end finished|forget|again] [--durable DIRECTORY [--processor]] [--csv FILE]");
}

static void print_head(const struct settings *settings)
{
    printf(
        "%s; batches of %zu, URLs of %d bytes (%d of them the origin), a parent of %zu bytes per batch, seen-set %s from "
        "1M at 1e-4,\nleases end as %s, median of %zu runs, one thread, %s time; %ld processors\n\n",
        settings->durable ? "durable" : "in memory", settings->batch, URL_SIZE, ORIGIN_SIZE - 1, sizeof PARENT - 1,
        crawl_bloom_kind_name(settings->seen), ends[settings->end], settings->runs,
        settings->durable && !settings->processor ? "clock" : "processor", sysconf(_SC_NPROCESSORS_ONLN));
    printf("%9s %9s  %9s %9s %9s  ", "", "", "push new", "90 % seen", "pop+done");
    if (settings->durable)
        printf("%8s %8s %8s  %7s %8s %8s %8s\n", "RSS push", "RSS pop", "filter", "disk", "close", "open", "recover");
    else
        printf("%8s %8s %8s  %9s\n", "RSS", "bytes", "filter", "idle host");
    printf("%9s %9s  %9s %9s %9s  ", "URLs", "hosts", "M/s", "M/s", "M/s");
    if (settings->durable)
        printf("%8s %8s %8s  %7s %8s %8s %8s\n", "MiB", "MiB", "MiB", "B/URL", "s", "s", "s");
    else
        printf("%8s %8s %8s  %9s\n", "B/URL", "B/URL", "B/URL", "B");
}

int main(int argc, char **argv)
{
    struct settings settings = {.runs = 3, .batch = 50, .order = CRAWL_ORDER_BFS};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--processor") == 0)
            settings.processor = true, i--;
        else if (strcmp(argv[i], "--times") == 0)
            settings.times = true, i--;
        else
            read_option(&settings, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    }
    if (settings.sizes == 0) {
        settings.urls[settings.sizes++] = 100000;
        settings.urls[settings.sizes++] = 1000000;
    }
    print_head(&settings);
    for (size_t i = 0; i < settings.sizes; i++) {
        uint64_t urls = settings.urls[i];
        const uint64_t hosts[] = {1, 1000, urls / 10 < HOSTS_MAX ? urls / 10 : HOSTS_MAX};
        for (size_t j = 0; j < sizeof hosts / sizeof *hosts && !settings.hosts; j++)
            print_row(&settings, urls, hosts[j]);
        if (settings.hosts)
            print_row(&settings, urls, settings.hosts);
    }
    return 0;
}
