/* Reads the command line of `crawl seen`, and compares it with the filter of a file. */
#pragma once

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

typedef struct cw_seen_options {
    crawl_bloom_options filter;
    unsigned given; /* fields of filter that the command line names: bits by a table in seen_options.c */
    const char *file;
    bool invert;
    bool count;
    bool zero;
    bool urls;
    bool fingerprints; /* --fingerprint */
    crawl_fingerprint_kind fingerprint;
    bool semicolons;           /* for Scrapy's kinds: queries are split at ";" too */
    const char *import_scrapy; /* NULL: none */
    bool quiet;
    bool help;
    char **inputs; /* words of argv */
    int input_count;
} cw_seen_options;

/* CRAWL_EINVAL: error says what is wrong. CRAWL_ENOMEM. */
crawl_err cw_seen_options_read(cw_seen_options *options, int argc, char **argv, crawl_error *error);

/* Checks that the file's filter was made with the options on the command line. CRAWL_EINVAL: error names the one that
 * differs. The capacity counts only for kinds that do not grow beyond it. */
crawl_err cw_seen_options_agree(const cw_seen_options *options, const crawl_bloom_options *file, crawl_error *error);

/* Returns the key by which lines are compared, as the label of a filter: "lines", "urls", "fingerprint scrapy-2.7"
 * ... */
const char *cw_seen_options_key(const cw_seen_options *options);

/* Takes the key of a file's filter from its label, if the command line names none. CRAWL_EINVAL: the command line names
 * another key, or the label is unknown; error has both. */
crawl_err cw_seen_options_take_key(cw_seen_options *options, const char *label, crawl_error *error);
