/* Reads records of any bytes (lines, usually) from one descriptor, and writes those that a filter has not seen before
 * to another. */
#pragma once

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

/* A longer record is refused: what is held of it counts as memory. */
#define CW_SEEN_SIEVE_RECORD_MAX ((size_t)64 << 20)

typedef struct cw_seen_sieve_options {
    crawl_bloom *filter; /* borrowed */
    int out;  /* what passes is written here, by batches, and at the latest when no input is waiting; -1: it is counted
                 only */
    int stop; /* reading ends when this is readable; -1: never */
    char end; /* what a record ends with, in and out: '\n' or NUL */
    bool invert;                        /* what was seen before passes, in place of what is new */
    bool urls;                          /* the key of a record is the canonical form of the URL that it is */
    bool fingerprints;                  /* urls: it is the fingerprint of a GET request for it instead, 20 bytes */
    crawl_fingerprint_kind fingerprint; /* Scrapy's are over the URL as it stands on the line, by w3lib's canonical form
                                         */
    bool semicolons;                    /* of Scrapy's: the query is parted at ";" as at "&", as w3lib 2.1 has it */
    /* A record that is too long or, with urls, no http or https URL; counted from 1 in its input. */
    void (*refuse)(void *user, uint64_t record, const char *why);
    void *user;
} cw_seen_sieve_options;

typedef struct cw_seen_sieve_counts {
    uint64_t records;  /* fresh + seen + refused */
    uint64_t fresh;    /* new; they are in the filter now */
    uint64_t seen;     /* before, or false positives */
    uint64_t refused;  /* too long, or no URL */
    uint64_t stranded; /* of fresh: not written, and the filter is of a kind that cannot forget them */
} cw_seen_sieve_counts;

typedef enum cw_seen_sieve_end {
    CW_SIEVE_DONE,         /* the end of the input */
    CW_SIEVE_STOPPED,      /* by options.stop */
    CW_SIEVE_CLOSED,       /* nobody reads the output any more */
    CW_SIEVE_INPUT_FAILED, /* cannot be read further; error says why. Another input may follow */
    CW_SIEVE_FAILED        /* output, filter or memory; error says why */
} cw_seen_sieve_end;

typedef struct cw_seen_sieve cw_seen_sieve;

/* NULL: no memory. */
cw_seen_sieve *cw_seen_sieve_create(const cw_seen_sieve_options *options);
void cw_seen_sieve_free(cw_seen_sieve *sieve);

/* Reads `in` to its end; with urls, a byte order mark at its begin belongs to no record. A last record without an end
 * counts as one and is written with one. Whatever the outcome, all that was recorded as seen is written, but for what
 * counts.stranded tells; and all that was written is recorded. */
cw_seen_sieve_end cw_seen_sieve_run(cw_seen_sieve *sieve, int in, crawl_error *error);

/* The counts of all inputs so far. */
const cw_seen_sieve_counts *cw_seen_sieve_counted(const cw_seen_sieve *sieve);
