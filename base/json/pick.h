/* Extracts members of a JSON object from a text of megabytes or from many short lines: one pass over the text, no tree,
 * and no memory for unwanted members. Accepts the objects that cw_json_read accepts, refuses the others, and gives the
 * same values. */
#pragma once

#include <crawl/base.h>

typedef enum cw_json_kind {
    CW_JSON_MISSING, /* no such member */
    CW_JSON_NULL,
    CW_JSON_FALSE,
    CW_JSON_TRUE,
    CW_JSON_NUMBER,
    CW_JSON_STRING,
    CW_JSON_ARRAY,
    CW_JSON_OBJECT
} cw_json_kind;

/* A value, borrowed from the text. */
typedef struct cw_json_value {
    cw_json_kind kind;
    bool has_escapes;  /* for a string */
    crawl_slice bytes; /* of a string without its quotes */
} cw_json_value;

/* Names of wanted members, as constants: {CW_JSON_NAME("url"), CW_JSON_NAME("status")}. */
#define CW_JSON_NAME(name)       \
    {                            \
        (name), sizeof(name) - 1 \
    }

/* Fills values[i] with the member called names[i]; names must differ. If several members have one name, takes the last.
 * text must be UTF-8 (base/utf8.h). False: not an object, or invalid; cw_json_read explains why. */
bool cw_json_pick(crawl_slice text, const crawl_slice *names, size_t count, cw_json_value *values);

/* Returns the next element of an array that was picked: *rest is initially the array's bytes. False: no more
 * elements. */
bool cw_json_next_element(crawl_slice *rest, cw_json_value *element);

/* Combines cw_json_next_element and cw_json_pick of the element. False: no more objects; *rest then begins with "]" if
 * the array ends there. */
bool cw_json_next_pick(crawl_slice *rest, const crawl_slice *names, size_t count, cw_json_value *values);

/* Returns the text of a string; without data if the value is not one. A string with escapes is decoded to the end of
 * decoded, which must have room for it: earlier texts stay where they are. A caller that once reserves the size of the
 * whole text has room for all of its strings. Without room returns no text. */
crawl_slice cw_json_decoded(const cw_json_value *value, crawl_buf *decoded);

/* Returns the value of a number as the nearest double; 0 if the value is not one. */
double cw_json_number(const cw_json_value *value);
