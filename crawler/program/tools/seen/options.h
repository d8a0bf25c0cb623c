/* The command line of `crawl seen`. */
#ifndef CW_SEEN_OPTIONS_H
#define CW_SEEN_OPTIONS_H

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

typedef struct cw_seen_options {
    crawl_bloom_options filter;
    unsigned given; /* which fields of filter the command line names: bits of a table in options.c */
    const char *file;
    bool invert;
    bool count;
    bool zero;
    bool urls;
    bool fingerprints; /* --fingerprint */
    crawl_fingerprint_kind fingerprint;
    const char *import_scrapy; /* NULL: none */
    bool quiet;
    bool help;
    char **inputs; /* words of argv */
    int input_count;
} cw_seen_options;

/* CRAWL_EINVAL: error says what is wrong. CRAWL_ENOMEM. */
crawl_err cw_seen_options_read(cw_seen_options *options, int argc, char **argv, crawl_error *error);

/* Whether what the command line names is what the filter of a file was made with. CRAWL_EINVAL: error says what is not.
 * The capacity counts only for kinds that do not grow beyond it. */
crawl_err cw_seen_options_agree(const cw_seen_options *options, const crawl_bloom_options *file, crawl_error *error);

/* What lines are compared by, as the label of a filter has it: "lines", "urls", "fingerprint scrapy-2.7" ... */
const char *cw_seen_options_key(const cw_seen_options *options);

/* The same for the keys of a file's filter, by its label. Where the command line does not say, the label decides.
 * CRAWL_EINVAL: the command line says otherwise, or the label is none of these; error has both. */
crawl_err cw_seen_options_take_key(cw_seen_options *options, const char *label, crawl_error *error);

#endif
