/* Reads members of a JSON object out of a text of megabytes or of many short lines: the text is passed over once, no
 * tree is built, and what is not wanted costs no memory. It takes what cw_json_read takes as an object, refuses what
 * that refuses, and gives the same values. */
#pragma once

#include <crawl/base.h>

typedef enum cw_json_kind {
    CW_JSON_MISSING, /* there is no such member */
    CW_JSON_NULL,
    CW_JSON_FALSE,
    CW_JSON_TRUE,
    CW_JSON_NUMBER,
    CW_JSON_STRING,
    CW_JSON_ARRAY,
    CW_JSON_OBJECT
} cw_json_kind;

/* A value as it stands in the text, from which it is borrowed. */
typedef struct cw_json_value {
    cw_json_kind kind;
    bool has_escapes;  /* a string */
    crawl_slice bytes; /* a string's are without its quotes */
} cw_json_value;

/* The names of members that are wanted, as constants: {CW_JSON_NAME("url"), CW_JSON_NAME("status")}. */
#define CW_JSON_NAME(name)       \
    {                            \
        (name), sizeof(name) - 1 \
    }

/* Fills values[i] with the member called names[i], which differ; of several members with one name, the last. text must
 * be UTF-8 (base/utf8.h). False: it is no object, or something is wrong in it; cw_json_read has words for that. */
bool cw_json_pick(crawl_slice text, const crawl_slice *names, size_t count, cw_json_value *values);

/* The next element of an array of a picked value: *rest is the array's bytes at first. False: there is no further
 * one. */
bool cw_json_next_element(crawl_slice *rest, cw_json_value *element);

/* Does at once what cw_json_next_element and cw_json_pick of the element do. False: there is no further object; then
 * *rest begins with "]" if the array ends there. */
bool cw_json_next_pick(crawl_slice *rest, const crawl_slice *names, size_t count, cw_json_value *values);

/* A string's text; without data if the value is none. If it has escapes, it is appended to decoded, which must have
 * room for it: what was decoded before stays where it is. A caller that reserves the size of the whole text once has
 * room for all of its strings. Without room there is no text. */
crawl_slice cw_json_decoded(const cw_json_value *value, crawl_buf *decoded);

/* A number's value, the nearest that a double has; 0 if the value is none. */
double cw_json_number(const cw_json_value *value);
