/* Writes the tables of a report with all their rows: as CSV files (RFC 4180, in UTF-8) for spreadsheets and programs,
 * and one of them as lines for a terminal. */
#ifndef CW_SURVEY_CSV_H
#define CW_SURVEY_CSV_H

#include "tools/report/tables/tables.h"

/* Writes FOLDER/ID.csv for each table that is known; makes the folder if needed. CRAWL_EIO: error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error);

/* Prints a table that is known: the names of its columns, then its rows, each a line with tabs between its fields, in
 * which control bytes are escaped. CRAWL_ENOMEM; that standard output failed is told by main(). */
crawl_err cw_survey_print(const cw_survey_report *report, const cw_survey_table *table, crawl_error *error);

#endif
