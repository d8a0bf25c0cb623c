/* Compares ways to remember which URLs were seen: space, time and false positives, by the number of URLs.
 *
 *   bench_membership [--max N] [--only WAY] [--runs N] [--fpr P] [--bitmap BITS] [--csv FILE]
 *   bench_membership --lines N  prints N lines instead, N/2 different ones, in the mix that is timed
 *
 * Each way takes n different URLs, from 1e5 to N, mixed with as many duplicates. Only test-and-add is timed: one URL
 * per call, and 128 if the way has such a call. Ways that grow start with room for n/100 URLs; ways of a fixed size are
 * made for n. Runs are interleaved, way after way; the table has medians. Plain sets are in plain_set.h. */
#include <crawl/bloom.h>

#include "bench/programs/measure.h"
#include "bench/programs/plain_set.h"
#include "bench/programs/urls.h"

#include <math.h>

#define CHUNK 8192
#define BATCH 128
#define RUNS_MAX 15
#define PROBES 2000000

typedef struct settings {
    uint64_t max;
    size_t runs;
    double fpr;
    double bitmap; /* bits per URL */
    const char *only;
    const char *csv_path;
    FILE *csv;
} settings;

typedef struct way {
    const char *name;
    const char *title;
    double most_bytes; /* per URL while it grows, at a rate of 1e-4: checked against the machine's memory before it
                          starts */
    int kind;          /* crawl_bloom_kind, or STRINGS or DIGESTS */
    bool fixed;        /* size made for n */
} way;

enum { STRINGS = -1, DIGESTS = -2 };

static const way ways[] = {
    {"strings", "the URLs in a hash set", 160, STRINGS, false},
    {"digest20", "20-byte digests in a hash set", 85, DIGESTS, false},
    {"exact", "16-byte hashes (exact)", 70, CRAWL_BLOOM_EXACT, false},
    {"digest", "8-byte hashes (digest)", 35, CRAWL_BLOOM_DIGEST, false},
    {"counting", "counting chain", 45, CRAWL_BLOOM_COUNTING, false},
    {"scalable", "scalable chain", 10, CRAWL_BLOOM_SCALABLE, false},
    {"table", "fingerprint table", 10, CRAWL_BLOOM_TABLE, false},
    {"rotating", "rotating generations", 10, CRAWL_BLOOM_ROTATING, true},
    {"bloom", "bloom filter", 4, CRAWL_BLOOM_CLASSIC, true},
    {"bitmap", "bitmap, one hash", 5, CRAWL_BLOOM_CLASSIC, true},
};
#define WAYS (sizeof ways / sizeof *ways)

typedef struct result {
    double ns[2][RUNS_MAX]; /* one URL per call; BATCH */
    double bytes, rate, predicted;
    uint64_t lost;
    bool batched;
} result;

/* The sequence of operations: `fresh` of the `left` ones add new URLs, at uniformly random places; the others repeat
 * any earlier URL. */
typedef struct sequence {
    uint64_t made, fresh, left, dice;
} sequence;

static uint64_t next_number(sequence *s)
{
    bool fresh = s->made == 0 || below(mix(s->dice++), s->left) < s->fresh;
    s->left--;
    s->fresh -= fresh;
    return fresh ? s->made++ : below(mix(s->dice++ ^ (uint64_t)1 << 63), s->made);
}

typedef struct contestant {
    crawl_bloom *bloom; /* NULL: a plain set */
    plain_set *set;
} contestant;

static contestant create(const settings *s, const way *w, uint64_t n)
{
    contestant c = {0};
    if (w->kind < 0) {
        c.set = plain_set_create(w->kind == DIGESTS);
        return c;
    }
    crawl_bloom_options options;
    crawl_error error = {0};
    crawl_bloom_options_init(&options);
    options.kind = (crawl_bloom_kind)w->kind;
    options.capacity = w->fixed ? n : n / 100 < 1000 ? 1000 : n / 100;
    options.fpr = s->fpr;
    if (strcmp(w->name, "bitmap") == 0) {
        options.bits = (uint64_t)(s->bitmap * (double)n);
        options.hashes = 1;
    }
    if (crawl_bloom_create(&options, &c.bloom, &error))
        fprintf(stderr, "bench_membership: %s: %s\n", w->name, error.message);
    return c;
}

static void destroy(contestant *c)
{
    crawl_bloom_free(c->bloom);
    if (c->set)
        plain_set_free(c->set);
}

typedef struct chunk {
    crawl_slice keys[CHUNK];
    uint8_t fresh[CHUNK];
    bool is_new[CHUNK];
    size_t count;
    char text[CHUNK][URL_ROOM];
} chunk;

