/* Times the frontier of <crawl/frontier.h> and weighs it: pushes of new links, pushes of links of which nine in ten were seen
 * before, pop and done, at several numbers of URLs over one host, a thousand hosts, and a tenth as many hosts as URLs.
 *
 *   bench_frontier [--urls N]... [--runs N] [--batch N] [--order bfs|dfs|best]
 *
 * URLs have 60 bytes. Fingerprints are given (hashing is another benchmark's), requests are made outside the time taken. No
 * pause, one thread, one lease at a time. The time is that of the processor. Every run is a process of its own, so that its
 * memory is that of the run; the table gives medians. */
#include <crawl/frontier.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define URL_SIZE 60
#define ORIGIN_SIZE 32
#define BATCH_MAX 1000
#define RUNS_MAX 31
#define SIZES_MAX 8
#define PARENT "https://www.host0000000.example/section/the-page-with-the-link"

struct settings {
    uint64_t urls[SIZES_MAX];
    size_t sizes;
    size_t runs;
    size_t batch;
    crawl_order order;
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
    FIGURES
};

struct result {
    double figures[FIGURES];
};

typedef struct run {
    crawl_frontier *frontier;
    const struct settings *settings;
    uint64_t urls, hosts;
    char text[BATCH_MAX][URL_SIZE + 1];
    crawl_request requests[BATCH_MAX];
} run;

