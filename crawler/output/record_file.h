/* Files of records that are appended to: every line of them is whole, whatever ended the program that wrote before. */
#ifndef CW_RECORD_FILE_H
#define CW_RECORD_FILE_H

#include <crawl/base.h>

/* Mends the end of a regular file, after a write that was cut off: a last line that has no end is given one if it is a
 * whole record, and is cut off if it is the beginning of one; a line of another kind is given its end. What is no
 * regular file, or is not there, is left alone. Of CSV, in which a whole row cannot be told from the beginning of one,
 * a last line that has no end is cut off. CRAWL_EIO: it cannot be read or written (error says why). CRAWL_ENOMEM. */
crawl_err cw_output_record_file_mend(const char *path, bool is_csv, crawl_error *error);

/* The last line of a regular file that ends with a whole one, without its newline. Empty: there is none, or it is too
 * long for a record. */
crawl_err cw_output_record_file_last(const char *path, crawl_buf *out, crawl_error *error);

#endif
