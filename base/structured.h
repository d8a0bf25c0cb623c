/* Reads structured fields (RFC 9651): Dictionaries, Lists and Items, on bytes and without allocation. A field that
 * breaks the grammar anywhere says nothing at all: cw_structured_open looks through all of it before it hands out the
 * first member. A field of several lines is read as its lines joined by ", ".
 *
 * Strict as section 4.2 of the RFC, but for the two points that it leaves to parsers: base64 without its padding and
 * with bits after its last byte is taken. There is no maximum of members, parameters or lengths: reading takes time in
 * proportion to the bytes of the field, and no memory. */
#pragma once

#include "base/bytes.h"

typedef enum cw_structured_form {
    CW_STRUCTURED_ITEM,
    CW_STRUCTURED_LIST,
    CW_STRUCTURED_DICTIONARY,
    CW_STRUCTURED_INNER_LIST
} cw_structured_form;

typedef enum cw_structured_type {
    CW_STRUCTURED_INTEGER,
    CW_STRUCTURED_DECIMAL,
    CW_STRUCTURED_STRING,
    CW_STRUCTURED_TOKEN,
    CW_STRUCTURED_BYTES,
    CW_STRUCTURED_BOOLEAN,
    CW_STRUCTURED_DATE,
    CW_STRUCTURED_DISPLAY,
    CW_STRUCTURED_MEMBERS /* an Inner List */
} cw_structured_type;

/* A value, borrowed from the field. */
typedef struct cw_structured_value {
    cw_structured_type type;
    int64_t number;   /* INTEGER; DECIMAL: thousandths; BOOLEAN: 0 or 1; DATE: seconds since 1970 */
    crawl_slice text; /* TOKEN; of STRING, DISPLAY, BYTES and MEMBERS what stands between their delimiters, encoded */
} cw_structured_value;

/* A member of a Dictionary, of a List or of an Inner List; an Item. */
typedef struct cw_structured_item {
    crawl_slice key; /* of a Dictionary's member; else empty */
    cw_structured_value value;
    crawl_slice parameters; /* for cw_structured_parameter and cw_structured_find */
} cw_structured_item;

/* A place in a field. */
typedef struct cw_structured {
    crawl_slice rest;
    cw_structured_form form;
    bool is_broken;
} cw_structured;

/* Begins to read a field. False: it is no such field, and must be ignored. An empty field is an empty List and an empty
 * Dictionary, but no Item. form: not INNER_LIST. */
bool cw_structured_open(crawl_slice field, cw_structured_form form, cw_structured *at);

/* Begins to read the Inner List that is the value, of type MEMBERS. */
cw_structured cw_structured_inside(const cw_structured_value *value);

/* The next member; of an Item the item itself, once. The members of a Dictionary come as they stand in the field: one
 * whose key comes once more later is overwritten by that one. False: there is none left. */
bool cw_structured_next(cw_structured *at, cw_structured_item *item);

/* The member of this key, the last of several, from the present place on. False: there is none. */
bool cw_structured_member(cw_structured dictionary, const char *key, cw_structured_item *item);

/* Removes the next parameter from the front of *parameters. Of several with one key the last holds. False: there is
 * none left. */
bool cw_structured_parameter(crawl_slice *parameters, crawl_slice *key, cw_structured_value *value);

/* The value of the parameter of this key, the last of several. False: there is none. */
bool cw_structured_find(crawl_slice parameters, const char *key, cw_structured_value *value);

/* Appends what the text of a value stands for: the characters of a String, a Token and a Display String, the bytes of a
 * Byte Sequence. CRAWL_ENOMEM; CRAWL_EINVAL: it is of another type. */
crawl_err cw_structured_text(const cw_structured_value *value, crawl_buf *out);
