/* Files of records that are appended to. Every line is made whole, however the last writer ended. */
#pragma once

#include <crawl/output.h>

/* Repairs the end of a regular file after a truncated write. A last line without an end gets one if it is a whole
 * record or a line of another kind, and is cut off if it is the beginning of a record. In CSV, where a whole row cannot
 * be told from the beginning of one, it is always cut off. A file that is missing or not regular stays as it is.
 * CRAWL_EIO: it cannot be read or written (error says why). CRAWL_ENOMEM. */
crawl_err cw_output_record_file_mend(const char *path, bool is_csv, crawl_error *error);

/* Checks that a CSV file begins with this head, including its newline, before rows are appended. CRAWL_EINVAL: it has
 * other columns (error says so). CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_output_record_file_check_head(const char *path, crawl_slice head, crawl_error *error);

/* Sets the head of a table whose columns the caller names, without its newline. It is written into an empty file, and
 * checked in others, now and whenever the file is reopened. Takes over the contents of head. Call before the first
 * line. CRAWL_EINVAL: there are other columns. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_output_lines_head(crawl_lines *lines, crawl_buf *head, crawl_error *error);

/* Gets the last line, without its newline, of a regular file that ends with a whole line. Empty: none, or too long for
 * a record. */
crawl_err cw_output_record_file_last(const char *path, crawl_buf *out, crawl_error *error);
