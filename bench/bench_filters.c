/* Times the filters of <crawl/bloom.h>: test-and-add of 20-byte random keys, half of them duplicates, one at a time and in
 * batches, while the filter grows from its first capacity.
 *
 *   bench_filters [--keys N]... [--runs N] [--batch N] [--capacity N] [--fpr P] [--growth G] [--tightening R] [--kind K]
 *   bench_filters --sizing     prints bits per key instead, by rate and by length of the chain
 *
 * All runs of one number of keys are interleaved, kind after kind, so that a noisy minute hits all alike; the table gives
 * medians. Keys are made outside the time taken. */
#include <crawl/bloom.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEY 20
#define CHUNK 8192
#define RUNS_MAX 31
#define SIZES_MAX 8
#define PROBES 1000000

typedef struct settings {
    crawl_bloom_options options;
    uint64_t keys[SIZES_MAX];
    size_t sizes;
    size_t runs;
    size_t batch;
    int only; /* kind; -1: all */
} settings;

typedef struct result {
    double ns[2][RUNS_MAX]; /* one at a time, in batches */
    double worst[2];        /* ms of the slowest chunk, least over the runs */
    double bits, rate, predicted, lost, expected;
    uint32_t filters;
} result;

static const char *const kind_names[] = {"scalable", "counting", "exact"};
#define KINDS (sizeof kind_names / sizeof *kind_names)

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void make_key(uint64_t number, char *key)
{
    uint64_t words[3] = {mix(number), mix(number ^ (uint64_t)1 << 62), mix(number ^ (uint64_t)1 << 63)};
    memcpy(key, words, KEY);
}

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

/* The state of one run: numbers below `made` have been added. */
typedef struct run {
    crawl_bloom *bloom;
    uint64_t made, goal, dice, lost;
    double seconds, worst;
    char keys[CHUNK * KEY];
    uint8_t is_new[CHUNK], fresh[CHUNK];
} run;

/* The next operations: a new key or one of those before, with equal chance. */
static size_t fill_chunk(run *r)
{
    size_t n = 0;
    for (; n < CHUNK && r->made < r->goal; n++) {
        uint64_t dice = mix(r->dice++);
        bool fresh = r->made == 0 || (dice & 1);
        make_key(fresh ? r->made++ : (dice >> 1) % r->made, r->keys + n * KEY);
        r->is_new[n] = fresh;
    }
    return n;
}

static void time_chunk(run *r, size_t n, size_t batch)
{
    crawl_err err = CRAWL_OK;
    double start = now();
    if (batch == 1) {
        for (size_t i = 0; i < n && err != CRAWL_ENOMEM; i++) {
            err = crawl_bloom_add(r->bloom, r->keys + i * KEY, KEY, NULL);
            r->fresh[i] = err == CRAWL_OK;
        }
    } else {
        for (size_t i = 0; i < n && err != CRAWL_ENOMEM; i += batch)
            err = crawl_bloom_add_many(r->bloom, r->keys + i * KEY, KEY, n - i < batch ? n - i : batch, r->fresh + i, NULL);
    }
    double took = now() - start;
    if (err == CRAWL_ENOMEM)
        fail("no memory");
    r->seconds += took;
    r->worst = took > r->worst ? took : r->worst;
    for (size_t i = 0; i < n; i++)
        r->lost += r->is_new[i] && !r->fresh[i];
}

/* The share of PROBES keys never added that are taken for seen. */
static double measure_rate(const crawl_bloom *bloom)
{
    static char keys[CHUNK * KEY];
    static uint8_t present[CHUNK];
    uint64_t hits = 0;
    for (uint64_t done = 0; done < PROBES; done += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++)
            make_key(((uint64_t)1 << 60) + done + i, keys + i * KEY);
        crawl_bloom_test_many(bloom, keys, KEY, CHUNK, present);
        for (size_t i = 0; i < CHUNK; i++)
            hits += present[i];
    }
    return (double)hits / (double)((PROBES + CHUNK - 1) / CHUNK * CHUNK);
}

static void note_figures(const run *r, result *out)
{
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(r->bloom, &stats);
    out->bits = 8 * (double)stats.bytes / (double)stats.count;
    out->filters = stats.filters;
    out->predicted = stats.fpr_now;
    out->rate = measure_rate(r->bloom);
    out->lost = (double)r->lost;
    out->expected = stats.expected_false;
}

static void one_run(const settings *s, crawl_bloom_kind kind, uint64_t keys, bool many, size_t index, result *out)
{
    run *r = calloc(1, sizeof *r);
    crawl_bloom_options options = s->options;
    crawl_error error;
    options.kind = kind;
    if (!r)
        fail("no memory");
    if (crawl_bloom_create(&options, &r->bloom, &error))
        fail(error.message);
    r->goal = keys;
    uint64_t operations = 0;
    for (size_t n; (n = fill_chunk(r)) > 0; operations += n)
        time_chunk(r, n, many ? s->batch : 1);
    out->ns[many][index] = r->seconds * 1e9 / (double)operations;
    if (index == 0 || r->worst * 1e3 < out->worst[many])
        out->worst[many] = r->worst * 1e3;
    if (index == 0 && many)
        note_figures(r, out);
    crawl_bloom_free(r->bloom);
    free(r);
}

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

static void print_row(const char *kind, uint64_t keys, size_t runs, result *r)
{
    printf("%-9s %10llu %8.1f %8.1f %9.2f %9.2f %8.1f %8u %10.2e %10.2e %8.0f %9.1f\n", kind, (unsigned long long)keys,
           median(r->ns[0], runs), median(r->ns[1], runs), r->worst[0], r->worst[1], r->bits, r->filters, r->rate, r->predicted,
           r->lost, r->expected);
    fflush(stdout);
}

