/* The conditions of `crawl list --where`: "error", "!title", "status=404", "bytes>100000", "url~/news/". */
#ifndef CW_LIST_CONDITION_H
#define CW_LIST_CONDITION_H

#include "tools/list/field.h"

/* How a value may stand to that of the condition; LESS, EQUAL and MORE may be joined. */
enum {
    CW_LIST_LESS = 1,
    CW_LIST_EQUAL = 2,
    CW_LIST_MORE = 4,
    CW_LIST_CONTAINS = 8, /* it has the other in it, ASCII letters in either case */
    CW_LIST_THERE = 16    /* there is something */
};

typedef struct cw_list_condition {
    size_t field;
    unsigned relation;
    bool is_negated;   /* "!=", "!~", "!FIELD" */
    crawl_slice value; /* borrowed from the text */
    bool is_number;
    double number;
} cw_list_condition;

/* Reads a condition, and adds its field to fields. text is borrowed. CRAWL_EINVAL, CRAWL_FULL: as cw_list_field_add. */
crawl_err cw_list_condition_read(const char *text, cw_list_fields *fields, cw_list_condition *out);

/* Is it met by the line that was read last? Of an array, by one of its elements. */
bool cw_list_condition_met(const cw_list_condition *condition, cw_list_fields *fields);

#endif