static void fill_chunk(chunk *c, sequence *s)
{
    for (c->count = 0; c->count < CHUNK && s->left; c->count++) {
        uint64_t made = s->made;
        uint64_t number = next_number(s);
        c->is_new[c->count] = s->made > made;
        c->keys[c->count] = crawl_slice_of(c->text[c->count], make_url(number, c->text[c->count]));
    }
}

static void add_chunk(contestant *to, chunk *c, bool batched)
{
    crawl_err err = CRAWL_OK;
    if (batched) {
        for (size_t i = 0; i < c->count && !err; i += BATCH)
            err = crawl_bloom_add_slices(to->bloom, c->keys + i, c->count - i < BATCH ? c->count - i : BATCH,
                                         c->fresh + i, NULL);
    } else if (to->bloom) {
        for (size_t i = 0; i < c->count && err != CRAWL_ENOMEM; i++) {
            err = crawl_bloom_add(to->bloom, c->keys[i].data, c->keys[i].size, NULL);
            c->fresh[i] = err == CRAWL_OK;
        }
    } else {
        for (size_t i = 0; i < c->count; i++)
            c->fresh[i] = plain_set_add(to->set, c->keys[i]);
    }
    if (err == CRAWL_ENOMEM)
        fail("no memory");
}

/* Returns the share of URLs never added that are reported as seen. */
static double measure_rate(const contestant *c, uint64_t n)
{
    char url[URL_ROOM];
    uint64_t hits = 0;
    for (uint64_t i = 0; i < PROBES; i++) {
        crawl_slice key = crawl_slice_of(url, make_url(n + i, url));
        hits += c->bloom ? crawl_bloom_test(c->bloom, key.data, key.size) == CRAWL_EXISTS : plain_set_has(c->set, key);
    }
    return (double)hits / PROBES;
}

static void note_figures(const contestant *c, uint64_t n, uint64_t lost, result *out)
{
    crawl_bloom_stats stats = {0};
    if (c->bloom)
        crawl_bloom_stats_get(c->bloom, &stats);
    out->bytes = (c->bloom ? (double)stats.bytes : (double)c->set->bytes) / (double)n;
    out->predicted = stats.fpr_now;
    out->rate = measure_rate(c, n);
    out->lost = lost;
}

/* False: this kind does not exist. */
static bool one_run(const settings *s, const way *w, uint64_t n, bool batched, size_t index, result *out)
{
    static chunk c;
    contestant to = create(s, w, n);
    if (!to.bloom && !to.set)
        return false;
    sequence numbers = {.fresh = n, .left = 2 * n};
    double seconds = 0;
    uint64_t lost = 0;
    for (fill_chunk(&c, &numbers); c.count; fill_chunk(&c, &numbers)) {
        double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
        add_chunk(&to, &c, batched);
        seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
        for (size_t i = 0; i < c.count; i++)
            lost += c.is_new[i] && !c.fresh[i];
    }
    out->ns[batched][index] = seconds * 1e9 / (double)(2 * n);
    if (!batched && index == 0)
        note_figures(&to, n, lost, out);
    destroy(&to);
    return true;
}

