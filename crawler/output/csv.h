/* Records and edges as rows of CSV (RFC 4180), for files whose names end in ".csv". A row is made from the line of JSON
 * that the same record would be, so that both say the same: null and absent fields are empty, the words of a list have
 * spaces between them. No row goes over several lines: control characters become U+FFFD. */
#ifndef CW_OUTPUT_CSV_H
#define CW_OUTPUT_CSV_H

#include "base/writer.h"

/* The names of the columns, up to a NULL. */
extern const char *const *const cw_output_csv_records;
extern const char *const *const cw_output_csv_edges;

/* Does the name of the file end in ".csv"? */
bool cw_output_is_csv(const char *path);

/* Puts the names of the columns, or the values of one line of ours; without the newline that ends the row. */
void cw_output_put_csv_head(cw_writer *row, const char *const *columns);
void cw_output_put_csv(cw_writer *row, crawl_slice json, const char *const *columns);

#endif
