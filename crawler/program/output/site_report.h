/* The report of --report: a page about the site, made at the end of a crawl from its records and links. If these go to
 * files that can be read again, the report uses the files. Otherwise they are written a second time: into the directory
 * of --state, where they stay for the next run, or into unnamed files beside the page, which disappear with the
 * process, however it ends. */
#pragma once

#include <crawl/config.h>
#include <crawl/output.h>
#include <glob.h>

/* Thread-safe, except for opening and closing. */
typedef struct cw_site_report cw_site_report;

/* Call when the files of --output and --links are open. resumed: keeps the files of earlier runs in the directory.
 * CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_open(const crawl_config *config, bool resumed, cw_site_report **out, crawl_error *error);

/* Take a record or a link. CRAWL_EIO: a file failed, now or before; cw_site_report_close says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_record(cw_site_report *report, const crawl_record *record);
crawl_err cw_site_report_edge(cw_site_report *report, const crawl_edge *edge);

/* Closes the files, which end with whole lines. CRAWL_EIO: error says why. */
crawl_err cw_site_report_close(cw_site_report *report, crawl_error *error);

/* Makes the page, and puts a line about it into *said. Call once all files and the engine are closed. ended_by:
 * "crawl.max_pages reached"; "": nothing was left to fetch. Returns the exit status; failures were reported to the
 * user. A crawl without a record has no page. */
int cw_site_report_make(const cw_site_report *report, const char *ended_by, crawl_buf *said);

/* NULL is allowed. */
void cw_site_report_free(cw_site_report *report);

/* Finds the files PREFIX-YYYYMMDDhhmmss-NNNNN with this ending, in which {A,B} matches either. Free with globfree.
 * CRAWL_ENOMEM. */
crawl_err cw_site_warc_find(const char *prefix, const char *end, glob_t *found);

/* Makes the WACZ of --wacz: packs all WARC files of --warc, including those of earlier runs, by `crawl warc --wacz`.
 * Call once the WARC files are finished; files that a killed run left open are finished too. Puts a line about it into
 * *said. Returns the exit status; failures were reported to the user. */
int cw_site_wacz_make(const crawl_config *config, crawl_buf *said);
