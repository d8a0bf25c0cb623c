/* Times the filters of <crawl/bloom.h>: test-and-add of 20-byte random keys, half of them duplicates, one at a time and
 * in batches, while the filter grows from its first capacity; then tests, and forgets.
 *
 *   bench_filters [--keys N]... [--runs N] [--batch N] [--capacity N] [--fpr P] [--growth G] [--tightening R]
 *     [--shards N] [--kind K]... [--no-worst] [--warm GIB]
 *   bench_filters --sizing  prints bits per key instead, by rate and by length of the chain
 *
 * All runs with the same number of keys are interleaved, kind after kind, so that noise affects all of them alike. The
 * table has medians. The program pins itself to the last processor it may use. Keys are made from a counter, outside
 * the measured time, in chunks of 8192 operations. Kinds of a fixed size (bloom, rotating) are made for the final
 * number of keys, and so is libbloom, which is compared if the build has found it.
 *
 * The slowest calls are measured in separate passes that time every call. In a virtual machine most of the slowest call
 * is the host's work for memory that the guest touches for the first time. --warm GIB touches and frees that much
 * memory before anything is timed. */
#include "bench/programs/filters/filters.h"
#include "bench/programs/measure.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

static int pin(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus))
        return -1;
    int last = CPU_SETSIZE - 1;
    while (last >= 0 && !CPU_ISSET(last, &cpus))
        last--;
    CPU_ZERO(&cpus);
    CPU_SET(last, &cpus);
    return sched_setaffinity(0, sizeof cpus, &cpus) ? -1 : last;
}

/* ---- The table ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_row(int which, uint64_t keys, size_t runs, result *r)
{
    printf("%-9s %10llu %7.1f %7.1f %7.1f %7.1f %7.1f %8.2f %8.2f %8.1f %7u %9.2e %9.2e %8.0f %9.1f\n",
           bench_name(which), (unsigned long long)keys, median(r->ns[0], runs), median(r->ns[1], runs),
           median(r->hit, runs), median(r->miss, runs), median(r->forget, runs), r->worst[0], r->worst[1], r->bits,
           r->filters, r->rate, r->predicted, r->lost, r->expected);
    fflush(stdout);
}

static void bench_size(const settings *s, uint64_t keys)
{
    static result results[SUBJECTS];
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < s->runs; i++) {
        for (int which = 0; which < SUBJECTS; which++) {
            if (s->chosen[which])
                bench_run(s, which, keys, i, &results[which]);
        }
    }
    for (int which = 0; which < SUBJECTS; which++) {
        if (!results[which].there)
            continue;
        bench_worst_calls(s, which, keys, &results[which]);
        print_row(which, keys, s->runs, &results[which]);
    }
}

/* Reads the value of "key : value" in a file of the kernel; with an empty key the first line. */
static void read_line(const char *path, const char *key, char out[512])
{
    FILE *file = fopen(path, "r");
    snprintf(out, 512, "unknown");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *colon = *key ? strchr(line, ':') : NULL;
        snprintf(out, 512, "%s", colon ? colon + 2 : line);
        out[strcspn(out, "\n")] = '\0';
        break;
    }
    fclose(file);
}

/* Memory freed last is used first. */
static void warm_up(uint64_t bytes)
{
    char *memory = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
    if (!bytes)
        return;
    if (memory == MAP_FAILED)
        fail("no memory to warm up");
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (uint64_t at = 0; at < bytes; at += 4096)
        memory[at] = 1;
    munmap(memory, bytes);
}

