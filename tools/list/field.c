#include "tools/list/field.h"

#include "base/bytes.h"
#include "base/utf8.h"

void cw_list_fields_free(cw_list_fields *fields)
{
    crawl_buf_free(&fields->decoded);
}

static size_t field_find(const crawl_slice *names, size_t count, crawl_slice name)
{
    size_t i = 0;
    while (i < count && !crawl_slice_equal(names[i], name))
        i++;
    return i;
}

/* Does a name have a part without a byte, as "a..b" does? */
static bool has_empty_part(crawl_slice path)
{
    return !path.size || *path.data == '.' || cw_ends_with(path, ".") || cw_find_text(path, "..") < path.size;
}

crawl_err cw_list_field_add(cw_list_fields *fields, crawl_slice path, size_t *index)
{
    if (has_empty_part(path))
        return CRAWL_EINVAL;
    *index = field_find(fields->paths, fields->count, path);
    if (*index < fields->count)
        return CRAWL_OK;
    if (fields->count == CW_LIST_FIELDS_MAX)
        return CRAWL_FULL;
    crawl_slice rest = path;
    crawl_slice name = cw_cut(&rest, '.');
    size_t top = field_find(fields->names, fields->top_count, name);
    fields->names[top] = name;
    fields->top_count += top == fields->top_count;
    fields->tops[fields->count] = top;
    fields->paths[fields->count++] = path;
    return CRAWL_OK;
}

/* The value to which the rest of a path leads from a member. */
static cw_json_value field_follow(cw_json_value value, crawl_slice path)
{
    cw_cut(&path, '.');
    while (path.size) {
        crawl_slice name = cw_cut(&path, '.');
        cw_json_value inner = {0};
        if (value.kind != CW_JSON_OBJECT || !cw_json_pick(value.bytes, &name, 1, &inner))
            return (cw_json_value){0};
        value = inner;
    }
    return value;
}

crawl_err cw_list_fields_read(cw_list_fields *fields, crawl_slice line)
{
    if (cw_utf8_valid_prefix(line) < line.size ||
        !cw_json_pick(line, fields->names, fields->top_count, fields->members))
        return CRAWL_EPARSE;
    crawl_buf_clear(&fields->decoded);
    if (crawl_buf_reserve(&fields->decoded, line.size + 1))
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < fields->count; i++) {
        fields->values[i] = field_follow(fields->members[fields->tops[i]], fields->paths[i]);
        fields->were_there[i] |= fields->values[i].kind != CW_JSON_MISSING;
    }
    return CRAWL_OK;
}

crawl_slice cw_list_text(cw_list_fields *fields, const cw_json_value *value)
{
    crawl_buf_clear(&fields->decoded);
    switch (value->kind) {
    case CW_JSON_STRING:
        return cw_json_text(value, &fields->decoded);
    case CW_JSON_FALSE:
    case CW_JSON_TRUE:
    case CW_JSON_NUMBER:
    case CW_JSON_OBJECT:
        return value->bytes;
    default:
        return (crawl_slice){0};
    }
}

/* An object without members is as long as its braces where it is written as a crawl does. */
bool cw_list_is_something(const cw_json_value *value)
{
    crawl_slice rest = value->bytes;
    cw_json_value element;
    switch (value->kind) {
    case CW_JSON_TRUE:
        return true;
    case CW_JSON_NUMBER:
        return cw_json_number(value) != 0;
    case CW_JSON_STRING:
        return value->bytes.size > 0;
    case CW_JSON_ARRAY:
        return cw_json_next_element(&rest, &element);
    case CW_JSON_OBJECT:
        return value->bytes.size > strlen("{}");
    default:
        return false;
    }
}
