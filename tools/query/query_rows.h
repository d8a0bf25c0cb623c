/* Rows of an answer of SQLite, on standard output. */
#pragma once

#include <crawl/base.h>
#include <sqlite3.h>

typedef enum cw_query_form {
    CW_QUERY_TABLE, /* query_table.h */
    CW_QUERY_PLAIN, /* columns between tabs, with escapes */
    CW_QUERY_CSV,   /* RFC 4180, with a head */
    CW_QUERY_JSON   /* an object a line */
} cw_query_form;

/* Rows of a statement. next steps to the next one: SQLITE_ROW, SQLITE_DONE or a failure. */
typedef struct cw_query_rows {
    sqlite3_stmt *statement;
    int (*next)(void *user);
    void *user;
} cw_query_rows;

/* Prints all rows; separator is between the columns of CSV. CRAWL_EINVAL: the question fails; error has the words of
 * SQLite. CRAWL_ENOMEM. */
crawl_err cw_query_print(const cw_query_rows *rows, cw_query_form form, char separator, crawl_error *error);

/* Names what the database lacks to answer the view; NULL: nothing, or the view needs no more than records. */
const char *cw_query_lacks(sqlite3 *db, const char *view);