static void print_conditions(const settings *s, int cpu)
{
    char model[512], huge[512];
    read_line("/proc/cpuinfo", "model name", model);
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", "", huge);
    printf("CPU %s, %ld online, pinned to %d; page %ld bytes, transparent huge pages %s\n", model,
           sysconf(_SC_NPROCESSORS_ONLN), cpu, sysconf(_SC_PAGESIZE), huge);
    printf(
        "first capacity %llu, fpr %g, growth %g, tightening %g, shards %u, seed %llu; 20-byte random keys from a counter, every "
        "second operation a duplicate\n",
        (unsigned long long)s->options.capacity, s->options.fpr, s->options.growth, s->options.tightening,
        (unsigned)s->options.shards, (unsigned long long)s->options.seed);
    printf(
        "CPU time of the thread; batch %zu, also of hit, miss and forget; medians of %zu interleaved runs; worst: the slowest "
        "call "
        "of a pass; rate over %d keys not in; nan: does not apply\n",
        s->batch, s->runs, PROBES);
    if (s->warm)
        printf("%llu GiB of memory touched before\n", (unsigned long long)s->warm);
#ifndef BENCH_LIBBLOOM
    printf("without libbloom, which was not found when this was built\n");
#endif
    printf("\n%-9s %10s %7s %7s %7s %7s %7s %8s %8s %8s %7s %9s %9s %8s %9s\n", "kind", "keys", "ns one", "batch",
           "hit", "miss", "forget", "worst ms", "of batch", "bits/key", "filters", "rate", "fpr_now", "lost",
           "expected");
}

/* ---- Arguments ---- */

static void choose(settings *s, const char *name)
{
    for (int which = 0; which < SUBJECTS; which++) {
        if (strcmp(name, bench_name(which)) == 0) {
            s->chosen[which] = true;
            return;
        }
    }
    fail("--kind takes a kind of filter, or libbloom");
}

static void set_option(settings *s, const char *name, const char *value)
{
    double number = strtod(value, NULL);
    if (strcmp(name, "--keys") == 0 && s->sizes < SIZES_MAX && number >= 1)
        s->keys[s->sizes++] = (uint64_t)number;
    else if (strcmp(name, "--runs") == 0 && number >= 1 && number <= RUNS_MAX)
        s->runs = (size_t)number;
    else if (strcmp(name, "--batch") == 0 && number >= 2 && number <= CHUNK)
        s->batch = (size_t)number;
    else if (strcmp(name, "--capacity") == 0 && number >= 1)
        s->options.capacity = (uint64_t)number;
    else if (strcmp(name, "--fpr") == 0)
        s->options.fpr = number;
    else if (strcmp(name, "--growth") == 0)
        s->options.growth = number;
    else if (strcmp(name, "--tightening") == 0)
        s->options.tightening = number;
    else if (strcmp(name, "--shards") == 0 && number >= 0 && number <= 256)
        s->options.shards = (uint32_t)number;
    else if (strcmp(name, "--warm") == 0 && number >= 0 && number <= 1024)
        s->warm = (uint64_t)number;
    else if (strcmp(name, "--kind") == 0)
        choose(s, value);
    else
        fail(
            "usage: bench_filters [--sizing] [--keys N]... [--runs N] [--batch N] [--capacity N] [--fpr P] [--growth G] "
            "[--tightening R] [--shards N] [--kind K]... [--no-worst] [--warm GIB]");
}

static void read_arguments(settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-worst") == 0) {
            s->worst = false;
            continue;
        }
        set_option(s, argv[i], i + 1 < argc ? argv[i + 1] : "");
        i++;
    }
    bool some = false;
    for (int which = 0; which < SUBJECTS; which++)
        some |= s->chosen[which];
    for (int which = 0; which < SUBJECTS && !some; which++)
        s->chosen[which] = true;
    if (s->sizes == 0) {
        s->keys[s->sizes++] = 1000000;
        s->keys[s->sizes++] = 10000000;
    }
}

int main(int argc, char **argv)
{
    settings s = {.runs = 5, .batch = 128, .worst = true};
    crawl_bloom_options_init(&s.options);
    s.options.capacity = 100000;
    s.options.fpr = 1e-3;
    if (argc == 2 && strcmp(argv[1], "--sizing") == 0) {
        bench_sizing();
        return 0;
    }
    read_arguments(&s, argc, argv);
    print_conditions(&s, pin());
    warm_up(s.warm << 30);
    for (size_t i = 0; i < s.sizes; i++)
        bench_size(&s, s.keys[i]);
    return 0;
}
