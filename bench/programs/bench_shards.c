/* Measures adds per second of filters with shards, by number of threads and shards, in batches, against the filter
 * without shards in one thread.
 *
 *   bench_shards [--keys N] [--capacity N] [--fpr P] [--batch N] [--runs N] [--kind K] [--shards N]... [--threads N]...
 *
 * Each thread adds its part of the keys, 20 random bytes each, half of them duplicates of its own keys. Times are by
 * the clock, from the first thread's start to the last one's end; keys are made before. Runs are interleaved, and the
 * best of each is printed. */
#include <crawl/bloom.h>

#include "bench/programs/keys.h"
#include "bench/programs/measure.h"

#include <pthread.h>

#define LIST_MAX 16

typedef struct list {
    uint32_t value[LIST_MAX];
    size_t count;
} list;

typedef struct settings {
    crawl_bloom_options options;
    uint64_t keys; /* operations of all threads together */
    size_t batch;
    size_t runs;
    list shards, threads;
} settings;

typedef struct job {
    crawl_bloom *bloom;
    const char *keys;
    size_t count, batch;
    pthread_barrier_t *start;
    uint64_t fresh;
} job;

/* Makes the parts of the threads one after the other. In each part a key is new or an earlier one, with equal
 * chance. */
static char *make_keys(uint64_t count, uint32_t threads)
{
    char *keys = malloc(count * KEY);
    if (!keys)
        fail("no memory for the keys");
    uint64_t part = count / threads;
    for (uint32_t t = 0; t < threads; t++) {
        uint64_t base = (uint64_t)t << 40, made = 0;
        for (uint64_t i = 0; i < part; i++) {
            uint64_t dice = mix(base + i);
            uint64_t number = made == 0 || (dice & 1) ? made++ : (dice >> 1) % made;
            make_key(base + number, keys + (t * part + i) * KEY);
        }
    }
    return keys;
}

static void *run_thread(void *data)
{
    job *j = data;
    uint8_t *fresh = malloc(j->batch);
    if (!fresh)
        fail("no memory");
    pthread_barrier_wait(j->start);
    for (size_t done = 0; done < j->count; done += j->batch) {
        size_t some = j->count - done < j->batch ? j->count - done : j->batch;
        if (crawl_bloom_add_many(j->bloom, j->keys + done * KEY, KEY, some, fresh, NULL))
            fail("no memory for the filter");
        for (size_t i = 0; i < some; i++)
            j->fresh += fresh[i];
    }
    free(fresh);
    return NULL;
}

