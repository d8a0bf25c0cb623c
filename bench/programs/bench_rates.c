/* Checks the filters of <crawl/bloom.h> against their promises: for every kind, rate and size, the share of keys never
 * added that are reported as seen, the keys lost while adding compared with the expected number, and, if the kind can
 * forget, whether forgetting half of the keys loses any other. Nothing is timed.
 *
 *   bench_rates [--probes N] [--capacity N] [--growth G] [--kind K]...
 *
 * A row is a filter of 20-byte keys, grown from the first capacity to 1e5, 1e6 or 1e7 keys. `by chance` is three
 * standard deviations of the measured rate over the promised rate: chance alone may add that much, since a rate of 1e-6
 * shows ten times in ten million. A row fails if the rate exceeds 1.1 of the promise by more than that, if an added key
 * is missing, or if the losses differ from the expected number by more than a fifth and more than chance. The exit
 * status is 1 if any row fails. */
#include <crawl/bloom.h>

#include "bench/programs/keys.h"
#include "bench/programs/measure.h"

#include <math.h>

#define CHUNK 8192
#define SIGMAS 3
#define STRANGERS ((uint64_t)1 << 60)

static const double rates[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
static const uint64_t sizes[] = {100000, 1000000, 10000000};

typedef struct settings {
    crawl_bloom_options options;
    uint64_t probes;
    bool chosen[CRAWL_BLOOM_KINDS];
} settings;

typedef struct row {
    crawl_bloom *bloom;
    uint64_t keys, lost, missing, harmed;
    double rate;
    bool forgets;
    crawl_bloom_stats stats;
    char text[CHUNK * KEY];
    uint8_t yes[CHUNK];
    uint32_t chunk_where[CHUNK];
    uint32_t *where; /* of each key */
    uint8_t *in;     /* was new, and was not forgotten since */
} row;

static size_t make_chunk(row *r, uint64_t first, uint64_t end)
{
    size_t count = end - first < CHUNK ? (size_t)(end - first) : CHUNK;
    for (size_t i = 0; i < count; i++)
        make_key(first + i, r->text + i * KEY);
    return count;
}

static void add_all(row *r)
{
    for (uint64_t n = 0; n < r->keys;) {
        size_t count = make_chunk(r, n, r->keys);
        if (crawl_bloom_add_many(r->bloom, r->text, KEY, count, r->yes, r->chunk_where))
            fail("no memory for a filter");
        for (size_t i = 0; i < count; i++) {
            r->lost += !r->yes[i];
            r->in[n + i] = r->yes[i];
            r->where[n + i] = r->chunk_where[i];
        }
        n += count;
    }
}

/* Counts the keys from first on that are found. */
static uint64_t count_found(row *r, uint64_t first, uint64_t end)
{
    uint64_t found = 0;
    while (first < end) {
        size_t count = make_chunk(r, first, end);
        crawl_bloom_test_many(r->bloom, r->text, KEY, count, r->yes);
        for (size_t i = 0; i < count; i++)
            found += r->yes[i];
        first += count;
    }
    return found;
}

/* Forgets each key with equal chance, one after the other, in a scattered order. */
static void forget_half(row *r)
{
    r->forgets = true;
    for (uint64_t n = 0; n < r->keys && r->forgets; n++) {
        uint64_t key = (n * 2654435761u) % r->keys; /* prime to all sizes: each key comes once */
        char text[KEY];
        if (!r->in[key] || (mix(~key) & 1))
            continue;
        make_key(key, text);
        r->forgets = crawl_bloom_forget(r->bloom, text, KEY, r->where[key]) != CRAWL_REFUSED;
        r->in[key] = !r->forgets;
    }
    for (uint64_t n = 0; n < r->keys && r->forgets;) {
        size_t count = make_chunk(r, n, r->keys);
        crawl_bloom_test_many(r->bloom, r->text, KEY, count, r->yes);
        for (size_t i = 0; i < count; i++)
            r->harmed += r->in[n + i] && !r->yes[i];
        n += count;
    }
}

/* Returns three standard deviations as a share of the promised rate; 0: no promise. */
static double beyond_chance(double rate, double promised, uint64_t probes)
{
    return promised > 0 ? SIGMAS * sqrt(rate / (double)probes) / promised : 0;
}

static bool holds(const settings *s, const row *r)
{
    double promised = r->stats.fpr;
    double off = fabs((double)r->lost - r->stats.expected_false);
    bool rate_holds = r->rate <= promised * (1.1 + beyond_chance(promised, promised, s->probes));
    bool losses_hold = off <= 0.2 * (double)r->lost || off <= SIGMAS * sqrt(fmax(1, r->stats.expected_false));
    return rate_holds && losses_hold && r->missing == 0 && r->harmed == 0;
}

static void print_row(const settings *s, const row *r, bool good)
{
    double promised = r->stats.fpr;
    printf("%-9s %9.0e %9llu %7u %10.3e %8.3f %9.3f %10.3e %9llu %10.1f %8llu %7s  %s\n",
           crawl_bloom_kind_name(crawl_bloom_kind_of(r->bloom)), promised, (unsigned long long)r->keys,
           r->stats.filters, r->rate, promised > 0 ? r->rate / promised : 0,
           beyond_chance(promised, promised, s->probes), r->stats.fpr_now, (unsigned long long)r->lost,
           r->stats.expected_false, (unsigned long long)r->missing,
           !r->forgets ? "-"
           : r->harmed ? "HARMED"
                       : "none",
           good ? "ok" : "FAILS");
    fflush(stdout);
}

static bool run_row(const settings *s, crawl_bloom_kind kind, double rate, uint64_t keys)
{
    row *r = calloc(1, sizeof *r);
    crawl_bloom_options options = s->options;
    crawl_error error;
    options.kind = kind;
    options.fpr = rate;
    if (kind == CRAWL_BLOOM_CLASSIC || kind == CRAWL_BLOOM_ROTATING)
        options.capacity = keys;
    if (!r)
        fail("no memory");
    r->keys = keys;
    r->where = malloc(keys * sizeof *r->where);
    r->in = malloc(keys);
    if (!r->where || !r->in)
        fail("no memory");
    if (crawl_bloom_create(&options, &r->bloom, &error))
        fail(error.message);
    add_all(r);
    crawl_bloom_stats_get(r->bloom, &r->stats);
    r->rate = (double)count_found(r, STRANGERS, STRANGERS + s->probes) / (double)s->probes;
    /* A rotating filter keeps only the newest generations. */
    uint64_t first = kind == CRAWL_BLOOM_ROTATING ? keys - keys / options.generations * (options.generations - 1) : 0;
    r->missing = keys - first - count_found(r, first, keys);
    forget_half(r);
    bool good = holds(s, r);
    print_row(s, r, good);
    crawl_bloom_free(r->bloom);
    free(r->where);
    free(r->in);
    free(r);
    return good;
}

static bool run_kind(const settings *s, crawl_bloom_kind kind)
{
    bool exact = kind == CRAWL_BLOOM_EXACT || kind == CRAWL_BLOOM_DIGEST;
    bool good = true;
    for (size_t i = 0; i < (exact ? 1 : sizeof rates / sizeof *rates); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            good &= run_row(s, kind, rates[i], sizes[k]);
    return good;
}

static void set_option(settings *s, const char *name, const char *value)
{
    double number = strtod(value, NULL);
    crawl_bloom_kind kind;
    if (strcmp(name, "--probes") == 0 && number >= 1)
        s->probes = (uint64_t)number;
    else if (strcmp(name, "--capacity") == 0 && number >= 1000)
        s->options.capacity = (uint64_t)number;
    else if (strcmp(name, "--growth") == 0)
        s->options.growth = number;
    else if (strcmp(name, "--kind") == 0 && crawl_bloom_kind_named(value, &kind) == CRAWL_OK)
        s->chosen[kind] = true;
    else
        fail("usage: bench_rates [--probes N] [--capacity N] [--growth G] [--kind K]...");
}

int main(int argc, char **argv)
{
    settings s = {.probes = 10000000};
    bool some = false, good = true;
    crawl_bloom_options_init(&s.options);
    s.options.capacity = 1000;
    for (int i = 1; i < argc; i += 2)
        set_option(&s, argv[i], i + 1 < argc ? argv[i + 1] : "");
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++)
        some |= s.chosen[kind];
    printf(
        "first capacity %llu (bloom, rotating: that of the row), growth %g, tightening %g; %llu keys never added\n\n%-9s %9s "
        "%9s %7s %10s "
        "%8s %9s %10s %9s %10s %8s %7s\n",
        (unsigned long long)s.options.capacity, s.options.growth, s.options.tightening, (unsigned long long)s.probes,
        "kind", "promised", "keys", "filters", "measured", "ratio", "by chance", "fpr_now", "lost", "expected",
        "missing", "harmed");
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++)
        if (!some || s.chosen[kind])
            good &= run_kind(&s, (crawl_bloom_kind)kind);
    return !good;
}
