/* The SQL of `crawl query --where` and --columns: an expression of SQLite in which names are fields of lines of JSON.
 * A field becomes a parameter: "status = 404" becomes "?1 = 404". */
#pragma once

#include <crawl/base.h>

/* The most fields of a command line: more than any line of a crawl has. */
enum { CW_QUERY_FIELDS_MAX = 64 };

/* {0} is one without fields. Index i is that of parameter i + 1. */
typedef struct cw_query_fields {
    size_t count;
    crawl_slice paths[CW_QUERY_FIELDS_MAX]; /* names; one with points leads into objects: "headers.server"; borrowed */
    size_t tops[CW_QUERY_FIELDS_MAX];       /* the index of the first name of a path */
    bool is_compared[CW_QUERY_FIELDS_MAX];  /* by a condition, which does not only ask whether it is there */
    bool is_shown[CW_QUERY_FIELDS_MAX];     /* in a column */
    crawl_slice names[CW_QUERY_FIELDS_MAX]; /* the first names, which differ */
    size_t top_count;
} cw_query_fields;

/* Appends a condition. Where it has a field alone, or behind NOT, this asks whether there is something: no null, false,
 * 0, empty text or empty object. text is borrowed. CRAWL_EINVAL: a quoted name is empty, a quote has no end, or there
 * is a comment. CRAWL_FULL: there are too many fields. CRAWL_ENOMEM. Everything else that is wrong is left to SQLite.
 */
crawl_err cw_query_condition(const char *text, cw_query_fields *fields, crawl_buf *sql);

/* The same for expressions between commas; a column without AS is called by its text. */
crawl_err cw_query_columns(const char *text, cw_query_fields *fields, crawl_buf *sql);
