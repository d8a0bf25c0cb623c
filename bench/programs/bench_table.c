/* Follows one filter of <crawl/bloom.h> through its sizes: the cost of test-and-add, the slowest single call, memory at
 * each size and at its peak since the row before, and the measured rate beside the filter's own figure.
 *
 *   bench_table [--kind K] [--keys N] [--capacity N] [--fpr P] [--batch N] [--probes N] [--forget 0|1] [--fill 0|1]
 *
 * Keys are 20 random bytes; half of the operations are duplicates (--fill 1: none). Each doubling of the keys, and the
 * end, has a row. Then half of the keys are forgotten. Times are processor time of one thread, page faults included;
 * keys are made outside the measured time. The slowest call is by the clock, without calls that the scheduler
 * interrupted. */
#include <crawl/bloom.h>

#include "bench/programs/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define CHUNK 8192

typedef struct run {
    crawl_bloom *bloom;
    uint64_t keys, made, dice, operations, lost, probes;
    size_t batch;
    bool fill, forget;
    double seconds, worst, peak_bits;
    double at_seconds;
    long interruptions;
    uint64_t at_operations;
    char key[CHUNK * KEY];
    uint8_t is_new[CHUNK], fresh[CHUNK];
    uint8_t *in; /* [number]: add called it new */
    uint64_t number[CHUNK];
} run;

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_table: %s\n", what);
    exit(1);
}

/* Fills the next operations up to `goal` keys: new ones, and as many duplicates. */
static size_t fill_chunk(run *r, uint64_t goal)
{
    size_t n = 0;
    for (; n < CHUNK && r->made < goal; n++) {
        uint64_t dice = mix(r->dice++);
        bool is_new = r->fill || r->made == 0 || (dice & 1);
        r->number[n] = is_new ? r->made++ : (dice >> 1) % r->made;
        make_key(r->number[n], r->key + n * KEY);
        r->is_new[n] = is_new;
    }
    return n;
}

static long interruptions(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_nivcsw;
}

static void add_chunk(run *r, size_t n)
{
    r->interruptions = interruptions();
    double start = clock_of(CLOCK_THREAD_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    for (size_t i = 0; i < n; i += r->batch) {
        size_t some = n - i < r->batch ? n - i : r->batch;
        if (crawl_bloom_add_many(r->bloom, r->key + i * KEY, KEY, some, r->fresh + i, NULL))
            fail("no memory");
        double now = clock_of(CLOCK_MONOTONIC);
        if (now - wall > r->worst && interruptions() == r->interruptions)
            r->worst = now - wall;
        if (now - wall > 1e-3)
            r->interruptions = interruptions();
        wall = now;
    }
    r->seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
    r->operations += n;
    for (size_t i = 0; i < n; i++) {
        r->lost += r->is_new[i] && !r->fresh[i];
        r->in[r->number[i]] |= r->fresh[i];
    }
}

static double measure_rate(run *r, double *ns)
{
    uint64_t hits = 0, done = 0;
    double seconds = 0;
    for (; done < r->probes; done += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++)
            make_key(((uint64_t)1 << 60) + done + i, r->key + i * KEY);
        double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
        crawl_bloom_test_many(r->bloom, r->key, KEY, CHUNK, r->fresh);
        seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
        for (size_t i = 0; i < CHUNK; i++)
            hits += r->fresh[i];
    }
    *ns = seconds * 1e9 / (double)done;
    return (double)hits / (double)done;
}

static void print_row(run *r)
{
    crawl_bloom_stats s;
    double miss = 0, rate = measure_rate(r, &miss);
    crawl_bloom_stats_get(r->bloom, &s);
    printf("%11llu %8.1f %8.1f %7.1f %8.2f %8.1f %8.1f %6.3f %10.2e %10.2e %10.2e %8llu %9.1f\n",
           (unsigned long long)r->made, (r->seconds - r->at_seconds) * 1e9 / (double)(r->operations - r->at_operations),
           r->seconds * 1e9 / (double)r->operations, miss, r->worst * 1e3, 8 * (double)s.bytes / (double)s.count,
           r->peak_bits, s.fill, rate, s.fpr_now, s.fpr_by_count, (unsigned long long)r->lost, s.expected_false);
    fflush(stdout);
    r->peak_bits = 0;
    r->at_seconds = r->seconds;
    r->at_operations = r->operations;
}

/* Rows begin at this size; smaller ones are nearly empty. */
static uint64_t least_keys(const run *r)
{
    return crawl_bloom_options_of(r->bloom)->capacity / 2;
}

