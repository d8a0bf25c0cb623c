/* The files of a report. Each is written piece by piece, and takes its place as a whole at the end, so that a reader
 * never sees half of it. Tables go into them with all their rows: as CSV (RFC 4180, in UTF-8), as lines for a terminal,
 * and faults as JUnit XML, which servers for continuous integration show. */
#pragma once

#include "base/files/replace.h"
#include "base/writer.h"
#include "tools/report/tables/tables.h"

typedef struct cw_survey_file {
    crawl_buf text; /* what is to be written next */
    cw_writer to;   /* to the end of it */
    cw_replace replace;
    uint64_t offset;
    bool is_stdout;
    crawl_error *error;
} cw_survey_file;

/* path "-": standard output. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_file_begin(cw_survey_file *file, const char *path, crawl_error *error);
/* Ends the file, and frees. err: an earlier error; with one, the file does not take its place. Returns the error, if
 * any. */
crawl_err cw_survey_file_end(cw_survey_file *file, crawl_err err);

/* Writes FOLDER/ID.csv for each table that is known; makes the folder if needed. CRAWL_EIO: error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error);

/* Prints a table that is known: the names of its columns, then its rows, each a line with tabs between its fields, in
 * which control bytes are escaped. CRAWL_ENOMEM; that standard output failed is told by main(). */
crawl_err cw_survey_print(const cw_survey_report *report, const cw_survey_table *table, crawl_error *error);

/* Writes a suite for each fault, with a failed test for each row, or one test that passed. chosen: faults, ended by
 * NULL. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_write_junit(const cw_survey_report *report, const cw_survey_table *const *chosen, const char *path,
                                crawl_error *error);