static void fail(const char *what)
{
    fprintf(stderr, "bench_frontier: %s\n", what);
    exit(1);
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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

/* Link `number`: its host by a hash, its depth growing as a crawl's does. */
static void make_request(run *r, size_t slot, uint64_t number)
{
    uint64_t words[3] = {mix(number), mix(number ^ (uint64_t)1 << 62), mix(number ^ (uint64_t)1 << 63)};
    crawl_request *request = &r->requests[slot];
    snprintf(r->text[slot], sizeof r->text[slot], "https://www.host%07llu.example/%04x/article-%010llu.html",
             (unsigned long long)(words[0] % r->hosts % 10000000), (unsigned)(words[1] & 0xffff),
             (unsigned long long)(number % 10000000000));
    *request = (crawl_request){.url = crawl_slice_from(r->text[slot]), .depth = (uint32_t)(number * 4 / r->urls)};
    memcpy(request->fingerprint.bytes, words, CRAWL_FINGERPRINT_SIZE);
}

/* Seconds of one push; *accepted goes up. */
static double push(run *r, size_t count, uint64_t *accepted)
{
    size_t taken = 0;
    double start = now();
    if (crawl_frontier_push(r->frontier, r->requests, count, crawl_slice_from(PARENT), NULL, &taken, 0))
        fail("push failed");
    *accepted += taken;
    return now() - start;
}

static double push_new(run *r)
{
    double seconds = 0;
    uint64_t accepted = 0;
    for (uint64_t made = 0; made < r->urls;) {
        size_t count = 0;
        while (count < r->settings->batch && made < r->urls)
            make_request(r, count++, made++);
        seconds += push(r, count, &accepted);
    }
    if (accepted < r->urls - r->urls / 100)
        fail("more links were dropped than the filter's rate allows");
    return seconds * 1e9 / (double)r->urls;
}

/* As many links again, of which one in ten is new. */
static double push_seen(run *r)
{
    double seconds = 0;
    uint64_t accepted = 0;
    uint64_t fresh = r->urls;
    for (uint64_t made = 0; made < r->urls;) {
        size_t count = 0;
        for (; count < r->settings->batch && made < r->urls; made++)
            make_request(r, count++, made % 10 ? mix(made) % r->urls : fresh++);
        seconds += push(r, count, &accepted);
    }
    if (accepted > r->urls / 10 + 1)
        fail("links were accepted twice");
    if (accepted < r->urls / 10 - r->urls / 100)
        fail("more links were dropped than the filter's rate allows");
    return seconds * 1e9 / (double)r->urls;
}

static double pop_all(run *r)
{
    crawl_lease lease;
    uint64_t popped = 0;
    double start = now();
    for (; crawl_frontier_pop(r->frontier, 0, &lease, NULL) == CRAWL_OK; popped++)
        if (crawl_frontier_done(r->frontier, lease.id, CRAWL_DONE_FINISHED, 0, 0))
            fail("done failed");
    return (now() - start) * 1e9 / (double)popped;
}

static struct result measure(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    static run r;
    struct result result;
    crawl_frontier_stats stats;
    crawl_frontier_options options;
    crawl_frontier_options_init(&options);
    options.order = settings->order;
    options.pause_ms = 0;
    r.settings = settings;
    r.urls = urls;
    r.hosts = hosts;
    make_request(&r, 0, 0);
    if (strlen(r.text[0]) != URL_SIZE)
        fail("URLs have another size than stated");
    double before = resident();
    if (crawl_frontier_create(&options, &r.frontier, NULL))
        fail("no frontier");
    result.figures[PUSH_NEW] = push_new(&r);
    result.figures[RSS] = (resident() - before) / (double)urls;
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    result.figures[BYTES] = (double)stats.bytes / (double)stats.queued;
    result.figures[FILTER] = (double)stats.filter.bytes / (double)stats.queued;
    result.figures[PUSH_SEEN] = push_seen(&r);
    result.figures[POP_DONE] = pop_all(&r);
    crawl_frontier_stats_get(r.frontier, 0, &stats);
    result.figures[IDLE] = (double)stats.bytes / (double)stats.hosts;
    crawl_frontier_free(r.frontier);
    return result;
}

static struct result measure_apart(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    int ends[2];
    struct result result;
    int status = 0;
    if (pipe(ends))
        fail("no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        result = measure(settings, urls, hosts);
        _exit(write(ends[1], &result, sizeof result) != (ssize_t)sizeof result);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], &result, sizeof result);
    close(ends[0]);
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

static void print_row(const struct settings *settings, uint64_t urls, uint64_t hosts)
{
    struct result results[RUNS_MAX];
    size_t runs = settings->runs;
    for (size_t i = 0; i < runs; i++)
        results[i] = measure_apart(settings, urls, hosts);
    double push_new = median(results, runs, PUSH_NEW);
    double push_seen = median(results, runs, PUSH_SEEN);
    double pop_done = median(results, runs, POP_DONE);
    printf("%9llu %9llu  %9.2f %9.2f %9.2f  %8.0f %8.0f %8.1f  ", (unsigned long long)urls, (unsigned long long)hosts,
           1e3 / push_new, 1e3 / push_seen, 1e3 / pop_done, median(results, runs, RSS), median(results, runs, BYTES),
           median(results, runs, FILTER));
    if (hosts >= 1000) /* of one host the table, slots and all would be counted as its own */
        printf("%9.0f\n", median(results, runs, IDLE));
    else
        printf("%9s\n", "-");
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

static void read_options(int argc, char **argv, struct settings *settings)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--urls") == 0 && settings->sizes < SIZES_MAX)
            settings->urls[settings->sizes++] = number_of(value, 1000, 100000000);
        else if (strcmp(argv[i], "--runs") == 0)
            settings->runs = number_of(value, 1, RUNS_MAX);
        else if (strcmp(argv[i], "--batch") == 0)
            settings->batch = number_of(value, 1, BATCH_MAX);
        else if (strcmp(argv[i], "--order") == 0)
            settings->order = order_of(value);
        else
            fail("usage: bench_frontier [--urls N]... [--runs N] [--batch N] [--order bfs|dfs|best]");
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.runs = 3, .batch = 100, .order = CRAWL_ORDER_BFS};
    read_options(argc, argv, &settings);
    if (settings.sizes == 0) {
        settings.urls[settings.sizes++] = 100000;
        settings.urls[settings.sizes++] = 1000000;
    }
    printf("batches of %zu, URLs of %d bytes (%d of them the origin), a parent of %zu bytes per batch, seen-set scalable from 1M "
           "at 1e-4,\nmedian of %zu runs, one thread, processor time; %ld processors\n\n",
           settings.batch, URL_SIZE, ORIGIN_SIZE - 1, sizeof PARENT - 1, settings.runs, sysconf(_SC_NPROCESSORS_ONLN));
    printf("%9s %9s  %9s %9s %9s  %8s %8s %8s  %9s\n", "", "", "push new", "90 % seen", "pop+done", "RSS", "bytes", "filter",
           "idle host");
    printf("%9s %9s  %9s %9s %9s  %8s %8s %8s  %9s\n", "URLs", "hosts", "M/s", "M/s", "M/s", "B/URL", "B/URL", "B/URL", "B");
    for (size_t i = 0; i < settings.sizes; i++) {
        print_row(&settings, settings.urls[i], 1);
        print_row(&settings, settings.urls[i], 1000);
        print_row(&settings, settings.urls[i], settings.urls[i] / 10);
    }
    return 0;
}