static void bench_size(const settings *s, uint64_t keys)
{
    result results[KINDS] = {0};
    for (size_t i = 0; i < s->runs; i++) {
        for (size_t kind = 0; kind < KINDS; kind++) {
            for (int many = 0; many < 2 && (s->only < 0 || s->only == (int)kind); many++)
                one_run(s, (crawl_bloom_kind)kind, keys, many, i, &results[kind]);
        }
    }
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (s->only < 0 || s->only == (int)kind)
            print_row(kind_names[kind], keys, s->runs, &results[kind]);
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

static void print_conditions(const settings *s)
{
    char cpu[512], huge[512];
    read_line("/proc/cpuinfo", "model name", cpu);
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", "", huge);
    printf("CPU %s, %ld online; page %ld bytes, transparent huge pages %s\n", cpu, sysconf(_SC_NPROCESSORS_ONLN),
           sysconf(_SC_PAGESIZE), huge);
    printf("first capacity %llu, fpr %g, growth %g, tightening %g; 20-byte random keys, every second operation a duplicate\n",
           (unsigned long long)s->options.capacity, s->options.fpr, s->options.growth, s->options.tightening);
    printf("batch %zu; medians of %zu interleaved runs; worst: slowest %d operations; rate over %d keys not in\n\n", s->batch,
           s->runs, CHUNK, PROBES);
    printf("%-9s %10s %8s %8s %9s %9s %8s %8s %10s %10s %8s %9s\n", "kind", "keys", "ns one", "ns batch", "worst ms", "batch ms",
           "bits/key", "filters", "rate", "fpr_now", "lost", "expected");
}

/* Bits per key of the first filters of a chain, all full. */
static double bits_of_filters(const crawl_bloom *bloom, uint32_t filters)
{
    double bits = 0, keys = 0;
    for (uint32_t f = 0; f < filters; f++) {
        crawl_bloom_stats stats;
        if (crawl_bloom_stats_of(bloom, f, &stats))
            fail("no such filter");
        bits += 8 * (double)stats.bytes;
        keys += (double)stats.capacity;
    }
    return bits / keys;
}

/* Of a chain that is full with so many filters, the first of them sized for 2e4 keys. */
static double bits_of_chain(crawl_bloom_kind kind, double fpr, uint32_t filters)
{
    static char keys[CHUNK * KEY];
    static uint8_t fresh[CHUNK];
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.fpr = fpr;
    options.capacity = 20000;
    crawl_bloom *bloom;
    crawl_bloom_stats last;
    if (crawl_bloom_create(&options, &bloom, NULL))
        fail("cannot create");
    for (uint64_t number = 0; crawl_bloom_stats_of(bloom, filters - 1, &last);) {
        for (size_t i = 0; i < CHUNK; i++)
            make_key(number++, keys + i * KEY);
        if (crawl_bloom_add_many(bloom, keys, KEY, CHUNK, fresh, NULL))
            fail("no memory");
    }
    double bits = bits_of_filters(bloom, filters);
    crawl_bloom_free(bloom);
    return bits;
}

static void print_bits(const char *what, double fpr, uint32_t filters)
{
    printf("%10s %10u %10.1f %10.1f\n", what, filters, bits_of_chain(CRAWL_BLOOM_SCALABLE, fpr, filters),
           bits_of_chain(CRAWL_BLOOM_COUNTING, fpr, filters));
}

static void print_sizing(void)
{
    static const char *const rates[] = {"1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7"};
    printf("bits per key of one filter by its own rate\n%10s %10s %10s %10s\n", "rate", "filters", "scalable", "counting");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        print_bits(rates[i], strtod(rates[i], NULL) / 0.15, 1); /* the first of a chain has (1 - tightening) of its rate */
    printf("\nbits per key of a full chain by the rate of the whole, growth 2, tightening 0.85\n%10s %10s %10s %10s\n", "fpr",
           "filters", "scalable", "counting");
    for (size_t i = 0; i < 4; i++) {
        for (uint32_t filters = 1; filters <= 7; filters += 3)
            print_bits(rates[i], strtod(rates[i], NULL), filters);
    }
}

static int kind_by_name(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(name, kind_names[i]) == 0)
            return (int)i;
    }
    fail("--kind takes scalable, counting or exact");
    return -1;
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
    else if (strcmp(name, "--kind") == 0)
        s->only = kind_by_name(value);
    else
        fail("usage: bench_filters [--sizing] [--keys N]... [--runs N] [--batch N] [--capacity N] [--fpr P] [--growth G] "
             "[--tightening R] [--kind K]");
}

int main(int argc, char **argv)
{
    settings s = {.runs = 5, .batch = 128, .only = -1};
    crawl_bloom_options_init(&s.options);
    s.options.capacity = 100000;
    s.options.fpr = 1e-3;
    if (argc == 2 && strcmp(argv[1], "--sizing") == 0) {
        print_sizing();
        return 0;
    }
    for (int i = 1; i < argc; i += 2)
        set_option(&s, argv[i], i + 1 < argc ? argv[i + 1] : "");
    if (s.sizes == 0) {
        s.keys[s.sizes++] = 1000000;
        s.keys[s.sizes++] = 10000000;
    }
    print_conditions(&s);
    for (size_t i = 0; i < s.sizes; i++)
        bench_size(&s, s.keys[i]);
    return 0;
}
