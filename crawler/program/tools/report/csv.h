/* The tables of a report as CSV files (RFC 4180, in UTF-8), whole. */
#ifndef CW_SURVEY_CSV_H
#define CW_SURVEY_CSV_H

#include "crawler/program/tools/report/tables.h"

/* Writes FOLDER/ID.csv of each table that is known; the folder is made if need be. CRAWL_EIO: error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error);

#endif
