#include "tools/list/condition.h"

#include "base/bytes.h"

#include <stdlib.h>

/* The longest sign first, where one begins like another. */
static const struct {
    const char *sign;
    unsigned relation;
    bool is_negated;
} signs[] = {
    {"!=", CW_LIST_EQUAL, true},
    {"!~", CW_LIST_CONTAINS, true},
    {"<=", CW_LIST_LESS | CW_LIST_EQUAL, false},
    {">=", CW_LIST_MORE | CW_LIST_EQUAL, false},
    {"=", CW_LIST_EQUAL, false},
    {"~", CW_LIST_CONTAINS, false},
    {"<", CW_LIST_LESS, false},
    {">", CW_LIST_MORE, false},
};

/* Reads the sign and the value behind a field's name. False: there is no sign. */
static bool read_relation(crawl_slice rest, cw_list_condition *out)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!cw_take_text(&rest, signs[i].sign))
            continue;
        out->relation = signs[i].relation;
        out->is_negated = signs[i].is_negated;
        out->value = rest;
        return true;
    }
    return false;
}

/* text ends with a NUL, since it is the end of a word of the command line. */
static void condition_read_number(cw_list_condition *out)
{
    char *end = NULL;
    bool begins = out->value.size && (cw_is_digit((unsigned char)*out->value.data) || *out->value.data == '-');
    out->number = begins ? strtod(out->value.data, &end) : 0;
    out->is_number = begins && end == out->value.data + out->value.size;
}

crawl_err cw_list_condition_read(const char *text, cw_list_fields *fields, cw_list_condition *out)
{
    crawl_slice rest = crawl_slice_from(text);
    *out = (cw_list_condition){.relation = CW_LIST_THERE};
    bool is_not = cw_take_text(&rest, "!");
    crawl_slice name = cw_take(&rest, cw_find_any(rest, "=<>~!"));
    bool has_sign = read_relation(rest, out);
    if (rest.size && (!has_sign || is_not))
        return CRAWL_EINVAL;
    out->is_negated |= is_not;
    condition_read_number(out);
    return cw_list_field_add(fields, name, &out->field);
}

static bool condition_contains(crawl_slice text, crawl_slice part)
{
    for (size_t at = 0; at + part.size <= text.size; at++)
        if (cw_equal_nocase(crawl_slice_of(text.data + at, part.size), part))
            return true;
    return false;
}

/* As memcmp, and a text goes before those that begin with it. */
static int condition_compare(crawl_slice a, crawl_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static unsigned relation_of(int order)
{
    return order < 0 ? CW_LIST_LESS : order > 0 ? CW_LIST_MORE : CW_LIST_EQUAL;
}

/* Numbers are compared as numbers, everything else as text, in which dates of this program have their order. What is
 * not there is neither less nor more than anything. */
static bool is_met_by(const cw_list_condition *c, const cw_json_value *value, cw_list_fields *fields)
{
    bool is_number = value->kind == CW_JSON_NUMBER;
    crawl_slice text = cw_list_text(fields, value);
    if (c->relation == CW_LIST_CONTAINS)
        return condition_contains(text, c->value);
    if (c->relation != CW_LIST_EQUAL && (!text.size || c->is_number != is_number))
        return false;
    double number = cw_json_number(value);
    int order =
        c->is_number && is_number ? (number > c->number) - (number < c->number) : condition_compare(text, c->value);
    return (c->relation & relation_of(order)) != 0;
}

static bool is_met_by_one(const cw_list_condition *c, crawl_slice array, cw_list_fields *fields)
{
    cw_json_value element;
    while (cw_json_next_element(&array, &element))
        if (is_met_by(c, &element, fields))
            return true;
    return false;
}

bool cw_list_condition_met(const cw_list_condition *c, cw_list_fields *fields)
{
    const cw_json_value *value = &fields->values[c->field];
    bool is_met = c->relation == CW_LIST_THERE   ? cw_list_is_something(value)
                  : value->kind == CW_JSON_ARRAY ? is_met_by_one(c, value->bytes, fields)
                                                 : is_met_by(c, value, fields);
    return is_met != c->is_negated;
}
