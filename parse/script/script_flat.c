/* JSON whose values refer to each other by number: see cw_script_find_flat. */
#include "parse/script/script_find.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/json/pick.h"
#include "parse/script/script_url.h"

#include <stdlib.h>

/* Values of a document that are read. */
enum { MAX_VALUES = 100000 };

#define AS_PICKED(name) CW_JSON_NAME(#name),

static const crawl_slice flat_names[] = {CW_SCRIPT_VALUES(AS_PICKED)};
enum { FLAT_NAMES = sizeof flat_names / sizeof flat_names[0] };

typedef struct flat_values {
    cw_json_value *list;
    size_t count;
    size_t capacity;
    crawl_buf decoded;
} flat_values;

static crawl_err flat_split(crawl_slice rest, flat_values *values)
{
    cw_json_value value;
    crawl_err err = CRAWL_OK;
    while (!err && values->count < MAX_VALUES && cw_json_next_element(&rest, &value)) {
        err = CW_ARRAY_RESERVE(values->list, values->capacity, values->count + 1, 256);
        if (!err)
            values->list[values->count++] = value;
    }
    return err;
}

/* Returns the text that a number stands for; empty: none. */
static crawl_slice flat_text(flat_values *values, const cw_json_value *place)
{
    double number = place->kind == CW_JSON_NUMBER ? cw_json_number(place) : -1;
    if (number < 0 || number >= (double)values->count)
        return (crawl_slice){0};
    const cw_json_value *value = &values->list[(size_t)number];
    crawl_buf_clear(&values->decoded);
    bool fits = value->kind == CW_JSON_STRING && value->bytes.size <= CW_SCRIPT_MAX_URL &&
                !crawl_buf_reserve(&values->decoded, value->bytes.size + 1);
    return fits ? cw_json_decoded(value, &values->decoded) : (crawl_slice){0};
}

static crawl_err flat_take_object(flat_values *values, crawl_slice object, const cw_script_finder *finder)
{
    cw_json_value picked[FLAT_NAMES];
    crawl_err err = CRAWL_OK;
    if (!cw_json_pick(object, flat_names, FLAT_NAMES, picked))
        return err;
    for (int i = 0; i < FLAT_NAMES && !err; i++) {
        crawl_slice text = flat_text(values, &picked[i]);
        if (text.size && cw_script_is_named_url(text, i))
            err = finder->found(finder->user, text, i);
    }
    return err;
}

crawl_err cw_script_find_flat(crawl_slice text, const cw_script_finder *finder)
{
    flat_values values = {0};
    text = cw_trim(text);
    if (text.size < 2 || text.data[0] != '[' || text.data[text.size - 1] != ']')
        return CRAWL_OK;
    crawl_err err = flat_split(text, &values);
    for (size_t i = 0; i < values.count && !err; i++)
        if (values.list[i].kind == CW_JSON_OBJECT)
            err = flat_take_object(&values, values.list[i].bytes, finder);
    crawl_buf_free(&values.decoded);
    free(values.list);
    return err;
}
