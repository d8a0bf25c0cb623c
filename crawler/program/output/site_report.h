/* The report of --report: a page about the site, made at the end of a crawl from its records and links. If these go to
 * files that can be read again, the report is made of the files. Otherwise they are written a second time: into the
 * directory of --state, where they stay for the next run, or else into files without a name beside the page, which are
 * gone with the process, however it ends. */
#pragma once

#include <crawl/config.h>
#include <crawl/output.h>
#include <glob.h>

/* Thread-safe but for opening and closing. */
typedef struct cw_site_report cw_site_report;

/* To be called when the files of --output and --links are open. resumed: the files in the directory from earlier runs
 * are kept. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_open(const crawl_config *config, bool resumed, cw_site_report **out, crawl_error *error);

/* CRAWL_EIO: a file failed, now or before; cw_site_report_close says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_record(cw_site_report *report, const crawl_record *record);
crawl_err cw_site_report_edge(cw_site_report *report, const crawl_edge *edge);

/* Closes the files, which have whole lines alone. CRAWL_EIO: error says why. */
crawl_err cw_site_report_close(cw_site_report *report, crawl_error *error);

/* Makes the page; to be called when all files and the engine are closed. Puts a line about the page into *said.
 * ended_by: "crawl.max_pages reached"; NULL: nothing was left to fetch. The exit status; the user was told of what
 * failed. A crawl without a record has no page. */
int cw_site_report_make(const cw_site_report *report, const char *ended_by, crawl_buf *said);

/* Frees the memory. NULL is allowed. */
void cw_site_report_free(cw_site_report *report);

/* Finds the files named PREFIX-YYYYMMDDhhmmss-NNNNN with this end, where {A,B} stands for either. To be freed by
 * globfree. CRAWL_ENOMEM. */
crawl_err cw_site_warc_find(const char *prefix, const char *end, glob_t *found);

/* The WACZ of --wacz: all WARC files of --warc, those of earlier runs too, packed by `crawl warc --wacz` at the end of
 * a crawl. To be called when the WARC files are finished; those that a killed run has left open are finished too. Puts
 * a line about it into *said. The exit status; the user was told of what failed. */
int cw_site_wacz_make(const crawl_config *config, crawl_buf *said);
