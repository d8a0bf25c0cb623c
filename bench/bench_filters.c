/* Times the filters of <crawl/bloom.h>: test-and-add of 20-byte random keys, half of them duplicates, one at a time and
 * in batches, while the filter grows from its first capacity; then tests, and forgets.
 *
 *   bench_filters [--keys N]... [--runs N] [--batch N] [--capacity N] [--fpr P] [--growth G] [--tightening R] [--shards
 *   N]
 *                 [--kind K]... [--no-worst] [--warm GIB]
 *   bench_filters --sizing     prints bits per key instead, by rate and by length of the chain
 *
 * All runs of one number of keys are interleaved, kind after kind, so that a noisy minute hits all alike; the table
 * gives medians. The program pins itself to the last processor it may use. Keys are made from a counter, outside the
 * time taken, in chunks of 8192 operations. Kinds of a fixed size (bloom, rotating) are made for the final number of
 * keys, and so is libbloom, which is there for comparison where the build has found it.
 *
 * The slowest calls are sought in passes of their own, where every call is timed. In a virtual machine most of the
 * slowest is the host finding memory that the guest touches for the first time ever; --warm has so many GiB touched and
 * given back before anything is timed. */
#include <crawl/bloom.h>

#include "bench/keys.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef BENCH_LIBBLOOM
#include <bloom.h>
#endif

#define CHUNK 8192
#define RUNS_MAX 31
#define SIZES_MAX 8
#define PROBES (122 * CHUNK)
#define REMEMBERED (128 * CHUNK) /* the newest keys, to be forgotten at the end */

#define SUBJECTS (CRAWL_BLOOM_KINDS + 1)
#define LIBBLOOM CRAWL_BLOOM_KINDS

typedef struct settings {
    crawl_bloom_options options;
    uint64_t keys[SIZES_MAX];
    size_t sizes;
    size_t runs;
    size_t batch;
    bool worst;
    uint64_t warm; /* GiB */
    bool chosen[SUBJECTS];
} settings;

typedef struct result {
    bool there;
    double ns[2][RUNS_MAX]; /* one at a time, in batches */
    double hit[RUNS_MAX], miss[RUNS_MAX], forget[RUNS_MAX];
    double worst[2]; /* ms of the slowest call */
    double bits, rate, predicted, lost, expected;
    uint32_t filters;
} result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_filters: %s\n", what);
    exit(1);
}

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

/* ---- What is timed: a filter of ours, or libbloom's ---- */

typedef struct subject {
    crawl_bloom *bloom; /* NULL: lib */
#ifdef BENCH_LIBBLOOM
    struct bloom lib;
#endif
} subject;

static const char *name_of(int which)
{
    return which == LIBBLOOM ? "libbloom" : crawl_bloom_kind_name((crawl_bloom_kind)which);
}

static bool open_ours(const settings *s, int which, uint64_t keys, subject *out)
{
    crawl_bloom_options options = s->options;
    crawl_error error;
    options.kind = (crawl_bloom_kind)which;
    if (options.kind == CRAWL_BLOOM_CLASSIC || options.kind == CRAWL_BLOOM_ROTATING)
        options.capacity = keys;
    crawl_err err = crawl_bloom_create(&options, &out->bloom, &error);
    if (err && err != CRAWL_EINVAL)
        fail(error.message);
    return err == CRAWL_OK;
}

#ifdef BENCH_LIBBLOOM

static bool open_subject(const settings *s, int which, uint64_t keys, subject *out)
{
    *out = (subject){0};
    if (which != LIBBLOOM)
        return open_ours(s, which, keys, out);
    return keys <= INT32_MAX && bloom_init(&out->lib, (int)keys, s->options.fpr) == 0;
}

static void close_subject(subject *x)
{
    if (x->bloom)
        crawl_bloom_free(x->bloom);
    else
        bloom_free(&x->lib);
}

