/* Rows of an answer of SQLite, on standard output. */
#ifndef CW_QUERY_ROWS_H
#define CW_QUERY_ROWS_H

#include <crawl/base.h>

#include <sqlite3.h>

typedef enum cw_query_form {
    CW_QUERY_PLAIN, /* columns between tabs, with escapes */
    CW_QUERY_CSV,   /* RFC 4180, with a head */
    CW_QUERY_JSON   /* an object a line */
} cw_query_form;

/* Prints all rows; separator is between the columns of CSV. CRAWL_EINVAL: the question fails; error has the words of
 * SQLite. CRAWL_ENOMEM. */
crawl_err cw_query_print(sqlite3_stmt *statement, cw_query_form form, char separator, crawl_error *error);

#endif
