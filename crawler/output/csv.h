/* The first line of a file of CSV. Its rows are made by crawl_record_csv, crawl_edge_csv and <crawl/output.h>'s fields.
 */
#ifndef CW_OUTPUT_CSV_H
#define CW_OUTPUT_CSV_H

#include "base/writer.h"

/* Puts the names of the columns, up to a NULL, without the newline that ends the row. */
void cw_output_put_csv_head(cw_writer *row, const char *const *columns);

#endif
