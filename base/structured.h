/* Parses structured fields (RFC 9651): Dictionaries, Lists and Items, on bytes and without allocation. A field that is
 * invalid anywhere must be ignored as a whole: cw_structured_open validates all of it before the first member is
 * returned. The lines of a repeated field are joined by ", " first.
 *
 * Strict as in section 4.2 of the RFC, except for the two points that it leaves to parsers: base64 without padding, or
 * with bits after its last byte, is accepted. There is no maximum of members, parameters or lengths: parsing takes time
 * proportional to the field, and no memory. */
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
    crawl_slice text; /* TOKEN; STRING, DISPLAY, BYTES and MEMBERS: the text between the delimiters, still encoded */
} cw_structured_value;

/* A member of a Dictionary, List or Inner List; or an Item. */
typedef struct cw_structured_item {
    crawl_slice key; /* of a member of a Dictionary; otherwise empty */
    cw_structured_value value;
    crawl_slice parameters; /* for cw_structured_parameter and cw_structured_find */
} cw_structured_item;

/* A position in a field. */
typedef struct cw_structured {
    crawl_slice rest;
    cw_structured_form form;
    bool is_broken;
} cw_structured;

/* Opens a field. False: invalid, and must be ignored. An empty field is an empty List and an empty Dictionary, but not
 * an Item. form: not INNER_LIST. */
bool cw_structured_open(crawl_slice field, cw_structured_form form, cw_structured *at);

/* Opens the Inner List that is this value, of type MEMBERS. */
cw_structured cw_structured_inside(const cw_structured_value *value);

/* Returns the next member, or the Item once. The members of a Dictionary come in the order of the field: a later member
 * with the same key overwrites an earlier one. False: no more members. */
bool cw_structured_next(cw_structured *at, cw_structured_item *item);

/* Returns the member with this key, of several the last, from the present position on. False: there is none. */
bool cw_structured_member(cw_structured dictionary, const char *key, cw_structured_item *item);

/* Removes the next parameter from the front of *parameters. Of several with one key the last counts. False: no more
 * parameters. */
bool cw_structured_parameter(crawl_slice *parameters, crawl_slice *key, cw_structured_value *value);

/* Returns the value of the parameter with this key, of several the last. False: there is none. */
bool cw_structured_find(crawl_slice parameters, const char *key, cw_structured_value *value);

/* Appends the decoded text of a value: the characters of a String, a Token and a Display String, the bytes of a Byte
 * Sequence. CRAWL_ENOMEM; CRAWL_EINVAL: another type. */
crawl_err cw_structured_text(const cw_structured_value *value, crawl_buf *out);
