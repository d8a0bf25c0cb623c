/* Measures time and memory of the frontier of <crawl/frontier.h>: pushes of new links, pushes of links of which nine in
 * ten were seen before, and pop with done. Rows have several numbers of URLs, over one host, a thousand hosts, and a
 * tenth as many hosts as URLs, a million at most.
 *
 *   bench_frontier [--urls N]... [--hosts N] [--runs N] [--batch N] [--order bfs|dfs|best] [--seen KIND]
 *      [--end finished|forget|again] [--durable DIRECTORY [--processor] [--host-memory MIB]] [--csv FILE] [--times]
 *
 * URLs have 60 bytes. Fingerprints are given (bench_links measures hashing). There is no pause, one thread, and one
 * lease at a time. A lease ends as finished, as finished and forgotten a day later, or with a further visit a day later
 * and a memo of 40 bytes. Every run is a process of its own, so that its memory is that of the run; the table has
 * medians. --csv appends a line per row, with a head if the file is new; bench/frontier.gp draws it.
 *
 * --times prints below each row the times of single calls of each run: median, 99, 99.9 and 99.99 percent, and the
 * longest, by the clock, or with --processor by that of the calling thread. A push is a batch; a pop includes the done
 * of its lease.
 *
 * In memory, requests are made outside the measured time, and times are processor time. With --durable, in a directory
 * below DIRECTORY that is removed at the end, times are by the clock, or with --processor the processor time of all
 * threads, and requests are made within them: the database's work beside the calls counts. The frontier is closed and
 * opened between the pushes and the pops, and once more as after a crash. */
#include "bench/programs/frontier/frontier.h"
#include "bench/programs/measure.h"

#include <string.h>

static const char *const ends[] = {"finished", "forget", "again"};

