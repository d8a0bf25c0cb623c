/* A file of a report. It is written piece by piece, and takes its place as a whole at the end, so that a reader never
 * sees half of it. */
#ifndef CW_SURVEY_FILE_H
#define CW_SURVEY_FILE_H

#include "base/files/replace.h"
#include "base/writer.h"

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
/* Writes text if there is much of it; failures show at the end. To be called after each row. */
void cw_survey_file_row(cw_survey_file *file);
/* Ends the file, and frees. err: an earlier error; with one, the file does not take its place. Returns the error, if
 * any. */
crawl_err cw_survey_file_end(cw_survey_file *file, crawl_err err);

#endif