/* Returns seconds. */
static double run_threads(crawl_bloom *bloom, const char *keys, const settings *s, uint32_t threads)
{
    pthread_t thread[256];
    job jobs[256];
    pthread_barrier_t start;
    size_t part = (size_t)(s->keys / threads);
    pthread_barrier_init(&start, NULL, threads + 1);
    for (uint32_t t = 0; t < threads; t++) {
        jobs[t] =
            (job){.bloom = bloom, .keys = keys + t * part * KEY, .count = part, .batch = s->batch, .start = &start};
        if (pthread_create(&thread[t], NULL, run_thread, &jobs[t]))
            fail("no thread");
    }
    pthread_barrier_wait(&start);
    double begin = clock_of(CLOCK_MONOTONIC);
    for (uint32_t t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
    double took = clock_of(CLOCK_MONOTONIC) - begin;
    pthread_barrier_destroy(&start);
    return took;
}

/* Returns millions of adds per second. */
static double run_once(const settings *s, const char *keys, uint32_t shards, uint32_t threads)
{
    crawl_bloom_options options = s->options;
    crawl_error error;
    crawl_bloom *bloom;
    options.shards = shards;
    if (crawl_bloom_create(&options, &bloom, &error))
        fail(error.message);
    double took = run_threads(bloom, keys, s, threads);
    crawl_bloom_free(bloom);
    return (double)(s->keys / threads * threads) / took / 1e6;
}

/* best[0]: without shards, in one thread; then rows of shards. */
static void run_all(const settings *s, double best[LIST_MAX + 1][LIST_MAX])
{
    for (size_t t = 0; t < s->threads.count; t++) {
        char *keys = make_keys(s->keys, s->threads.value[t]);
        for (size_t run = 0; run < s->runs; run++) {
            for (size_t row = 0; row <= s->shards.count; row++) {
                if (row == 0 && s->threads.value[t] != 1)
                    continue;
                double rate = run_once(s, keys, row ? s->shards.value[row - 1] : 0, s->threads.value[t]);
                best[row][t] = rate > best[row][t] ? rate : best[row][t];
            }
        }
        free(keys);
    }
}

static void print_table(const settings *s, double best[LIST_MAX + 1][LIST_MAX])
{
    printf(
        "%s, %llu adds of 20-byte keys, half of them new, batches of %zu, first capacity %llu, fpr %g; %ld processors; best "
        "of %zu runs\n",
        crawl_bloom_kind_name(s->options.kind), (unsigned long long)s->keys, s->batch,
        (unsigned long long)s->options.capacity, s->options.fpr, sysconf(_SC_NPROCESSORS_ONLN), s->runs);
    printf("million adds per second\n%-10s", "shards");
    for (size_t t = 0; t < s->threads.count; t++)
        printf("%6u thread%s", (unsigned)s->threads.value[t], s->threads.value[t] > 1 ? "s" : " ");
    putchar('\n');
    for (size_t row = 0; row <= s->shards.count; row++) {
        if (row)
            printf("%-10u", (unsigned)s->shards.value[row - 1]);
        else
            printf("%-10s", "none");
        for (size_t t = 0; t < s->threads.count; t++) {
            if (best[row][t] > 0)
                printf("%14.1f", best[row][t]);
            else
                printf("%14s", "-");
        }
        putchar('\n');
    }
}

static void append(list *l, const char *text)
{
    unsigned long value = strtoul(text, NULL, 10);
    if (value == 0 || value > 256 || l->count == LIST_MAX)
        fail("--shards and --threads take 1 to 256, 16 times at most");
    l->value[l->count++] = (uint32_t)value;
}

static void set_option(settings *s, const char *name, const char *value)
{
    if (strcmp(name, "--keys") == 0)
        s->keys = strtoull(value, NULL, 10);
    else if (strcmp(name, "--capacity") == 0)
        s->options.capacity = strtoull(value, NULL, 10);
    else if (strcmp(name, "--fpr") == 0)
        s->options.fpr = strtod(value, NULL);
    else if (strcmp(name, "--batch") == 0)
        s->batch = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "--runs") == 0)
        s->runs = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "--shards") == 0)
        append(&s->shards, value);
    else if (strcmp(name, "--threads") == 0)
        append(&s->threads, value);
    else if (strcmp(name, "--kind") != 0 || crawl_bloom_kind_named(value, &s->options.kind))
        fail("unknown option, or no such kind; see the head of bench_shards.c");
}

int main(int argc, char **argv)
{
    settings s = {.keys = 8000000, .batch = 1024, .runs = 3};
    crawl_bloom_options_init(&s.options);
    s.options.fpr = 1e-3;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            fail("options take a value");
        set_option(&s, argv[i], argv[i + 1]);
    }
    if (s.threads.count == 0)
        s.threads = (list){{1, 2, 4, 8}, 4};
    if (s.shards.count == 0)
        s.shards = (list){{1, 2, 4, 8, 16, 32, 64}, 7};
    if (s.keys < 256 || s.batch == 0 || s.runs == 0)
        fail("--keys takes 256 or more, --batch and --runs 1 or more");
    static double best[LIST_MAX + 1][LIST_MAX];
    run_all(&s, best);
    print_table(&s, best);
    return 0;
}
