/* The options of a crawl that outlives its process: they stand in its directory, as its last run had them, so that it
 * goes on as it began when it is resumed by its directory alone. */
#ifndef CW_RESUME_H
#define CW_RESUME_H

#include <crawl/config.h>

/* Reads the options that stand in the directory over config. CRAWL_ABSENT: there are none. Otherwise as
 * crawl_config_load. */
crawl_err cw_program_resume_load(const char *directory, crawl_config *config, crawl_error *error);

/* Do options stand in the directory? */
bool cw_program_resume_is_kept(const char *directory);
/* Are they as they were written? false: *why gets what is wrong. A directory without any is right. CRAWL_EIO,
 * CRAWL_ENOMEM count as wrong. */
bool cw_program_resume_check(const char *directory, crawl_error *why);

/* How many there are in each list that options replace as a whole. */
typedef struct cw_program_resume_counts {
    size_t rules; /* include and exclude together, whose order matters */
    size_t keep;
    size_t keep_types;
} cw_program_resume_counts;

cw_program_resume_counts cw_program_resume_count(const crawl_config *config);
/* Lists that were given now replace those that were kept, which are the first `kept` of each. */
void cw_program_resume_replace(crawl_config *config, const cw_program_resume_counts *kept);

/* Keeps them for the next run, but for what is of one run alone: seeds, the limits max_pages, max_time and max_bytes,
 * and verbosity. Files are named so that they are found from any folder. CRAWL_EIO, CRAWL_ENOMEM: error says why; those
 * that stood there remain. */
crawl_err cw_program_resume_save(const char *directory, const crawl_config *config, crawl_error *error);

#endif
