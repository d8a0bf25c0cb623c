/* Shared by all files of bench_frontier: the settings, and the figures of a run. */
#pragma once

#include <crawl/frontier.h>

#include <stdio.h>

#define URL_SIZE 60
#define ORIGIN_SIZE 32
#define BATCH_MAX 1000
#define RUNS_MAX 31
#define SIZES_MAX 8
#define HOSTS_MAX 1000000
#define PARENT "https://www.host0000000.example/section/the-page-with-the-link"

enum end { END_FINISHED, END_FORGET, END_AGAIN };

typedef struct settings {
    uint64_t urls[SIZES_MAX];
    size_t sizes;
    size_t runs;
    size_t batch;
    uint64_t hosts; /* 0: the three numbers of the table */
    crawl_order order;
    crawl_bloom_kind seen;
    enum end end;
    const char *durable; /* NULL: in memory */
    bool processor;      /* durable: measure processor time */
    uint64_t host_bytes; /* durable: host_bytes of crawl_frontier_options; 0: its default */
    bool times;          /* also print times of single calls */
    FILE *csv;           /* NULL: no file */
} settings;

/* The figures of a run. */
enum {
    PUSH_NEW, /* ns per link */
    PUSH_SEEN,
    POP_DONE,
    RSS,    /* bytes per queued URL, the filter included */
    BYTES,  /* the same by the frontier's own count, without the filter */
    FILTER, /* likewise, of the filter alone */
    IDLE,   /* bytes per host once nothing is queued */
    DISK,   /* bytes per queued URL of all files, when closed */
    CLOSE,  /* seconds */
    OPEN,
    RECOVER, /* seconds to open after a crash */
    POP_RSS, /* bytes in the middle of the pops */
    FIGURES
};

enum { TIMES = 5 }; /* percentiles (four) and the longest call, in us */

typedef struct result {
    double figures[FIGURES];
    double push[TIMES];
    double pop[TIMES];
} result;

/* Runs with this number of URLs and hosts, in a separate process. */
result bench_measure(const settings *s, uint64_t urls, uint64_t hosts);

/* Opens the frontier of a directory and kills this process. */
void bench_crash(const settings *s, const char *directory);
