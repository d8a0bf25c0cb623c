#include "tools/query/query_number.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int cw_query_digits(double real)
{
    char text[CW_QUERY_NUMBER_MAX];
    int digits = DBL_DIG;
    for (; digits < DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    return digits;
}

const char *cw_query_text(sqlite3_stmt *statement, int column, char number[CW_QUERY_NUMBER_MAX])
{
    bool is_real = sqlite3_column_type(statement, column) == SQLITE_FLOAT;
    double real = is_real ? sqlite3_column_double(statement, column) : 0;
    int digits = is_real ? cw_query_digits(real) : 0;
    if (digits != DBL_DIG + 1) /* SQLite writes 15; 17 show only where a number was computed: 0.1 + 0.2 */
        return (const char *)sqlite3_column_text(statement, column);
    snprintf(number, CW_QUERY_NUMBER_MAX, "%.*g", digits, real);
    return number;
}
