/* Makes a report of files: reads them in the right order, and counts the rows of all tables. `crawl report` does so,
 * and a crawl with --report at its end. */
#pragma once

#include "tools/report/tables/tables.h"

/* The most files of a kind. */
enum { CW_SURVEY_FILES_MAX = 64 };

/* The limits of slow, large, page-weight and deep where nobody sets them. */
enum { CW_SURVEY_SLOW_MS = 1000, CW_SURVEY_LARGE_BYTES = 1 << 20, CW_SURVEY_HEAVY_BYTES = 3 << 20, CW_SURVEY_DEEP = 6 };

typedef struct cw_survey_files {
    const char *paths[CW_SURVEY_FILES_MAX];
    size_t count;
} cw_survey_files;

typedef struct cw_survey_input {
    const char *const *records; /* paths */
    size_t record_count;
    cw_survey_files links, requests, sitemaps;
    const char *state;          /* a directory; NULL: none */
    const char *compare;        /* the records of an earlier crawl; NULL: none */
    crawl_slice host, old_host; /* of --map: a host, and its name in the earlier crawl; empty: none */
    const crawl_config *config; /* of the crawl; NULL: not known */
    const char *ended_by;       /* "crawl.max_pages reached"; NULL: not known */
} cw_survey_input;

/* Fills *report, whose limits are set. CW_EXIT_NOTHING: there was no record. An exit status; what is wrong has been
 * said. The report is the caller's to unmake, whatever it is. */
int cw_survey_make(const cw_survey_input *input, cw_survey_report *report);
void cw_survey_unmake(cw_survey_report *report);
