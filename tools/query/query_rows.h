/* Prints the rows of an SQLite result on standard output. */
#pragma once

#include <crawl/base.h>
#include <sqlite3.h>

typedef enum cw_query_form {
    CW_QUERY_TABLE, /* query_table.h */
    CW_QUERY_PLAIN, /* columns separated by tabs, with escapes */
    CW_QUERY_CSV,   /* RFC 4180, with a head */
    CW_QUERY_JSON   /* an object per line */
} cw_query_form;

/* Rows of a statement. next steps to the next row: SQLITE_ROW, SQLITE_DONE or an error. */
typedef struct cw_query_rows {
    sqlite3_stmt *statement;
    int (*next)(void *user);
    void *user;
} cw_query_rows;

/* Prints all rows; separator: between CSV columns. CRAWL_EINVAL: the statement fails; error has SQLite's words.
 * CRAWL_ENOMEM. */
crawl_err cw_query_print(const cw_query_rows *rows, cw_query_form form, char separator, crawl_error *error);

/* Returns what the database lacks for the view. NULL: nothing, or the view needs only records. */
const char *cw_query_lacks(sqlite3 *db, const char *view);
