/* Rows of an answer as a table for people, on the terminal that standard output is. */
#pragma once

#include "tools/query/query_rows.h"

/* Prints all rows, in columns that fit the terminal, and how many they are. The first 1,000 rows say how wide a column
 * is. *code: what the last step answered. CRAWL_ENOMEM. */
crawl_err cw_query_table(const cw_query_rows *rows, int *code);
