/* The options of a crawl that outlives its process. Its directory keeps those of its last run, so that the crawl
 * continues unchanged if only its directory is named. */
#pragma once

#include "config/schema.h"

#include <crawl/config.h>

/* Returns true if a crawl writes a database to this place, NAME.sqlite. NULL: false. */
bool cw_tool_is_database(const char *place);

/* Names in the directory of the files that a crawl with --report writes a second time. */
#define CW_TOOL_KEPT_RECORDS "report-records"
#define CW_TOOL_KEPT_LINKS "report-links"

/* Reads the options kept in the directory into config, over its values. CRAWL_ABSENT: none. CRAWL_ECORRUPT: the file
 * was changed, or cannot be read. Other errors as those of crawl_config_load. */
crawl_err cw_tool_resume_load(const char *directory, crawl_config *config, crawl_error *error);

/* Returns true if the directory keeps options. */
bool cw_tool_resume_is_kept(const char *directory);
/* Returns true if the options in the directory are unchanged since they were written, or absent. Otherwise *why says
 * what is wrong, including failed reads and allocations. */
bool cw_tool_resume_check(const char *directory, crawl_error *why);

/* The number of entries in each list that options replace as a whole. */
typedef struct cw_tool_resume_counts {
    size_t rules;                       /* include and exclude together, because their order matters */
    size_t texts[CW_CONFIG_SCHEMA_MAX]; /* by key */
} cw_tool_resume_counts;

cw_tool_resume_counts cw_tool_resume_count(crawl_config *config);
/* Removes the kept entries, the first `kept` of each list, from lists that were given new ones. */
void cw_tool_resume_replace(crawl_config *config, const cw_tool_resume_counts *kept);

/* Keeps the options for the next run, except those of a single run: seeds, the limits max_pages, max_time and
 * max_bytes, and verbosity. Paths become absolute. CRAWL_EIO, CRAWL_ENOMEM: error says why, and the options kept before
 * remain. */
crawl_err cw_tool_resume_save(const char *directory, const crawl_config *config, crawl_error *error);
