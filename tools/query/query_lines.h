/* `crawl query --where` and --columns: one line of JSON after the other, without a database. */
#pragma once

#include "tools/query/query_expression.h"
#include "tools/query/query_rows.h"

typedef struct cw_query_lines {
    cw_query_fields fields;
    crawl_buf columns;  /* SQL; empty: lines are printed as they are */
    crawl_buf where;    /* SQL; empty: all lines */
    bool lacks_memory;  /* the SQL is not whole */
    const char *shown;  /* as --columns was given; NULL: it was not */
    cw_query_form form; /* of columns */
    bool bom;
    char separator;
    char **paths; /* none: standard input */
    int path_count;
} cw_query_lines;

/* Prints the lines that meet the conditions. The exit status, after a message. */
int cw_query_lines_run(const cw_query_lines *lines);
