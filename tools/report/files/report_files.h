/* Writes the files of a report: tables with all their rows as CSV (RFC 4180, in UTF-8) or as lines for a terminal, and
 * faults as JUnit XML for continuous integration. A file is written piece by piece and takes its place as a whole at
 * the end, so that readers never see half of it. */
#pragma once

#include "base/files/replace.h"
#include "base/writer.h"
#include "tools/report/tables/tables.h"

typedef struct cw_survey_file {
    crawl_buf text; /* to be written next */
    cw_writer to;   /* appends to text */
    cw_replace replace;
    uint64_t offset;
    bool is_stdout;
    crawl_error *error;
} cw_survey_file;

/* path "-": standard output. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_file_begin(cw_survey_file *file, const char *path, crawl_error *error);
/* Ends the file and frees it. err: an earlier error, with which the file does not take its place. Returns the first
 * error. */
crawl_err cw_survey_file_end(cw_survey_file *file, crawl_err err);

/* Writes FOLDER/ID.csv for each known table. Makes the folder if needed. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error);

/* Prints a known table: the names of its columns, then a line for each row. Fields are separated by tabs, and control
 * bytes are escaped. main() reports a failure of standard output. CRAWL_ENOMEM. */
crawl_err cw_survey_print(const cw_survey_report *report, const cw_survey_table *table, crawl_error *error);

/* Writes a suite for each fault, with a failed test for each row, or one passed test. chosen: faults, ended by NULL.
 * CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_write_junit(const cw_survey_report *report, const cw_survey_table *const *chosen, const char *path,
                                crawl_error *error);
