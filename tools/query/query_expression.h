/* The SQL of `crawl query --where` and --columns: SQLite expressions in which names are fields of JSON lines. A field
 * becomes a parameter: "status = 404" becomes "?1 = 404". */
#pragma once

#include <crawl/base.h>

/* Maximum number of fields of a command line: more than any line of a crawl has. */
enum { CW_QUERY_FIELDS_MAX = 64 };

/* {0}: no fields. Index i is that of parameter i + 1. */
typedef struct cw_query_fields {
    size_t count;
    crawl_slice paths[CW_QUERY_FIELDS_MAX]; /* names; dots lead into objects: "headers.server"; borrowed */
    size_t tops[CW_QUERY_FIELDS_MAX];       /* index of a path's first name */
    bool is_compared[CW_QUERY_FIELDS_MAX];  /* by a condition that does more than test for presence */
    bool is_shown[CW_QUERY_FIELDS_MAX];     /* in a column */
    crawl_slice names[CW_QUERY_FIELDS_MAX]; /* first names, without duplicates */
    size_t top_count;
} cw_query_fields;

/* Appends a condition. A field alone, or after NOT, tests for a value: not null, false, 0, empty text or empty object.
 * text is borrowed. CRAWL_EINVAL: a quoted name is empty, a quote is unclosed, or there is a comment. CRAWL_FULL: too
 * many fields. CRAWL_ENOMEM. SQLite reports all other errors. */
crawl_err cw_query_condition(const char *text, cw_query_fields *fields, crawl_buf *sql);

/* Does the same for expressions separated by commas; a column without AS is named by its text. */
crawl_err cw_query_columns(const char *text, cw_query_fields *fields, crawl_buf *sql);
