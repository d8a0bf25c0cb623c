/* See values.h. */
#include "render/values.h"

#include "base/bytes.h"
#include "base/json/pick.h"

static cw_json_value values_pick(crawl_slice object, crawl_slice name)
{
    cw_json_value value = {0};
    (void)cw_json_pick(object, &name, 1, &value);
    return value;
}

crawl_slice cw_render_text(crawl_slice object, crawl_slice name, crawl_buf *decoded)
{
    cw_json_value value = values_pick(object, name);
    if (value.has_escapes && crawl_buf_reserve(decoded, value.bytes.size))
        return (crawl_slice){0};
    return cw_json_text(&value, decoded);
}

crawl_slice cw_render_value(crawl_slice object, crawl_slice name)
{
    return values_pick(object, name).bytes;
}

double cw_render_number(crawl_slice object, crawl_slice name)
{
    cw_json_value value = values_pick(object, name);
    return value.kind == CW_JSON_NUMBER ? cw_json_number(&value) : 0;
}

bool cw_render_is_true(crawl_slice object, crawl_slice name)
{
    return values_pick(object, name).kind == CW_JSON_TRUE;
}

/* The number of an escape \uXXXX at text[at]; -1: there is none. */
static int32_t values_escape(crawl_slice text, size_t at)
{
    int32_t number = 0;
    if (at + 6 > text.size || text.data[at] != '\\' || text.data[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = cw_hex_value((unsigned char)text.data[i]);
        if (digit < 0)
            return -1;
        number = number << 4 | digit;
    }
    return number;
}

static bool values_is_low(int32_t number)
{
    return number >= 0xdc00 && number <= 0xdfff;
}

/* Replaces what a JSON text may not hold for us, halves of surrogate pairs and NULs as escapes, by U+FFFD in place: a
 * page's texts may have both. */
static void values_mend(crawl_slice text)
{
    char *bytes = (char *)text.data;
    for (size_t at = 0; at + 1 < text.size; at++) {
        if (bytes[at] != '\\')
            continue;
        int32_t number = values_escape(text, at);
        bool is_high = number >= 0xd800 && number < 0xdc00;
        if (is_high && values_is_low(values_escape(text, at + 6)))
            at += 11;
        else if (number == 0 || is_high || values_is_low(number))
            memcpy(bytes + at, "\\ufffd", 6);
        else
            at++;
    }
}

bool cw_render_next(crawl_slice *rest, crawl_slice *element)
{
    cw_json_value value = {0};
    bool is_there = cw_json_next_element(rest, &value);
    *element = value.bytes;
    return is_there;
}

bool cw_render_message_read(crawl_slice text, cw_render_message *out)
{
    enum { ID, METHOD, PARAMS, SESSION, RESULT, ERROR, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("id"),        CW_JSON_NAME("method"), CW_JSON_NAME("params"),
                                             CW_JSON_NAME("sessionId"), CW_JSON_NAME("result"), CW_JSON_NAME("error")};
    cw_json_value values[COUNT];
    if (!cw_json_pick(text, names, COUNT, values)) {
        values_mend(text);
        if (!cw_json_pick(text, names, COUNT, values))
            return false;
    }
    *out = (cw_render_message){.is_reply = values[ID].kind == CW_JSON_NUMBER,
                               .number = values[ID].kind == CW_JSON_NUMBER ? (int64_t)cw_json_number(&values[ID]) : 0,
                               .method = values[METHOD].bytes,
                               .params = values[PARAMS].bytes,
                               .session = values[SESSION].bytes,
                               .result = values[RESULT].bytes,
                               .error = values[ERROR].bytes};
    return out->is_reply || values[METHOD].kind == CW_JSON_STRING;
}

crawl_err cw_render_base64(crawl_slice text, crawl_buf *out)
{
    uint32_t bits = 0;
    unsigned count = 0;
    if (crawl_buf_reserve(out, text.size / 4 * 3 + 3))
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < text.size && text.data[i] != '='; i++) {
        int value = cw_base64_value((unsigned char)text.data[i], "+/");
        if (value < 0)
            return CRAWL_EPARSE;
        bits = bits << 6 | (uint32_t)value;
        if (++count % 4 == 0 || count % 4 == 2 || count % 4 == 3)
            out->data[out->size++] = (char)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    }
    out->data[out->size] = '\0';
    return CRAWL_OK;
}
