/* Lines of any bytes. The picked members must be those that jansson finds, with the same values, at any depth and in
 * any order of names; text that jansson refuses must be refused. */
#include "base/json/json_read.h"
#include "base/json/pick.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES_MAX = 64 };

static void compare(const cw_json_value *value, const json_t *expected, crawl_buf *decoded);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Returns names of an object in reverse, so that they are looked up in another order than that of the text. */
static size_t names_of(const json_t *object, crawl_slice *names)
{
    size_t count = 0, size;
    const char *name;
    json_t *member;
    json_object_keylen_foreach((json_t *)object, name, size, member)
    {
        if (count < NAMES_MAX)
            names[NAMES_MAX - ++count] = crawl_slice_of(name, size);
    }
    memmove(names, names + NAMES_MAX - count, count * sizeof *names);
    return count;
}

static void compare_object(crawl_slice text, const json_t *object, crawl_buf *decoded)
{
    crawl_slice names[NAMES_MAX + 1];
    cw_json_value values[NAMES_MAX + 1];
    size_t count = names_of(object, names);
    size_t lacking = json_object_get(object, "url") ? 0 : 1;
    names[count] = crawl_slice_from("url");
    require(cw_json_pick(text, names, count + lacking, values));
    require(!lacking || values[count].kind == CW_JSON_MISSING);
    for (size_t i = 0; i < count; i++)
        compare(&values[i], json_object_getn(object, names[i].data, names[i].size), decoded);
}

static void compare_array(crawl_slice rest, const json_t *array, crawl_buf *decoded)
{
    cw_json_value element;
    size_t count = 0;
    for (; cw_json_next_element(&rest, &element); count++)
        compare(&element, json_array_get(array, count), decoded);
    require(count == json_array_size(array));
}

static void compare(const cw_json_value *value, const json_t *expected, crawl_buf *decoded)
{
    static const cw_json_kind kinds[] = {
        [JSON_OBJECT] = CW_JSON_OBJECT,  [JSON_ARRAY] = CW_JSON_ARRAY, [JSON_STRING] = CW_JSON_STRING,
        [JSON_INTEGER] = CW_JSON_NUMBER, [JSON_REAL] = CW_JSON_NUMBER, [JSON_TRUE] = CW_JSON_TRUE,
        [JSON_FALSE] = CW_JSON_FALSE,    [JSON_NULL] = CW_JSON_NULL};
    require(value->kind == kinds[json_typeof(expected)]);
    crawl_slice text = crawl_slice_of(json_string_value(expected), json_string_length(expected));
    require(crawl_slice_equal(cw_json_decoded(value, decoded), text));
    require(cw_json_number(value) == json_number_value(expected));
    if (value->kind == CW_JSON_OBJECT)
        compare_object(value->bytes, expected, decoded);
    else if (value->kind == CW_JSON_ARRAY)
        compare_array(value->bytes, expected, decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_buf text = {0}, decoded = {0};
    crawl_slice no_names[1];
    cw_json_value none[1];
    require(!cw_utf8_repair(crawl_slice_of(data, size), &text) && !crawl_buf_reserve(&decoded, text.size));
    json_t *expected = cw_json_read(crawl_buf_slice(&text), NULL);
    if (json_is_object(expected))
        compare_object(crawl_buf_slice(&text), expected, &decoded);
    else
        require(!cw_json_pick(crawl_buf_slice(&text), no_names, 0, none));
    json_decref(expected);
    crawl_buf_free(&decoded);
    crawl_buf_free(&text);
    return 0;
}
