/* The fields of a record, all in one place. JSON lines have them in this order, and CSV columns are chosen from them.
 * docs/records.md explains them. */
#pragma once

#include "base/writer.h"

#include <crawl/record.h>

/* At least the number of fields. */
enum { CW_OUTPUT_FIELDS_MAX = 64 };

/* A record, and the file of its body; NULL: none. */
typedef struct cw_output_source {
    const crawl_record *record;
    const char *body;
} cw_output_source;

typedef struct cw_output_value cw_output_value;

/* The type of the member of crawl_record behind a field. */
typedef enum cw_output_type {
    CW_OUTPUT_OF_MADE,  /* no member: get or put makes the value */
    CW_OUTPUT_OF_TEXT,  /* a slice, even if empty */
    CW_OUTPUT_OF_SLICE, /* a slice; empty means no value for this and all below */
    CW_OUTPUT_OF_JSON,  /* a slice of JSON */
    CW_OUTPUT_OF_WORDS, /* a string */
    CW_OUTPUT_OF_FLAG,  /* a bool; only true is a value */
    CW_OUTPUT_OF_INT,
    CW_OUTPUT_OF_U32,
    CW_OUTPUT_OF_SIZE,
    CW_OUTPUT_OF_U64,
} cw_output_type;

typedef struct cw_output_field {
    const char *name;
    cw_output_type type;
    bool may_lack; /* a JSON line omits it without a value, otherwise has null */
    size_t offset; /* of the member */
    void (*get)(const cw_output_source *of, cw_output_value *value);
    bool (*put)(const cw_output_source *of, cw_writer *json); /* writes a list or an object; false: no value */
} cw_output_field;

extern const cw_output_field cw_output_fields[];
extern const size_t cw_output_field_count;

/* Returns the field of that name. NULL: none. */
const cw_output_field *cw_output_field_find(crawl_slice name);

/* Appends the field to a JSON line: a comma, its name and its value. A field without a value is null or omitted, as
 * docs/records.md says. */
void cw_output_field_json(const cw_output_field *field, const cw_output_source *of, cw_writer *line);
/* Appends the field's CSV cell. Lists of words are separated by spaces; other values that are not simple are JSON. */
void cw_output_field_csv(const cw_output_field *field, const cw_output_source *of, cw_writer *row);

/* Appends a CSV cell. Bytes that are not UTF-8 become U+FFFD. */
void cw_output_put_cell(cw_writer *row, crawl_slice text);