/* Prints the figures of one run. */
static void print_times(const char *what, const double times[TIMES])
{
    printf("    %-4s us: median %.1f, 99 %% %.1f, 99.9 %% %.1f, 99.99 %% %.1f, longest %.0f\n", what, times[0],
           times[1], times[2], times[3], times[4]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const result *results, size_t count, size_t figure)
{
    double values[RUNS_MAX];
    for (size_t i = 0; i < count; i++)
        values[i] = results[i].figures[figure];
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void print_memory(const result *results, size_t runs, uint64_t hosts)
{
    printf("%8.0f %8.0f %8.1f  ", median(results, runs, RSS), median(results, runs, BYTES),
           median(results, runs, FILTER));
    if (hosts >= 1000) /* with one host, the fixed memory of the table would count as the host's */
        printf("%9.0f\n", median(results, runs, IDLE));
    else
        printf("%9s\n", "-");
}

static void print_durable(const result *results, size_t runs, uint64_t urls)
{
    printf("%8.0f %8.0f %8.0f  %7.0f %8.2f %8.2f %8.2f\n", median(results, runs, RSS) * (double)urls / 1048576,
           median(results, runs, POP_RSS) / 1048576, median(results, runs, FILTER) * (double)urls / 1048576,
           median(results, runs, DISK), median(results, runs, CLOSE), median(results, runs, OPEN),
           median(results, runs, RECOVER));
}

/* Writes rates per second; memory and disk in bytes. */
static void write_csv(const settings *s, const result *results, uint64_t urls, uint64_t hosts)
{
    size_t runs = s->runs;
    fprintf(s->csv, "%s,%llu,%llu,%.0f,%.0f,%.0f,%.0f,%.0f,%.1f\n", s->durable ? "durable" : "memory",
            (unsigned long long)urls, (unsigned long long)hosts, 1e9 / median(results, runs, PUSH_NEW),
            1e9 / median(results, runs, PUSH_SEEN), 1e9 / median(results, runs, POP_DONE),
            median(results, runs, RSS) * (double)urls, median(results, runs, POP_RSS), median(results, runs, DISK));
    fflush(s->csv);
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

static void print_row(const settings *s, uint64_t urls, uint64_t hosts)
{
    result results[RUNS_MAX];
    size_t runs = s->runs;
    for (size_t i = 0; i < runs; i++)
        results[i] = bench_measure(s, urls, hosts);
    printf("%9llu %9llu  %9.2f %9.2f %9.2f  ", (unsigned long long)urls, (unsigned long long)hosts,
           1e3 / median(results, runs, PUSH_NEW), 1e3 / median(results, runs, PUSH_SEEN),
           1e3 / median(results, runs, POP_DONE));
    if (s->durable)
        print_durable(results, runs, urls);
    else
        print_memory(results, runs, hosts);
    for (size_t i = 0; i < runs && s->times; i++) {
        print_times("push", results[i].push);
        print_times("pop", results[i].pop);
    }
    if (s->csv)
        write_csv(s, results, urls, hosts);
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

static void read_option(settings *s, const char *name, const char *value)
{
    if (strcmp(name, "--urls") == 0 && s->sizes < SIZES_MAX)
        s->urls[s->sizes++] = number_of(value, 1000, 1000000000);
    else if (strcmp(name, "--hosts") == 0)
        s->hosts = number_of(value, 1, 10000000);
    else if (strcmp(name, "--runs") == 0)
        s->runs = number_of(value, 1, RUNS_MAX);
    else if (strcmp(name, "--batch") == 0)
        s->batch = number_of(value, 1, BATCH_MAX);
    else if (strcmp(name, "--order") == 0)
        s->order = order_of(value);
    else if (strcmp(name, "--seen") == 0 && value && crawl_bloom_kind_named(value, &s->seen) == CRAWL_OK)
        return;
    else if (strcmp(name, "--end") == 0)
        s->end = end_of(value);
    else if (strcmp(name, "--durable") == 0 && value)
        s->durable = value;
    else if (strcmp(name, "--host-memory") == 0)
        s->host_bytes = number_of(value, 1, 1 << 20) << 20;
    else if (strcmp(name, "--csv") == 0 && value)
        s->csv = open_csv(value);
    else if (strcmp(name, "--crash") == 0 && value)
        bench_crash(s, value);
    else
        fail(
            "usage: bench_frontier [--urls N]... [--hosts N] [--runs N] [--batch N] [--order bfs|dfs|best] [--seen KIND] "
            "[--end finished|forget|again] [--durable DIRECTORY [--processor] [--host-memory MIB]] [--csv FILE]");
}

static void print_head(const settings *s)
{
    printf(
        "%s; batches of %zu, URLs of %d bytes (%d of them the origin), a parent of %zu bytes per batch, seen-set %s from "
        "1M at 1e-4,\nleases end as %s, median of %zu runs, one thread, %s time; %ld processors\n\n",
        s->durable ? "durable" : "in memory", s->batch, URL_SIZE, ORIGIN_SIZE - 1, sizeof PARENT - 1,
        crawl_bloom_kind_name(s->seen), ends[s->end], s->runs, s->durable && !s->processor ? "clock" : "processor",
        sysconf(_SC_NPROCESSORS_ONLN));
    printf("%9s %9s  %9s %9s %9s  ", "", "", "push new", "90 % seen", "pop+done");
    if (s->durable)
        printf("%8s %8s %8s  %7s %8s %8s %8s\n", "RSS push", "RSS pop", "filter", "disk", "close", "open", "recover");
    else
        printf("%8s %8s %8s  %9s\n", "RSS", "bytes", "filter", "idle host");
    printf("%9s %9s  %9s %9s %9s  ", "URLs", "hosts", "M/s", "M/s", "M/s");
    if (s->durable)
        printf("%8s %8s %8s  %7s %8s %8s %8s\n", "MiB", "MiB", "MiB", "B/URL", "s", "s", "s");
    else
        printf("%8s %8s %8s  %9s\n", "B/URL", "B/URL", "B/URL", "B");
}

int main(int argc, char **argv)
{
    settings s = {.runs = 3, .batch = 50, .order = CRAWL_ORDER_BFS};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--processor") == 0)
            s.processor = true, i--;
        else if (strcmp(argv[i], "--times") == 0)
            s.times = true, i--;
        else
            read_option(&s, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    }
    if (s.sizes == 0) {
        s.urls[s.sizes++] = 100000;
        s.urls[s.sizes++] = 1000000;
    }
    print_head(&s);
    for (size_t i = 0; i < s.sizes; i++) {
        uint64_t urls = s.urls[i];
        const uint64_t hosts[] = {1, 1000, urls / 10 < HOSTS_MAX ? urls / 10 : HOSTS_MAX};
        for (size_t j = 0; j < sizeof hosts / sizeof *hosts && !s.hosts; j++)
            print_row(&s, urls, hosts[j]);
        if (s.hosts)
            print_row(&s, urls, s.hosts);
    }
    return 0;
}
