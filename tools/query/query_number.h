/* Numbers of more digits than SQLite writes. */
#pragma once

#include <sqlite3.h>

enum { CW_QUERY_NUMBER_MAX = 32 };

/* Returns how many significant digits a number needs, at least 15. */
int cw_query_digits(double real);

/* Returns the text of a column, for a number of 16 digits, as a time of a request, in number. NULL: the value is
 * NULL, or out of memory. */
const char *cw_query_text(sqlite3_stmt *statement, int column, char number[CW_QUERY_NUMBER_MAX]);
