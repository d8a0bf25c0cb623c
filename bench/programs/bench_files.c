/* Times the files of <crawl/bloom.h>: save, load, validate, and map up to its first answer.
 *
 *   bench_files [--kind K] [--capacity N] [--keys N] [--fpr P] [--shards N] [--runs N] [--folder PATH]
 *
 * The filter is made once and holds N 20-byte random keys. The file is in the kernel's page cache, since it has just
 * been written: the times are those of this program, and a disk adds its own. save includes the sync. */
#include <crawl/bloom.h>

#include "bench/programs/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 4096

typedef struct settings {
    crawl_bloom_options options;
    uint64_t keys;
    size_t runs;
    const char *folder;
} settings;

typedef struct times {
    double save, load, validate, map;
} times;

static void fail(const char *what)
{
    fprintf(stderr, "bench_files: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static crawl_bloom *make_filter(const settings *s)
{
    static char keys[CHUNK * KEY];
    static uint8_t fresh[CHUNK];
    crawl_bloom *bloom;
    crawl_error error;
    if (crawl_bloom_create(&s->options, &bloom, &error))
        fail(error.message);
    for (uint64_t n = 0; n < s->keys; n += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++)
            make_key(n + i, keys + i * KEY);
        if (crawl_bloom_add_many(bloom, keys, KEY, CHUNK, fresh, NULL))
            fail("no memory");
    }
    return bloom;
}

static double time_open(crawl_err (*how)(const char *, crawl_bloom **, crawl_error *), const char *path)
{
    crawl_bloom *bloom;
    crawl_error error;
    char key[KEY];
    make_key(1, key);
    double start = now();
    if (how(path, &bloom, &error))
        fail(error.message);
    crawl_err err = crawl_bloom_test(bloom, key, KEY);
    double took = now() - start;
    if (err != CRAWL_EXISTS)
        fail("a key is lost");
    crawl_bloom_free(bloom);
    return took;
}

static void keep_least(double *best, double value)
{
    if (*best == 0 || value < *best)
        *best = value;
}

static void run_once(const crawl_bloom *bloom, const char *path, times *best)
{
    crawl_error error;
    double start = now();
    if (crawl_bloom_save(bloom, path, &error))
        fail(error.message);
    keep_least(&best->save, now() - start);
    keep_least(&best->map, time_open(crawl_bloom_map, path));
    keep_least(&best->load, time_open(crawl_bloom_load, path));
    start = now();
    if (crawl_bloom_validate(path, &error))
        fail(error.message);
    keep_least(&best->validate, now() - start);
}

static void set_option(settings *s, const char *name, const char *value)
{
    if (strcmp(name, "--keys") == 0)
        s->keys = strtoull(value, NULL, 10);
    else if (strcmp(name, "--capacity") == 0)
        s->options.capacity = strtoull(value, NULL, 10);
    else if (strcmp(name, "--fpr") == 0)
        s->options.fpr = strtod(value, NULL);
    else if (strcmp(name, "--shards") == 0)
        s->options.shards = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--runs") == 0)
        s->runs = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "--folder") == 0)
        s->folder = value;
    else if (strcmp(name, "--kind") != 0 || crawl_bloom_kind_named(value, &s->options.kind))
        fail("unknown option, or no such kind; see the head of bench_files.c");
}

static void print(const settings *s, const char *path, const times *best)
{
    struct stat status;
    if (stat(path, &status))
        fail("the file is gone");
    double size = (double)status.st_size / (1 << 20);
    printf("%s, %llu keys, %u shards, a file of %.0f MiB in %s; least of %zu runs\n",
           crawl_bloom_kind_name(s->options.kind), (unsigned long long)s->keys, (unsigned)s->options.shards, size,
           s->folder, s->runs);
    printf("save      %8.1f ms  %8.0f MiB/s\n", best->save * 1e3, size / best->save);
    printf("load      %8.1f ms  %8.0f MiB/s\n", best->load * 1e3, size / best->load);
    printf("validate  %8.1f ms  %8.0f MiB/s\n", best->validate * 1e3, size / best->validate);
    printf("map       %8.3f ms  to the first answer\n", best->map * 1e3);
}

int main(int argc, char **argv)
{
    settings s = {.keys = 10000000, .runs = 3, .folder = "/tmp"};
    crawl_bloom_options_init(&s.options);
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            fail("options take a value");
        set_option(&s, argv[i], argv[i + 1]);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/bench_files.%ld.cbf", s.folder, (long)getpid());
    crawl_bloom *bloom = make_filter(&s);
    times best = {0};
    for (size_t run = 0; run < s.runs; run++)
        run_once(bloom, path, &best);
    print(&s, path, &best);
    crawl_bloom_free(bloom);
    unlink(path);
    return 0;
}