static void note_peak(run *r)
{
    crawl_bloom_stats s;
    crawl_bloom_stats_get(r->bloom, &s);
    double bits = 8 * (double)s.bytes / (double)s.count;
    if (s.count > least_keys(r) && bits > r->peak_bits)
        r->peak_bits = bits;
}

static void grow(run *r, uint64_t from)
{
    uint64_t chunks = 0, row = from;
    for (size_t n; (n = fill_chunk(r, row < r->keys ? row : r->keys)) > 0 || row < r->keys;) {
        add_chunk(r, n);
        if (++chunks % (1 + r->made / (20 * CHUNK)) == 0)
            note_peak(r);
        if (r->made == row && row < r->keys) {
            print_row(r);
            row *= 2;
        }
    }
    print_row(r);
}

/* Takes the next odd or even keys that are in; returns their number. */
static size_t fill_half(run *r, uint64_t *number)
{
    size_t n = 0;
    for (; n < CHUNK && *number < r->made; *number += 2) {
        if (r->in[*number])
            make_key(*number, r->key + n++ * KEY);
    }
    return n;
}

/* Forgets every second key that was new, and looks for the others. */
static void forget_half(run *r)
{
    double seconds = 0;
    uint64_t refused = 0, missing = 0, kept = 0, forgotten = 0, number = 0;
    for (size_t n; (n = fill_half(r, &number)) > 0; forgotten += n) {
        double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
        for (size_t i = 0; i < n; i++)
            refused += crawl_bloom_forget(r->bloom, r->key + i * KEY, KEY, 0) != CRAWL_OK;
        seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    number = 1;
    for (size_t n; (n = fill_half(r, &number)) > 0; kept += n) {
        crawl_bloom_test_many(r->bloom, r->key, KEY, n, r->fresh);
        for (size_t i = 0; i < n; i++)
            missing += !r->fresh[i];
    }
    printf("forgot every second key: %.1f ns each, %llu refused; of the others %llu of %llu are missing\n",
           seconds * 1e9 / (double)forgotten, (unsigned long long)refused, (unsigned long long)missing,
           (unsigned long long)kept);
}

static void set_option(run *r, crawl_bloom_options *options, const char *name, const char *value)
{
    double number = strtod(value, NULL);
    if (strcmp(name, "--kind") == 0 && !crawl_bloom_kind_named(value, &options->kind))
        return;
    if (strcmp(name, "--keys") == 0 && number >= 1)
        r->keys = (uint64_t)number;
    else if (strcmp(name, "--capacity") == 0 && number >= 1)
        options->capacity = (uint64_t)number;
    else if (strcmp(name, "--fpr") == 0)
        options->fpr = number;
    else if (strcmp(name, "--batch") == 0 && number >= 1 && number <= CHUNK)
        r->batch = (size_t)number;
    else if (strcmp(name, "--probes") == 0 && number >= 1)
        r->probes = (uint64_t)number;
    else if (strcmp(name, "--forget") == 0)
        r->forget = number != 0;
    else if (strcmp(name, "--fill") == 0)
        r->fill = number != 0;
    else
        fail(
            "usage: bench_table [--kind K] [--keys N] [--capacity N] [--fpr P] [--batch N] [--probes N] [--forget 0|1] "
            "[--fill 0|1]");
}

int main(int argc, char **argv)
{
    static run r = {.keys = 10000000, .probes = 1000000, .batch = 128};
    crawl_bloom_options options;
    crawl_error error = {0};
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_TABLE;
    options.capacity = 100000;
    options.fpr = 1e-3;
    for (int i = 1; i < argc; i += 2)
        set_option(&r, &options, argv[i], i + 1 < argc ? argv[i + 1] : "");
    r.in = calloc(r.keys > options.capacity ? r.keys : options.capacity, 1);
    if (!r.in)
        fail("no memory");
    if (crawl_bloom_create(&options, &r.bloom, &error))
        fail(error.message);
    printf("%s from %llu keys, fpr %g, batches of %zu, %s; rate over %llu keys not in\n\n",
           crawl_bloom_kind_name(options.kind), (unsigned long long)options.capacity, options.fpr, r.batch,
           r.fill ? "new keys only" : "half duplicates", (unsigned long long)r.probes);
    printf("%11s %8s %8s %7s %8s %8s %8s %6s %10s %10s %10s %8s %9s\n", "keys", "ns here", "ns all", "ns miss",
           "worst ms", "bits/key", "peak", "fill", "rate", "fpr_now", "by count", "lost", "expected");
    grow(&r, options.capacity);
    if (r.forget)
        forget_half(&r);
    crawl_bloom_free(r.bloom);
    free(r.in);
    return 0;
}
