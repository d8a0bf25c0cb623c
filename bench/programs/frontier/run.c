/* One run of bench_frontier: links of a simulated web are pushed, pushed again with nine in ten seen before, and
 * popped. Each call is timed, and memory is read between them. A durable frontier is closed and opened, and opened
 * after a crash, between the pushes and the pops, and its files are measured. */
#include "bench/programs/frontier/frontier.h"

#include "bench/programs/keys.h"
#include "bench/programs/measure.h"

#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define DAY_MS 86400000
#define MEMO "0123456789012345678901234567890123456789"

/* Times of single calls in buckets: 16 for each power of two of nanoseconds. */
enum { STEPS = 16, POWERS = 40, BUCKETS = STEPS * POWERS };

struct times {
    uint64_t counts[BUCKETS];
    uint64_t longest; /* ns */
};

typedef struct run {
    crawl_frontier *frontier;
    const settings *settings;
    uint64_t urls, hosts;
    char directory[256];
    crawl_frontier_options options;
    struct times push_times;
    struct times pop_times;
    char text[BATCH_MAX][URL_SIZE + 1];
    crawl_request requests[BATCH_MAX];
} run;

static clockid_t clock_used = CLOCK_THREAD_CPUTIME_ID;

static clockid_t ticks = CLOCK_MONOTONIC; /* clock for single calls */

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

/* Returns the time within which this part of the calls ended, in microseconds. */
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

/* Writes the last `width` digits of value. printf would take a twentieth of a durable push. */
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

/* Makes link `number`: its host from a hash, its depth growing as in a crawl. */
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

/* Returns the seconds of one push; adds to *accepted. */
static double push(run *r, size_t count, uint64_t *accepted)
{
    size_t taken = 0;
    uint64_t begin = r->settings->times ? tick() : 0;
    double start = clock_of(clock_used);
    if (crawl_frontier_push(r->frontier, r->requests, count, crawl_slice_from(PARENT), NULL, &taken, 0))
        fail("push failed");
    *accepted += taken;
    double seconds = clock_of(clock_used) - start;
    if (r->settings->times)
        note_time(&r->push_times, tick() - begin);
    return seconds;
}

/* Pushes the links that link_of chooses. Returns nanoseconds per link. */
static double push_links(run *r, uint64_t (*link_of)(const run *r, uint64_t made, uint64_t *fresh), uint64_t *accepted)
{
    double seconds = 0;
    uint64_t fresh = r->urls;
    double start = clock_of(clock_used);
    *accepted = 0;
    for (uint64_t made = 0; made < r->urls;) {
        size_t count = 0;
        for (; count < r->settings->batch && made < r->urls; made++)
            make_request(r, count++, link_of(r, made, &fresh));
        seconds += push(r, count, accepted);
    }
    if (r->settings->durable)
        seconds = clock_of(clock_used) - start;
    return seconds * 1e9 / (double)r->urls;
}

static uint64_t link_new(const run *, uint64_t made, uint64_t *)
{
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

/* Chooses a new link one time in ten. */
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
    double start = clock_of(clock_used);
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
    return (clock_of(clock_used) - start) * 1e9 / (double)popped;
}

/* ---- the durable frontier ---- */

static double files_bytes; /* nftw has no user argument */

static int add_file(const char *, const struct stat *status, int type, struct FTW *)
{
    if (type == FTW_F)
        files_bytes += (double)status->st_blocks * 512;
    return 0;
}

static int remove_file(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static void set_options(run *r, const settings *s)
{
    crawl_frontier_options_init(&r->options, sizeof r->options);
    r->options.order = s->order;
    r->options.seen.kind = s->seen;
    r->options.pause_ms = 0;
    if (s->host_bytes)
        r->options.host_bytes = s->host_bytes;
}

static double open_frontier(run *r)
{
    crawl_error error = {0};
    double start = clock_of(clock_used);
    crawl_err err = r->settings->durable ? crawl_frontier_open(r->directory, &r->options, 0, &r->frontier, &error)
                                         : crawl_frontier_create(&r->options, &r->frontier, &error);
    if (err)
        fail(error.message);
    return clock_of(clock_used) - start;
}

/* Opens the closed frontier in another process, which is then killed. It is a new program, since RocksDB's threads do
 * not outlive a fork. */
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

void bench_crash(const settings *s, const char *directory)
{
    static run r;
    settings durable = *s;
    durable.durable = "";
    r.settings = &durable;
    snprintf(r.directory, sizeof r.directory, "%s", directory);
    set_options(&r, s);
    open_frontier(&r);
    kill(getpid(), SIGKILL);
}

static void close_and_open(run *r, result *out)
{
    crawl_error error = {0};
    double start = clock_of(clock_used);
    if (crawl_frontier_close(r->frontier, &error))
        fail(error.message);
    out->figures[CLOSE] = clock_of(clock_used) - start;
    files_bytes = 0;
    nftw(r->directory, add_file, 8, FTW_PHYS);
    out->figures[DISK] = files_bytes / ((double)r->urls * 1.1);
    out->figures[OPEN] = open_frontier(r);
    if (crawl_frontier_close(r->frontier, &error))
        fail(error.message);
    crash(r);
    out->figures[RECOVER] = open_frontier(r);
}

static void set_up(run *r, const settings *s, uint64_t urls, uint64_t hosts)
{
    set_options(r, s);
    r->settings = s;
    r->urls = urls;
    r->hosts = hosts;
    if (s->processor)
        ticks = CLOCK_THREAD_CPUTIME_ID;
    make_request(r, 0, 0);
    if (strlen(r->text[0]) != URL_SIZE)
        fail("URLs have another size than stated");
    if (!s->durable)
        return;
    clock_used = s->processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    snprintf(r->directory, sizeof r->directory, "%s/bench-frontier-XXXXXX", s->durable);
    if (!mkdtemp(r->directory))
        fail("no directory can be made there");
}

static result measure(const settings *s, uint64_t urls, uint64_t hosts)
{
    static run r;
    result out = {0};
    crawl_frontier_stats stats;
    set_up(&r, s, urls, hosts);
    double before = resident();
    open_frontier(&r);
    out.figures[PUSH_NEW] = push_new(&r);
    out.figures[RSS] = (resident() - before) / (double)urls;
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    out.figures[BYTES] = (double)stats.bytes / (double)stats.queued;
    out.figures[FILTER] = (double)stats.filter.bytes / (double)stats.queued;
    out.figures[PUSH_SEEN] = push_seen(&r);
    if (s->durable)
        close_and_open(&r, &out);
    out.figures[POP_DONE] = pop_all(&r, &out.figures[POP_RSS]);
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    out.figures[IDLE] = (double)stats.bytes / (double)stats.hosts;
    sum_up(&r.push_times, out.push);
    sum_up(&r.pop_times, out.pop);
    crawl_frontier_free(r.frontier);
    if (s->durable)
        nftw(r.directory, remove_file, 8, FTW_DEPTH | FTW_PHYS);
    return out;
}

result bench_measure(const settings *s, uint64_t urls, uint64_t hosts)
{
    int pipes[2];
    result out = {0};
    int status = 0;
    if (pipe(pipes))
        fail("no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        out = measure(s, urls, hosts);
        _exit(write(pipes[1], &out, sizeof out) != (ssize_t)sizeof out);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], &out, sizeof out);
    close(pipes[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || got != (ssize_t)sizeof out)
        fail("a run failed");
    return out;
}