static bool lib_add(subject *x, const char *key)
{
    return bloom_add(&x->lib, key, KEY) == 0;
}

static bool lib_test(subject *x, const char *key)
{
    return bloom_check(&x->lib, key, KEY) == 1;
}

static double lib_bytes(const subject *x)
{
    return x->lib.bytes;
}

#else

static bool open_subject(const settings *s, int which, uint64_t keys, subject *out)
{
    *out = (subject){0};
    return which != LIBBLOOM && open_ours(s, which, keys, out);
}

static void close_subject(subject *x)
{
    crawl_bloom_free(x->bloom);
}

static bool lib_add(subject *x, const char *key)
{
    (void)x, (void)key;
    return false;
}

static bool lib_test(subject *x, const char *key)
{
    (void)x, (void)key;
    return false;
}

static double lib_bytes(const subject *x)
{
    (void)x;
    return 0;
}

#endif

/* ---- One run ---- */

/* Numbers below `made` have been added. */
typedef struct run {
    subject subject;
    uint64_t made, goal, dice, lost;
    double seconds, worst;
    char keys[CHUNK * KEY];
    uint64_t numbers[CHUNK]; /* of the keys of this chunk */
    bool is_new[CHUNK];
    uint8_t fresh[CHUNK];
    uint32_t where[CHUNK];
    uint32_t last_where[REMEMBERED]; /* by number, of the newest; UINT32_MAX: none */
} run;

/* The next operations: a new key or one of those before, with equal chance. */
static size_t fill_chunk(run *r)
{
    size_t n = 0;
    for (; n < CHUNK && r->made < r->goal; n++) {
        uint64_t dice = mix(r->dice++);
        bool fresh = r->made == 0 || (dice & 1);
        r->numbers[n] = fresh ? r->made++ : (dice >> 1) % r->made;
        make_key(r->numbers[n], r->keys + n * KEY);
        r->is_new[n] = fresh;
    }
    return n;
}

/* Adds the keys from i on, `count` of them, in one call. */
static void add_some(run *r, size_t i, size_t count)
{
    const char *keys = r->keys + i * KEY;
    crawl_err err = CRAWL_OK;
    if (!r->subject.bloom) {
        for (size_t k = 0; k < count; k++)
            r->fresh[i + k] = lib_add(&r->subject, keys + k * KEY);
    } else if (count == 1) {
        err = crawl_bloom_add(r->subject.bloom, keys, KEY, &r->where[i]);
        r->fresh[i] = err == CRAWL_OK;
    } else {
        err = crawl_bloom_add_many(r->subject.bloom, keys, KEY, count, r->fresh + i, r->where + i);
    }
    if (err == CRAWL_ENOMEM)
        fail("no memory");
}

static void time_chunk(run *r, size_t n, size_t batch)
{
    double start = now();
    for (size_t i = 0; i < n; i += batch)
        add_some(r, i, n - i < batch ? n - i : batch);
    r->seconds += now() - start;
}

static void time_calls(run *r, size_t n, size_t batch)
{
    double before = now();
    for (size_t i = 0; i < n; i += batch) {
        add_some(r, i, n - i < batch ? n - i : batch);
        double after = now();
        r->worst = fmax(r->worst, after - before);
        before = after;
    }
}

static void note_chunk(run *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r->lost += r->is_new[i] && !r->fresh[i];
        if (r->is_new[i])
            r->last_where[r->numbers[i] % REMEMBERED] = r->fresh[i] ? r->where[i] : UINT32_MAX;
    }
}

