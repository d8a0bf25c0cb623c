/* Reads the command line of `crawl seen`, and compares it with the filter that a file holds. */
#pragma once

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

typedef struct cw_seen_options {
    crawl_bloom_options filter;
    unsigned given; /* which fields of filter the command line names: bits of a table in seen_options.c */
    const char *file;
    bool invert;
    bool count;
    bool zero;
    bool urls;
    bool fingerprints; /* --fingerprint */
    crawl_fingerprint_kind fingerprint;
    bool semicolons;           /* Scrapy's: queries are parted at them too */
    const char *import_scrapy; /* NULL: none */
    bool quiet;
    bool help;
    char **inputs; /* words of argv */
    int input_count;
} cw_seen_options;

/* CRAWL_EINVAL: error says what is wrong. CRAWL_ENOMEM. */
crawl_err cw_seen_options_read(cw_seen_options *options, int argc, char **argv, crawl_error *error);

/* Checks that the file's filter was made with the options that the command line names. CRAWL_EINVAL: error says which
 * one differs. The capacity counts only for kinds that do not grow beyond it. */
crawl_err cw_seen_options_agree(const cw_seen_options *options, const crawl_bloom_options *file, crawl_error *error);

/* The key that lines are compared by, as the label of a filter has it: "lines", "urls", "fingerprint scrapy-2.7" ...
 * */
const char *cw_seen_options_key(const cw_seen_options *options);

/* The same for the key of a file's filter, by its label. If the command line names no key, the label decides.
 * CRAWL_EINVAL: the command line names another key, or the label is none of these; error has both. */
crawl_err cw_seen_options_take_key(cw_seen_options *options, const char *label, crawl_error *error);
