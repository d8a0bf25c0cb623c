/* The options of a crawl that outlives its process. Its directory keeps them as its last run had them, so that the
 * crawl goes on as it began when only its directory is named. */
#pragma once

#include <crawl/config.h>

/* Does a crawl write a database to this place, NAME.sqlite? NULL: false. */
bool cw_tool_is_database(const char *place);

/* The names in the directory of what a crawl with --report writes a second time. */
#define CW_TOOL_KEPT_RECORDS "report-records"
#define CW_TOOL_KEPT_LINKS "report-links"

/* Reads the options that the directory keeps into config, over what that has. CRAWL_ABSENT: there are none. Other
 * errors as those of crawl_config_load. */
crawl_err cw_tool_resume_load(const char *directory, crawl_config *config, crawl_error *error);

/* Does the directory keep options? */
bool cw_tool_resume_is_kept(const char *directory);
/* Are the options in the directory as they were written? False: *why says what is wrong, a failed read and missing
 * memory included. A directory without options is right. */
bool cw_tool_resume_check(const char *directory, crawl_error *why);

/* How many entries there are in each list that options replace as a whole. */
typedef struct cw_tool_resume_counts {
    size_t rules; /* include and exclude together, whose order matters */
    size_t keep;
    size_t keep_types;
    size_t webhooks;
} cw_tool_resume_counts;

cw_tool_resume_counts cw_tool_resume_count(const crawl_config *config);
/* Removes the entries that were kept, the first `kept` of each list, from lists of which more were given now. */
void cw_tool_resume_replace(crawl_config *config, const cw_tool_resume_counts *kept);

/* Keeps the options for the next run, but for those of one run alone: seeds, the limits max_pages, max_time and
 * max_bytes, and verbosity. Files are named by paths from the root. CRAWL_EIO, CRAWL_ENOMEM: error says why, and the
 * options that were kept before remain. */
crawl_err cw_tool_resume_save(const char *directory, const crawl_config *config, crawl_error *error);
