/* The report of --report: a page about the site, made at the end of a crawl from its records and links. Where these go
 * to files that can be read again, the report is made of those. Others are written a second time: into the directory of
 * --state, where they stay for the next run, or else into files beside the page that have no name, and so are gone with
 * the process, however it ends. */
#ifndef CW_SITE_REPORT_H
#define CW_SITE_REPORT_H

#include <crawl/output.h>

/* The names of what is written a second time, in the directory of --state. */
#define CW_SITE_REPORT_RECORDS "report-records"
#define CW_SITE_REPORT_LINKS "report-links"

/* Thread-safe but for opening and closing. */
typedef struct cw_site_report cw_site_report;

/* After the files of --output and --links were opened. resumed: what the directory has from earlier runs is kept.
 * CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_open(const crawl_config *config, bool resumed, cw_site_report **out, crawl_error *error);

/* CRAWL_EIO: a file failed, now or before; cw_site_report_close says why. CRAWL_ENOMEM. */
crawl_err cw_site_report_record(cw_site_report *report, const crawl_record *record);
crawl_err cw_site_report_edge(cw_site_report *report, const crawl_edge *edge);

/* Ends the files; what was written there is whole. CRAWL_EIO: error says why. */
crawl_err cw_site_report_close(cw_site_report *report, crawl_error *error);

/* Makes the page, when all files are closed, and the engine too. Puts a line about it into *said. The exit status; what
 * is wrong has been said. A crawl without a record has no page. */
int cw_site_report_make(const cw_site_report *report, crawl_buf *said);

/* NULL does nothing. */
void cw_site_report_free(cw_site_report *report);

#endif
