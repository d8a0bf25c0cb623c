/* The fields of a record, each in one place: lines of JSON have them in this order, and columns of CSV are chosen of
 * them. docs/records.md tells their meaning. */
#pragma once

#include "base/writer.h"

#include <crawl/record.h>

/* At least the number of fields. */
enum { CW_OUTPUT_FIELDS_MAX = 64 };

/* A record, and the file that its body was put in; NULL: none. */
typedef struct cw_output_source {
    const crawl_record *record;
    const char *body;
} cw_output_source;

typedef struct cw_output_value cw_output_value;

/* The type of the member of crawl_record that a field is. */
typedef enum cw_output_type {
    CW_OUTPUT_OF_MADE,  /* none: get and put make the value */
    CW_OUTPUT_OF_TEXT,  /* a slice, whatever it holds */
    CW_OUTPUT_OF_SLICE, /* a slice; of this and of all below, empty is no value */
    CW_OUTPUT_OF_JSON,  /* a slice of JSON */
    CW_OUTPUT_OF_WORDS, /* a string */
    CW_OUTPUT_OF_FLAG,  /* a bool, of which only true is a value */
    CW_OUTPUT_OF_INT,
    CW_OUTPUT_OF_U32,
    CW_OUTPUT_OF_SIZE,
    CW_OUTPUT_OF_U64,
} cw_output_type;

typedef struct cw_output_field {
    const char *name;
    cw_output_type type;
    bool may_lack; /* without a value it is left out of a line of JSON; otherwise null stands there */
    size_t offset; /* of the member */
    void (*get)(const cw_output_source *of, cw_output_value *value);
    bool (*put)(const cw_output_source *of, cw_writer *json); /* as a list or an object; false: there is none */
} cw_output_field;

extern const cw_output_field cw_output_fields[];
extern const size_t cw_output_field_count;

/* The field of that name; NULL: there is none. */
const cw_output_field *cw_output_field_find(crawl_slice name);

/* Appends what the field has in a line of JSON: a comma, its name and its value. A field that would say nothing is null
 * or left out, as docs/records.md has it. */
void cw_output_field_json(const cw_output_field *field, const cw_output_source *of, cw_writer *line);
/* Appends its cell of CSV. Lists of words have spaces between them; all else that is no single value is JSON. */
void cw_output_field_csv(const cw_output_field *field, const cw_output_source *of, cw_writer *row);

/* Appends a cell of CSV: bytes that are no UTF-8 become U+FFFD. */
void cw_output_put_cell(cw_writer *row, crawl_slice text);
