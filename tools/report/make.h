/* Makes a report from files: reads them in the right order and counts the rows of all tables. `crawl report` does so,
 * and a crawl with --report at its end. */
#pragma once

#include "tools/report/tables/tables.h"

/* Maximum number of files of a kind. */
enum { CW_SURVEY_FILES_MAX = 64 };

/* Default limits of slow, large, page-weight and deep. */
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
    crawl_slice host, old_host; /* of --map: a host or an origin, and that of the earlier crawl, as URLs have it; empty:
                                   none */
    const crawl_config *config; /* of the crawl; NULL: unknown */
    const char *ended_by;       /* "crawl.max_pages reached"; empty: its queue was empty; NULL: unknown */
} cw_survey_input;

/* Fills *report, whose limits the caller has set. Returns an exit status; the error has been printed. CW_EXIT_NOTHING:
 * no record. The caller unmakes *report, whatever the status. */
int cw_survey_make(const cw_survey_input *input, cw_survey_report *report);
void cw_survey_unmake(cw_survey_report *report);
