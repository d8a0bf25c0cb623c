/* Uses filters with shards from many threads: all calls at the same time, on filters that grow meanwhile. Built with
 * ThreadSanitizer; a separate program, since Criterion's processes do not start under it.
 *
 * For every kind, eight threads add keys, most of them different and some the same. Others test known keys, forget keys
 * that they added, read figures, tell the time, and save. At the end the filter must equal one made by a single thread.
 *
 * Only keys that add called new are known to be in. Any other key may have been hidden by keys that were forgotten
 * since. */
#include "bench/programs/keys.h"

#include <crawl/bloom.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDERS 8
#define OWN 6000     /* keys of each adder */
#define COMMON 6000  /* keys that all threads add */
#define PASSING 3000 /* keys that are forgotten again */
#define BATCH 1500
#define DISTINCT (ADDERS * OWN + COMMON)
#define STRANGERS ((uint64_t)1 << 60)

typedef struct shared {
    crawl_bloom *bloom;
    crawl_bloom_kind kind;
    pthread_barrier_t start;
    _Atomic uint64_t done[ADDERS]; /* own keys that have been added */
    uint8_t own_in[ADDERS][OWN];   /* 1: was new; valid up to done */
    _Atomic uint8_t common_in[COMMON];
    _Atomic unsigned adding; /* threads that still add */
    _Atomic uint64_t fresh;  /* keys that add called new, without the forgotten ones */
    char path[64];
} shared;

typedef struct job {
    shared *all;
    unsigned number;
    uint64_t dice;
} job;

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "filter_threads: line %d: not so: %s\n", __LINE__, #condition); \
            fflush(stdout);                                                                 \
            _exit(1);                                                                       \
        }                                                                                   \
    } while (0)

static void make_keys(uint64_t first, size_t count, char *keys)
{
    for (size_t i = 0; i < count; i++)
        make_key(first + i, keys + i * KEY);
}

static crawl_err test(const shared *all, uint64_t number)
{
    char key[KEY];
    make_key(number, key);
    return crawl_bloom_test(all->bloom, key, KEY);
}

/* Adds the numbers from first on, in one batch or one by one. */
static uint64_t add(job *j, uint64_t first, size_t count, uint8_t *fresh)
{
    char keys[BATCH * KEY] = {0};
    uint64_t news = 0;
    make_keys(first, count, keys);
    if (mix(j->dice++) % 2) {
        CHECK(crawl_bloom_add_many(j->all->bloom, keys, KEY, count, fresh, NULL) == CRAWL_OK);
    } else {
        for (size_t i = 0; i < count; i++) {
            crawl_err err = crawl_bloom_add(j->all->bloom, keys + i * KEY, KEY, NULL);
            CHECK(err == CRAWL_OK || err == CRAWL_EXISTS);
            fresh[i] = err == CRAWL_OK;
        }
    }
    for (size_t i = 0; i < count; i++)
        news += fresh[i];
    return news;
}

static uint64_t own_key(unsigned adder, uint64_t i)
{
    return COMMON + (uint64_t)adder * OWN + i;
}

static uint64_t add_own(job *j, uint64_t from, size_t count)
{
    uint64_t news = add(j, own_key(j->number, from), count, j->all->own_in[j->number] + from);
    atomic_store(&j->all->done[j->number], from + count);
    return news;
}

static uint64_t add_common(job *j, uint64_t from, size_t count)
{
    uint8_t fresh[BATCH];
    uint64_t news = add(j, from, count, fresh);
    for (size_t i = 0; i < count; i++) {
        if (fresh[i])
            atomic_store(&j->all->common_in[from + i], 1);
    }
    return news;
}

static void *run_adder(void *data)
{
    job *j = data;
    uint64_t own = 0, common = 0, news = 0;
    pthread_barrier_wait(&j->all->start);
    while (own < OWN || common < COMMON) {
        uint64_t dice = mix(j->dice++);
        bool mine = common == COMMON || (own < OWN && dice % 2);
        uint64_t *done = mine ? &own : &common, end = mine ? OWN : COMMON;
        size_t count = 1 + (dice >> 8) % BATCH;
        count = count < end - *done ? count : (size_t)(end - *done);
        news += mine ? add_own(j, own, count) : add_common(j, common, count);
        *done += count;
    }
    atomic_fetch_add(&j->all->fresh, news);
    atomic_fetch_sub(&j->all->adding, 1);
    return NULL;
}

/* Checks that the keys an adder has reported are in. */
static void *run_tester(void *data)
{
    job *j = data;
    char keys[BATCH * KEY];
    uint8_t present[BATCH];
    pthread_barrier_wait(&j->all->start);
    while (atomic_load(&j->all->adding)) {
        unsigned adder = (unsigned)(mix(j->dice++) % ADDERS);
        uint64_t in = atomic_load(&j->all->done[adder]);
        if (in == 0)
            continue;
        const uint8_t *was_new = j->all->own_in[adder];
        uint64_t one = mix(j->dice++) % in;
        CHECK(test(j->all, own_key(adder, one)) == CRAWL_EXISTS || !was_new[one]);
        size_t count = in < BATCH ? (size_t)in : BATCH;
        make_keys(own_key(adder, in - count), count, keys);
        crawl_bloom_test_many(j->all->bloom, keys, KEY, count, present);
        for (size_t i = 0; i < count; i++)
            CHECK(present[i] || !was_new[in - count + i]);
    }
    return NULL;
}

