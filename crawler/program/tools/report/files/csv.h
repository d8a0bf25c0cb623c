/* Writes the tables of a report as CSV files (RFC 4180, in UTF-8), with all their rows, for spreadsheets and
 * programs. */
#ifndef CW_SURVEY_CSV_H
#define CW_SURVEY_CSV_H

#include "crawler/program/tools/report/tables/tables.h"

/* Writes FOLDER/ID.csv for each table that is known; makes the folder if needed. CRAWL_EIO: error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error);

#endif