/* Nanoseconds for each of PROBES tests of keys that are in, or of keys that never were; the share of them found. */
static double time_tests(run *r, bool in, size_t batch, double *share)
{
    double seconds = 0, found = 0;
    for (uint64_t done = 0; done < PROBES; done += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++)
            make_key(in ? mix(done + i) % r->made : ((uint64_t)1 << 60) + done + i, r->keys + i * KEY);
        double start = now();
        for (size_t i = 0; i < CHUNK && r->subject.bloom; i += batch)
            crawl_bloom_test_many(r->subject.bloom, r->keys + i * KEY, KEY, CHUNK - i < batch ? CHUNK - i : batch,
                                  r->fresh + i);
        for (size_t i = 0; i < CHUNK && !r->subject.bloom; i++)
            r->fresh[i] = lib_test(&r->subject, r->keys + i * KEY);
        seconds += now() - start;
        for (size_t i = 0; i < CHUNK; i++)
            found += r->fresh[i];
    }
    *share = found / PROBES;
    return seconds * 1e9 / PROBES;
}

/* Takes back the newest keys. NAN: the kind cannot. */
static double time_forgets(run *r, size_t batch)
{
    uint64_t count = r->made < REMEMBERED ? r->made : REMEMBERED;
    uint64_t first = r->made - count;
    double seconds = 0;
    for (uint64_t done = 0; done < count; done += CHUNK) {
        size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
        for (size_t i = 0; i < n; i++) {
            make_key(first + done + i, r->keys + i * KEY);
            r->where[i] = r->last_where[(first + done + i) % REMEMBERED];
        }
        double start = now();
        for (size_t i = 0; i < n; i += batch) {
            size_t some = n - i < batch ? n - i : batch;
            const char *keys = r->keys + i * KEY;
            if (!r->subject.bloom ||
                crawl_bloom_forget_many(r->subject.bloom, keys, KEY, some, r->where + i, r->fresh + i))
                return NAN;
        }
        seconds += now() - start;
    }
    return seconds * 1e9 / (double)count;
}

static void note_figures(const run *r, result *out)
{
    crawl_bloom_stats stats = {.count = r->made - r->lost, .filters = 1, .fpr_now = NAN, .expected_false = NAN};
    if (r->subject.bloom)
        crawl_bloom_stats_get(r->subject.bloom, &stats);
    else
        stats.bytes = (uint64_t)lib_bytes(&r->subject);
    out->bits = 8 * (double)stats.bytes / (double)stats.count;
    out->filters = stats.filters;
    out->predicted = stats.fpr_now;
    out->lost = (double)r->lost;
    out->expected = stats.expected_false;
}

/* Adds all keys; `each`: every call is timed. */
static run *new_run(const settings *s, int which, uint64_t keys, size_t batch, bool each, uint64_t *operations)
{
    run *r = calloc(1, sizeof *r);
    if (!r)
        fail("no memory");
    if (!open_subject(s, which, keys, &r->subject)) {
        free(r);
        return NULL;
    }
    r->goal = keys;
    *operations = 0;
    for (size_t n; (n = fill_chunk(r)) > 0; *operations += n) {
        (each ? time_calls : time_chunk)(r, n, batch);
        note_chunk(r, n);
    }
    return r;
}

static void end_run(run *r)
{
    close_subject(&r->subject);
    free(r);
}

static void one_run(const settings *s, int which, uint64_t keys, size_t index, result *out)
{
    uint64_t operations;
    double all;
    for (int many = 0; many < 2; many++) {
        run *r = new_run(s, which, keys, many ? s->batch : 1, false, &operations);
        if (!r)
            return;
        out->there = true;
        out->ns[many][index] = r->seconds * 1e9 / (double)operations;
        if (many) {
            note_figures(r, out);
            out->hit[index] = time_tests(r, true, s->batch, &all);
            out->miss[index] = time_tests(r, false, s->batch, &out->rate);
            out->forget[index] = time_forgets(r, s->batch);
        }
        end_run(r);
    }
}

