/* Finds the files of a crawl by what is kept in its directory, so that `crawl report --state DIR` need not be told
 * them. */
#pragma once

#include <crawl/config.h>

typedef struct cw_survey_kept {
    crawl_buf records, links, requests; /* paths; empty: there is no such file */
    crawl_config *config;               /* of the crawl */
} cw_survey_kept;

/* Fills *kept, which is empty: the copies that a crawl with --report keeps in its directory, or else the files that its
 * options name, as they stand there. Only regular files of JSON Lines count. Exit statuses; what is wrong has been
 * said: CW_EXIT_USAGE where there are no records. *kept is the caller's to free, whatever the status. */
int cw_survey_find_kept(const char *directory, cw_survey_kept *kept);
void cw_survey_kept_free(cw_survey_kept *kept);
