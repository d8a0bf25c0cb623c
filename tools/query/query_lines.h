/* `crawl query --where` and --columns: reads JSON lines one after the other, without a database. */
#pragma once

#include "tools/query/query_expression.h"
#include "tools/query/query_rows.h"

typedef struct cw_query_lines {
    cw_query_fields fields;
    crawl_buf columns;  /* SQL; empty: lines are printed unchanged */
    crawl_buf where;    /* SQL; empty: all lines */
    bool lacks_memory;  /* the SQL is incomplete */
    const char *shown;  /* --columns as given; NULL: not given */
    cw_query_form form; /* of columns */
    bool bom;
    char separator;
    char **paths; /* none: standard input */
    int path_count;
} cw_query_lines;

/* Prints the lines that meet the conditions. Returns the exit status, after a message. */
int cw_query_lines_run(const cw_query_lines *lines);