static void worst_calls(const settings *s, int which, uint64_t keys, result *out)
{
    uint64_t operations;
    for (int many = 0; many < 2; many++) {
        run *r = s->worst ? new_run(s, which, keys, many ? s->batch : 1, true, &operations) : NULL;
        out->worst[many] = r ? r->worst * 1e3 : NAN;
        if (r)
            end_run(r);
    }
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
    printf("%-9s %10llu %7.1f %7.1f %7.1f %7.1f %7.1f %8.2f %8.2f %8.1f %7u %9.2e %9.2e %8.0f %9.1f\n", name_of(which),
           (unsigned long long)keys, median(r->ns[0], runs), median(r->ns[1], runs), median(r->hit, runs),
           median(r->miss, runs), median(r->forget, runs), r->worst[0], r->worst[1], r->bits, r->filters, r->rate,
           r->predicted, r->lost, r->expected);
    fflush(stdout);
}

static void bench_size(const settings *s, uint64_t keys)
{
    static result results[SUBJECTS];
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < s->runs; i++) {
        for (int which = 0; which < SUBJECTS; which++) {
            if (s->chosen[which])
                one_run(s, which, keys, i, &results[which]);
        }
    }
    for (int which = 0; which < SUBJECTS; which++) {
        if (!results[which].there)
            continue;
        worst_calls(s, which, keys, &results[which]);
        print_row(which, keys, s->runs, &results[which]);
    }
}

/* The value of "key : value" in a file of the kernel's; the whole first line without key. */
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

/* The memory that is given back last is given out first. */
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

/* ---- Sizes ---- */

/* Bits per key of a filter of this rate: the first of a chain, which has (1 - tightening) of the rate of the whole. */
static double bits_for(crawl_bloom_kind kind, double rate)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.fpr = rate / (1 - options.tightening);
    crawl_bloom *bloom;
    crawl_bloom_stats stats;
    if (crawl_bloom_create(&options, &bloom, NULL) || crawl_bloom_stats_of(bloom, 0, &stats))
        fail("cannot create");
    crawl_bloom_free(bloom);
    return 8 * (double)stats.bytes / (double)stats.capacity;
}

/* Of a chain that is full with so many filters. */
static double bits_of_chain(crawl_bloom_kind kind, double fpr, uint32_t filters)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    double bits = 0, keys = 0;
    for (uint32_t f = 0; f < filters; f++) {
        double rate = fpr * (1 - options.tightening) * pow(options.tightening, f);
        double capacity = pow(options.growth, f);
        bits += capacity * bits_for(kind, rate);
        keys += capacity;
    }
    return bits / keys;
}

static void print_sizing(void)
{
    printf("bits per key of one filter by its own rate\n%10s %10s %10s\n", "rate", "scalable", "counting");
    for (int i = 2; i <= 7; i++)
        printf("%10s%d %10.1f %10.1f\n", "1e-", i, bits_for(CRAWL_BLOOM_SCALABLE, pow(10, -i)),
               bits_for(CRAWL_BLOOM_COUNTING, pow(10, -i)));
    printf("\nbits per key of a full chain by the rate of the whole, growth 2, tightening 0.85\n%10s %8s %10s %10s\n",
           "fpr", "filters", "scalable", "counting");
    for (int i = 2; i <= 5; i++) {
        for (uint32_t filters = 1; filters <= 7; filters += 3)
            printf("%9s%d %8u %10.1f %10.1f\n", "1e-", i, filters,
                   bits_of_chain(CRAWL_BLOOM_SCALABLE, pow(10, -i), filters),
                   bits_of_chain(CRAWL_BLOOM_COUNTING, pow(10, -i), filters));
    }
}

/* ---- Arguments ---- */

static void choose(settings *s, const char *name)
{
    for (int which = 0; which < SUBJECTS; which++) {
        if (strcmp(name, name_of(which)) == 0) {
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
        print_sizing();
        return 0;
    }
    read_arguments(&s, argc, argv);
    print_conditions(&s, pin());
    warm_up(s.warm << 30);
    for (size_t i = 0; i < s.sizes; i++)
        bench_size(&s, s.keys[i]);
    return 0;
}