/* Adds its own keys and forgets them at once. */
static void *run_forgetter(void *data)
{
    job *j = data;
    char keys[BATCH * KEY];
    uint8_t fresh[BATCH];
    uint32_t where[BATCH];
    uint64_t next = DISTINCT;
    pthread_barrier_wait(&j->all->start);
    for (; next < DISTINCT + PASSING; next += 500) {
        make_keys(next, 500, keys);
        CHECK(crawl_bloom_add_many(j->all->bloom, keys, KEY, 500, fresh, where) == CRAWL_OK);
        for (size_t i = 0; i < 500; i++) {
            if (fresh[i])
                CHECK(crawl_bloom_forget(j->all->bloom, keys + i * KEY, KEY, where[i]) == CRAWL_OK);
        }
    }
    return NULL;
}

static void *run_watcher(void *data)
{
    job *j = data;
    pthread_barrier_wait(&j->all->start);
    while (atomic_load(&j->all->adding)) {
        crawl_bloom_stats stats, one;
        crawl_bloom_stats_get(j->all->bloom, &stats);
        CHECK(stats.count <= DISTINCT + PASSING && stats.filters > 0);
        CHECK(crawl_bloom_stats_of(j->all->bloom, stats.filters - 1, &one) == CRAWL_OK);
        crawl_bloom_advance(j->all->bloom, j->dice++ % 1000);
        CHECK(crawl_bloom_kind_of(j->all->bloom) == j->all->kind);
    }
    return NULL;
}

/* Checks that a saved file shows one moment: it holds all that was in before. */
static void *run_saver(void *data)
{
    job *j = data;
    pthread_barrier_wait(&j->all->start);
    for (int round = 0; round < 4; round++) {
        uint64_t in[ADDERS];
        crawl_bloom *copy;
        crawl_error error = {0};
        for (unsigned a = 0; a < ADDERS; a++)
            in[a] = atomic_load(&j->all->done[a]);
        CHECK(crawl_bloom_save(j->all->bloom, j->all->path, &error) == CRAWL_OK);
        CHECK(crawl_bloom_load(j->all->path, &copy, &error) == CRAWL_OK);
        for (unsigned a = 0; a < ADDERS; a++) {
            for (uint64_t i = 0; i < in[a]; i += 10) {
                char key[KEY];
                make_key(own_key(a, i), key);
                CHECK(crawl_bloom_test(copy, key, KEY) == CRAWL_EXISTS || !j->all->own_in[a][i]);
            }
        }
        crawl_bloom_free(copy);
    }
    return NULL;
}

static void run_all(shared *all, bool forgets)
{
    void *(*const others[])(void *) = {run_tester, run_tester, run_watcher, run_saver, run_forgetter};
    unsigned count = ADDERS + (forgets ? 5 : 4);
    pthread_t threads[ADDERS + 5];
    job jobs[ADDERS + 5];
    pthread_barrier_init(&all->start, NULL, count);
    all->adding = ADDERS;
    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (job){.all = all, .number = i, .dice = (uint64_t)i << 32};
        CHECK(pthread_create(&threads[i], NULL, i < ADDERS ? run_adder : others[i - ADDERS], &jobs[i]) == 0);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all->start);
}

/* Checks that the set equals that of a single thread: it has all keys, and for the exact kinds no other; its counts are
 * right, and its losses as expected. */
static void check_end(const shared *all)
{
    bool exact = all->kind == CRAWL_BLOOM_EXACT || all->kind == CRAWL_BLOOM_DIGEST;
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(all->bloom, &stats);
    for (uint64_t n = 0; n < COMMON; n++)
        CHECK(test(all, n) == CRAWL_EXISTS || !all->common_in[n]);
    for (uint64_t n = 0; n < DISTINCT - COMMON; n++)
        CHECK(test(all, COMMON + n) == CRAWL_EXISTS || !all->own_in[n / OWN][n % OWN]);
    CHECK(stats.count == all->fresh);
    CHECK(stats.count <= DISTINCT);
    if (exact)
        CHECK(stats.count == DISTINCT);
    CHECK((double)(DISTINCT - stats.count) < 2 * stats.expected_false + 20);
    uint64_t strangers = 0;
    for (uint64_t n = 0; n < 20000; n++)
        strangers += test(all, STRANGERS + n) == CRAWL_EXISTS;
    CHECK((double)strangers <= (exact ? 0 : 20000 * 1.5e-3));
}

static crawl_bloom_options options_of(crawl_bloom_kind kind)
{
    bool grows = kind != CRAWL_BLOOM_CLASSIC && kind != CRAWL_BLOOM_ROTATING;
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.capacity = grows ? 8000 : 4 * (DISTINCT + PASSING);
    options.fpr = 1e-3;
    options.shards = 8;
    return options;
}

static void try_kind(crawl_bloom_kind kind, const char *folder)
{
    static shared all;
    memset(&all, 0, sizeof all);
    all.kind = kind;
    crawl_error error = {0};
    crawl_bloom_options options = options_of(kind);
    snprintf(all.path, sizeof all.path, "%s/filter", folder);
    if (crawl_bloom_create(&options, &all.bloom, &error)) {
        fprintf(stderr, "filter_threads: %s\n", error.message);
        exit(1);
    }
    bool forgets = crawl_bloom_forget(all.bloom, "", 0, 0) != CRAWL_REFUSED;
    run_all(&all, forgets);
    check_end(&all);
    crawl_bloom_free(all.bloom);
    unlink(all.path);
    printf("%s: ok\n", crawl_bloom_kind_name(kind));
}

int main(void)
{
    char folder[] = "/tmp/filter-threads-XXXXXX";
    CHECK(mkdtemp(folder));
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++)
        try_kind((crawl_bloom_kind)kind, folder);
    rmdir(folder);
    return 0;
}
