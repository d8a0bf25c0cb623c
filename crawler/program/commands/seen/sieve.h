/* Reads records of any bytes, usually lines, from one descriptor, and writes those that a filter has not seen before to
 * another. */
#pragma once

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

/* Longer records are refused, because a record is held in memory. */
#define CW_SEEN_SIEVE_RECORD_MAX ((size_t)64 << 20)

typedef struct cw_seen_sieve_options {
    crawl_bloom *filter; /* borrowed */
    int out;  /* receives the records that pass, by batches, at the latest when no input is waiting; -1: they are only
               * counted */
    int stop; /* reading ends once this is readable; -1: never */
    char end; /* terminator of records, in and out: '\n' or NUL */
    bool invert;                        /* records seen before pass, instead of new ones */
    bool urls;                          /* a record is a URL; its canonical form is the key */
    bool fingerprints;                  /* with urls: the key is the fingerprint of a GET request for it, 20 bytes */
    crawl_fingerprint_kind fingerprint; /* Scrapy's kinds use the URL as it stands, in w3lib's canonical form */
    bool semicolons;                    /* with Scrapy's kinds: splits the query at ";" as at "&", as w3lib 2.1 does */
    /* Called for a record that is too long or, with urls, not an http or https URL; record counts from 1 in its
     * input. */
    void (*refuse)(void *user, uint64_t record, const char *why);
    void *user;
} cw_seen_sieve_options;

typedef struct cw_seen_sieve_counts {
    uint64_t records;  /* fresh + seen + refused */
    uint64_t fresh;    /* new; the filter has them now */
    uint64_t seen;     /* seen before, or false positives */
    uint64_t refused;  /* too long, or not a URL */
    uint64_t stranded; /* of fresh: not written, and the filter's kind cannot forget them */
} cw_seen_sieve_counts;

typedef enum cw_seen_sieve_end {
    CW_SIEVE_DONE,         /* end of the input */
    CW_SIEVE_STOPPED,      /* by options.stop */
    CW_SIEVE_CLOSED,       /* nobody reads the output any more */
    CW_SIEVE_INPUT_FAILED, /* cannot be read further; error says why. Another input may follow */
    CW_SIEVE_FAILED        /* output, filter or memory failed; error says why */
} cw_seen_sieve_end;

typedef struct cw_seen_sieve cw_seen_sieve;

/* NULL: out of memory. */
cw_seen_sieve *cw_seen_sieve_create(const cw_seen_sieve_options *options);
void cw_seen_sieve_free(cw_seen_sieve *sieve);

/* Reads `in` to its end. With urls, skips a byte order mark at its beginning. A last record without a terminator
 * counts, and gets one. Whatever the outcome, everything recorded as seen is written, except counts.stranded, and
 * everything written is recorded. */
cw_seen_sieve_end cw_seen_sieve_run(cw_seen_sieve *sieve, int in, crawl_error *error);

/* Returns the counts of all inputs so far. */
const cw_seen_sieve_counts *cw_seen_sieve_counted(const cw_seen_sieve *sieve);
