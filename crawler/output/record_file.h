/* Files of records that are appended to: each line is made whole, whatever ended the program that wrote before. */
#pragma once

#include <crawl/output.h>

/* Mends the end of a regular file after a write that was cut off. If the last line has no end, it gets one where it
 * is a whole record or a line of another kind, and it is cut off where it is the beginning of a record. In CSV, where a
 * whole row cannot be told from the beginning of one, such a line is always cut off. A file that is not regular, or is
 * not there, stays as it is. CRAWL_EIO: it cannot be read or written (error says why). CRAWL_ENOMEM. */
crawl_err cw_output_record_file_mend(const char *path, bool is_csv, crawl_error *error);

/* Checks that a file of CSV begins with this head, whose newline belongs to it, before rows are appended. CRAWL_EINVAL:
 * it has other columns (error says so). CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_output_record_file_check_head(const char *path, crawl_slice head, crawl_error *error);

/* Begins a table whose columns its caller names: this head, without its newline, is written into the file if it is
 * empty, and checked if it is not, now and whenever the file is opened anew. Takes what is in head. Before the first
 * line. CRAWL_EINVAL: there are other columns. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_output_lines_head(crawl_lines *lines, crawl_buf *head, crawl_error *error);

/* The last line of a regular file that ends with a whole one, without its newline. Empty: there is none, or it is too
 * long for a record. */
crawl_err cw_output_record_file_last(const char *path, crawl_buf *out, crawl_error *error);
