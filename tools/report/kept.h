/* Finds the files of a crawl from its directory, for `crawl report --state DIR`. */
#pragma once

#include <crawl/config.h>

typedef struct cw_survey_kept {
    crawl_buf records, links, requests; /* paths; empty: no such file */
    bool is_database;                   /* records is one */
    crawl_config *config;               /* of the crawl */
} cw_survey_kept;

/* Fills *kept, which must be empty, with the copies that a crawl with --report keeps in its directory, or else with the
 * files that its options name, if they still exist. Only regular files count, of JSON lines or a database. Returns an
 * exit status; the error has been printed. CW_EXIT_USAGE: no records. The caller frees *kept, whatever the status. */
int cw_survey_find_kept(const char *directory, cw_survey_kept *kept);
void cw_survey_kept_free(cw_survey_kept *kept);
