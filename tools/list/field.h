/* The fields of lines of JSON that are named on the command line: each is found in a line once, however often it is
 * named. A name with points leads into objects: "headers.server". */
#ifndef CW_LIST_FIELD_H
#define CW_LIST_FIELD_H

#include "base/json/pick.h"

/* The most fields of a command line: more than any line of a crawl has. */
enum { CW_LIST_FIELDS_MAX = 64 };

/* {0} is one without fields. */
typedef struct cw_list_fields {
    size_t count;
    crawl_slice paths[CW_LIST_FIELDS_MAX]; /* as they were named; borrowed */
    size_t tops[CW_LIST_FIELDS_MAX];       /* for each path the index of its first name */
    size_t top_count;
    crawl_slice names[CW_LIST_FIELDS_MAX];     /* the first names of all paths, which differ */
    cw_json_value members[CW_LIST_FIELDS_MAX]; /* the members of the line with these names */
    cw_json_value values[CW_LIST_FIELDS_MAX];  /* of the line, by the index of the field */
    bool were_there[CW_LIST_FIELDS_MAX];       /* by the index of the field: a line had it */
    crawl_buf decoded;                         /* the last text that had escapes */
} cw_list_fields;

void cw_list_fields_free(cw_list_fields *fields);

/* Sets *index to that of the field called path, which is borrowed. CRAWL_EINVAL: path is empty, or a part of it is.
 * CRAWL_FULL: there are too many. */
crawl_err cw_list_field_add(cw_list_fields *fields, crawl_slice path, size_t *index);

/* Finds all values in a line. They are borrowed from it until the next call. CRAWL_EPARSE: it is no object of JSON.
 * CRAWL_ENOMEM. */
crawl_err cw_list_fields_read(cw_list_fields *fields, crawl_slice line);

/* The text of a value: that of a string; a number, true, false or an object as it stands; nothing of null, of an array,
 * and of what is missing. Borrowed until the next call. */
crawl_slice cw_list_text(cw_list_fields *fields, const cw_json_value *value);

/* Is there something: no null, no false, no 0, no empty text, array or object? */
bool cw_list_is_something(const cw_json_value *value);

#endif
