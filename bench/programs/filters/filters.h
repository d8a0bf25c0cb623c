/* Shared by all files of bench_filters: the settings, the timed filter, and the figures of a row. */
#pragma once

#include <crawl/bloom.h>

#ifdef BENCH_LIBBLOOM
#include <bloom.h>
#endif

#define CHUNK 8192 /* operations whose keys are made at once */
#define RUNS_MAX 31
#define SIZES_MAX 8
#define PROBES (122 * CHUNK) /* tests of keys that are in, and of keys that are not */

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

/* A filter of this library, or libbloom's. */
typedef struct subject {
    crawl_bloom *bloom; /* NULL: lib is used */
#ifdef BENCH_LIBBLOOM
    struct bloom lib;
#endif
} subject;

const char *bench_name(int which);
/* Makes the filter for this number of keys. False: the filter does not come in that size, or does not exist. */
bool bench_open(const settings *s, int which, uint64_t keys, subject *out);
void bench_close(subject *x);
/* The same calls for libbloom. */
bool bench_lib_add(subject *x, const char *key);
bool bench_lib_test(subject *x, const char *key);
double bench_lib_bytes(const subject *x);

/* Stores the run of this index in out. Leaves out unchanged if the filter does not come in that size. */
void bench_run(const settings *s, int which, uint64_t keys, size_t index, result *out);
/* Fills `worst`. */
void bench_worst_calls(const settings *s, int which, uint64_t keys, result *out);

/* Prints bits per key, by rate and by length of the chain. */
void bench_sizing(void);
