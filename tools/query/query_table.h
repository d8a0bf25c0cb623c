/* Prints rows as a table for people, when standard output is a terminal. */
#pragma once

#include "tools/query/query_rows.h"

/* Prints all rows, in columns that fit the terminal, and their number. The first 1,000 rows decide the widths. *code:
 * result of the last step. CRAWL_ENOMEM. */
crawl_err cw_query_table(const cw_query_rows *rows, int *code);
