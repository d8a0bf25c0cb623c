#include "tools/mcp/mcp.h"

static bool arguments_refuse(char wrong[256], const char *name, const char *expected)
{
    snprintf(wrong, 256, "%.40s: expected %.180s", name, expected);
    return false;
}

static bool arguments_has_type(const json_t *value, const char *type)
{
    if (strcmp(type, "string") == 0)
        return json_is_string(value);
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value);
    return strcmp(type, "boolean") == 0 ? json_is_boolean(value) : json_is_array(value);
}

static bool arguments_check_number(const json_t *schema, const char *name, const json_t *value, char wrong[256])
{
    char range[64];
    const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
    json_int_t number = json_integer_value(value);
    if ((!least || number >= json_integer_value(least)) && (!most || number <= json_integer_value(most)))
        return true;
    snprintf(range, sizeof range, most ? "a number from %lld to %lld" : "a number from %lld on",
             (long long)json_integer_value(least), (long long)json_integer_value(most));
    return arguments_refuse(wrong, name, range);
}

static bool arguments_check_text(const json_t *schema, const char *name, const json_t *value, char wrong[256])
{
    char expected[160] = "one of";
    const json_t *most = json_object_get(schema, "maxLength"), *words = json_object_get(schema, "enum"), *word;
    size_t i;
    if (most && json_string_length(value) > (size_t)json_integer_value(most))
        return arguments_refuse(wrong, name, "a shorter text");
    if (strlen(json_string_value(value)) != json_string_length(value))
        return arguments_refuse(wrong, name, "a text without NUL");
    if (!words)
        return true;
    json_array_foreach(words, i, word)
    {
        if (json_equal(word, value))
            return true;
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, " %s", json_string_value(word));
    }
    return arguments_refuse(wrong, name, expected);
}

static bool arguments_check_value(const json_t *schema, const char *name, const json_t *value, char wrong[256])
{
    char expected[64];
    const char *type = json_string_value(json_object_get(schema, "type"));
    const json_t *least = json_object_get(schema, "minItems"), *most = json_object_get(schema, "maxItems"), *item;
    size_t i;
    if (!arguments_has_type(value, type))
        return arguments_refuse(wrong, name, type);
    if (json_is_integer(value))
        return arguments_check_number(schema, name, value, wrong);
    if (json_is_string(value))
        return arguments_check_text(schema, name, value, wrong);
    if (!json_is_array(value))
        return true;
    if (json_array_size(value) < (size_t)json_integer_value(least) ||
        json_array_size(value) > (size_t)json_integer_value(most)) {
        snprintf(expected, sizeof expected, "%lld to %lld of them", (long long)json_integer_value(least),
                 (long long)json_integer_value(most));
        return arguments_refuse(wrong, name, expected);
    }
    json_array_foreach(value, i, item)
    {
        if (!json_is_string(item))
            return arguments_refuse(wrong, name, "a list of strings");
        if (!arguments_check_text(json_object_get(schema, "items"), name, item, wrong))
            return false;
    }
    return true;
}

/* Returns the integer that 1.0 is (JSON Schema 2020-12, validation, 6.1.1), or value. */
static json_t *arguments_settle(json_t *arguments, const char *name, json_t *value)
{
    static const double most = 9e15; /* about the largest that JSON is sure to carry exactly */
    double number = json_real_value(value);
    if (!json_is_real(value) || number < -most || number > most || number != (double)(json_int_t)number)
        return value;
    json_object_set_new(arguments, name, json_integer((json_int_t)number));
    return json_object_get(arguments, name);
}

bool cw_mcp_arguments_check(const json_t *schema, json_t *arguments, char wrong[256])
{
    const json_t *properties = json_object_get(schema, "properties"), *required;
    void *next;
    const char *name;
    json_t *value;
    size_t i;
    json_object_foreach_safe(arguments, next, name, value)
    {
        const json_t *property = json_object_get(properties, name);
        if (!property) {
            snprintf(wrong, 256, "%.40s: no such argument", name);
            return false;
        }
        if (json_is_null(value))
            json_object_del(arguments, name);
        else if (!arguments_check_value(property, name, arguments_settle(arguments, name, value), wrong))
            return false;
    }
    json_array_foreach(json_object_get(schema, "required"), i, required)
    {
        if (!json_object_get(arguments, json_string_value(required)))
            return arguments_refuse(wrong, json_string_value(required), "a value");
    }
    return true;
}

json_int_t cw_mcp_number(const cw_mcp_job *job, const char *name, json_int_t fallback)
{
    const json_t *value = json_object_get(job->arguments, name);
    return value ? json_integer_value(value) : fallback;
}

bool cw_mcp_flag(const cw_mcp_job *job, const char *name)
{
    return json_is_true(json_object_get(job->arguments, name));
}

const char *cw_mcp_word(const cw_mcp_job *job, const char *name, const char *fallback)
{
    const json_t *value = json_object_get(job->arguments, name);
    return value ? json_string_value(value) : fallback;
}