/* Returns the bytes that may be used without swapping: the whole memory less a tenth. */
static double memory_of_machine(void)
{
    return 0.9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
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

static void print_row(const settings *s, const way *w, uint64_t n, result *r)
{
    double one = median(r->ns[0], s->runs), many = r->batched ? median(r->ns[1], s->runs) : NAN;
    char batch[16] = "-";
    if (r->batched)
        snprintf(batch, sizeof batch, "%.1f", many);
    printf("%10.0e %-32s %9.2f %9.1f %9.1f %9s %10.2e %10.2e %9llu\n", (double)n, w->title, r->bytes, r->bytes * 8, one,
           batch, r->rate, r->predicted, (unsigned long long)r->lost);
    fflush(stdout);
    if (s->csv) {
        fprintf(s->csv, "%llu,%s,%.4f,%.3f,%.3f,%.3f,%.3e,%.3e,%llu\n", (unsigned long long)n, w->name, r->bytes,
                r->bytes * 8, one, many, r->rate, r->predicted, (unsigned long long)r->lost);
        fflush(s->csv);
    }
}

static bool is_wanted(const settings *s, const way *w)
{
    return !s->only || strcmp(s->only, w->name) == 0;
}

/* Decides which ways are run. */
static void choose(const settings *s, uint64_t n, bool chosen[WAYS])
{
    for (size_t i = 0; i < WAYS; i++) {
        chosen[i] = is_wanted(s, &ways[i]);
        if (chosen[i] && ways[i].most_bytes * (double)n > memory_of_machine()) {
            printf("%10.0e %-32s needs more memory than there is\n", (double)n, ways[i].title);
            chosen[i] = false;
        }
    }
}

static void bench_size(const settings *s, uint64_t n)
{
    static result results[WAYS];
    bool chosen[WAYS];
    memset(results, 0, sizeof results);
    choose(s, n, chosen);
    for (size_t run = 0; run < s->runs; run++) {
        for (size_t i = 0; i < WAYS; i++) {
            if (chosen[i])
                chosen[i] = one_run(s, &ways[i], n, false, run, &results[i]);
            results[i].batched = chosen[i] && ways[i].kind >= 0;
            if (results[i].batched)
                one_run(s, &ways[i], n, true, run, &results[i]);
        }
    }
    for (size_t i = 0; i < WAYS; i++)
        if (chosen[i])
            print_row(s, &ways[i], n, &results[i]);
}

static void print_conditions(const settings *s)
{
    char line[256] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "model name", 10) != 0)
        continue;
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    const char *colon = strchr(line, ':');
    printf("CPU %s, %ld online, %.0f GB; URLs of 60 bytes; every second one came before\n", colon ? colon + 2 : line,
           sysconf(_SC_NPROCESSORS_ONLN), memory_of_machine() / 0.9e9);
    printf(
        "rate asked for %g; bitmap of %g bits per URL; medians of %zu interleaved runs; rate over %d URLs not in\n\n",
        s->fpr, s->bitmap, s->runs, PROBES);
    printf("%10s %-32s %9s %9s %9s %9s %10s %10s %9s\n", "URLs", "remembered as", "bytes", "bits", "ns one", "ns batch",
           "rate", "expected", "lost");
}

static void run_all(settings *s)
{
    if (s->csv_path && !(s->csv = fopen(s->csv_path, "w")))
        fail("the CSV file cannot be written");
    if (s->csv)
        fprintf(s->csv, "urls,way,bytes_per_url,bits_per_url,ns_one,ns_batch,rate,rate_expected,lost\n");
    print_conditions(s);
    for (uint64_t n = s->max < 100000 ? s->max : 100000; n <= s->max; n *= 10)
        bench_size(s, n);
    if (s->csv && fclose(s->csv))
        fail("the CSV file cannot be written");
}

static bool write_all(const char *text, size_t size)
{
    for (ssize_t some; size; text += some, size -= (size_t)some)
        if ((some = write(STDOUT_FILENO, text, size)) < 0)
            return false;
    return true;
}

static void print_lines(uint64_t lines)
{
    static char text[(256 << 10) + URL_ROOM + 1];
    sequence s = {.fresh = (lines + 1) / 2, .left = lines};
    size_t size = 0;
    while (s.left) {
        size += make_url(next_number(&s), text + size);
        text[size++] = '\n';
        if (size < sizeof text - URL_ROOM - 1 && s.left)
            continue;
        if (!write_all(text, size))
            return; /* the reader has closed the pipe */
        size = 0;
    }
}

static void set_option(settings *s, const char *name, const char *value)
{
    double number = strtod(value, NULL);
    if (strcmp(name, "--max") == 0 && number >= 1000)
        s->max = (uint64_t)number;
    else if (strcmp(name, "--runs") == 0 && number >= 1 && number <= RUNS_MAX)
        s->runs = (size_t)number;
    else if (strcmp(name, "--fpr") == 0 && number > 0)
        s->fpr = number;
    else if (strcmp(name, "--bitmap") == 0 && number >= 1)
        s->bitmap = number;
    else if (strcmp(name, "--only") == 0 && *value)
        s->only = value;
    else if (strcmp(name, "--csv") == 0 && *value)
        s->csv_path = value;
    else
        fail(
            "usage: bench_membership [--max N] [--only WAY] [--runs N] [--fpr P] [--bitmap BITS] [--csv FILE] | --lines N");
}

int main(int argc, char **argv)
{
    settings s = {.max = 10000000, .runs = 3, .fpr = 1e-4, .bitmap = 32};
    if (argc == 3 && strcmp(argv[1], "--lines") == 0) {
        print_lines((uint64_t)strtod(argv[2], NULL));
        return 0;
    }
    for (int i = 1; i < argc; i += 2)
        set_option(&s, argv[i], i + 1 < argc ? argv[i + 1] : "");
    run_all(&s);
    return 0;
}
