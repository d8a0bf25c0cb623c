#include "base/structured.h"

#include "base/header.h"
#include "base/utf8.h"

/* Each parser here takes its part from the front of *rest and returns true if it was there. After a failure the
 * position of *rest is undefined: the field is invalid. */

static bool structured_take(crawl_slice *rest, char c)
{
    bool there = rest->size && *rest->data == c;
    *rest = cw_drop(*rest, there);
    return there;
}

static void skip_blanks(crawl_slice *rest, bool tabs)
{
    while (structured_take(rest, ' ') || (tabs && structured_take(rest, '\t'))) {
    }
}

/* Removes the leading bytes of this kind from *rest and returns them. */
static crawl_slice take_while(crawl_slice *rest, bool (*is_of)(unsigned char c))
{
    size_t size = 0;
    while (size < rest->size && is_of((unsigned char)rest->data[size]))
        size++;
    return cw_take(rest, size);
}

/* ---- numbers ---- */

enum {
    MAX_DIGITS = 15,       /* of an Integer */
    MAX_WHOLE_DIGITS = 12, /* before the point of a Decimal */
    MAX_FRACTION_DIGITS = 3
};

/* At most MAX_DIGITS digits, which fit an int64_t. */
static int64_t number_of(crawl_slice digits)
{
    int64_t number = 0;
    for (size_t i = 0; i < digits.size; i++)
        number = number * 10 + (digits.data[i] - '0');
    return number;
}

/* Parses the digits after a point, as thousandths. */
static bool field_fraction(crawl_slice *rest, int64_t *thousandths)
{
    crawl_slice digits = cw_take(rest, cw_count_digits(*rest));
    if (!digits.size || digits.size > MAX_FRACTION_DIGITS)
        return false;
    *thousandths = number_of(digits);
    for (size_t i = digits.size; i < MAX_FRACTION_DIGITS; i++)
        *thousandths *= 10;
    return true;
}

static bool field_number(crawl_slice *rest, cw_structured_value *value)
{
    int64_t fraction = 0;
    bool is_negative = structured_take(rest, '-');
    crawl_slice whole = cw_take(rest, cw_count_digits(*rest));
    bool has_point = whole.size && structured_take(rest, '.');
    if (!whole.size || whole.size > (has_point ? MAX_WHOLE_DIGITS : MAX_DIGITS))
        return false;
    if (has_point && !field_fraction(rest, &fraction))
        return false;
    value->type = has_point ? CW_STRUCTURED_DECIMAL : CW_STRUCTURED_INTEGER;
    value->number = has_point ? number_of(whole) * 1000 + fraction : number_of(whole);
    value->number = is_negative ? -value->number : value->number;
    return true;
}

static bool field_date(crawl_slice *rest, cw_structured_value *value)
{
    bool is_date = structured_take(rest, '@') && field_number(rest, value) && value->type == CW_STRUCTURED_INTEGER;
    value->type = CW_STRUCTURED_DATE;
    return is_date;
}

static bool field_boolean(crawl_slice *rest, cw_structured_value *value)
{
    value->type = CW_STRUCTURED_BOOLEAN;
    if (!structured_take(rest, '?'))
        return false;
    value->number = structured_take(rest, '1');
    return value->number || structured_take(rest, '0');
}

/* ---- texts ---- */

static bool structured_is_printable(unsigned char c)
{
    return c >= ' ' && c < 0x7f;
}

static bool field_string(crawl_slice *rest, cw_structured_value *value)
{
    value->type = CW_STRUCTURED_STRING;
    (void)structured_take(rest, '"');
    crawl_slice from = *rest;
    while (!structured_take(rest, '"')) {
        bool is_escaped = structured_take(rest, '\\');
        if (!rest->size || !structured_is_printable((unsigned char)*rest->data))
            return false;
        if (is_escaped && *rest->data != '"' && *rest->data != '\\')
            return false;
        *rest = cw_drop(*rest, 1);
    }
    value->text = crawl_slice_of(from.data, from.size - rest->size - 1);
    return true;
}

/* Returns the value of a lower-case hexadecimal digit; -1: not one. */
static int lower_hex(char c)
{
    return c >= 'A' && c <= 'F' ? -1 : cw_hex_value((unsigned char)c);
}

/* Decodes the first byte of text, plain or as %xx. Returns the bytes it takes; 0: invalid. */
static size_t display_byte(crawl_slice text, char *byte)
{
    if (!text.size || !structured_is_printable((unsigned char)*text.data))
        return 0;
    *byte = *text.data;
    if (*byte != '%')
        return 1;
    int high = text.size > 2 ? lower_hex(text.data[1]) : -1;
    int low = text.size > 2 ? lower_hex(text.data[2]) : -1;
    if (high < 0 || low < 0)
        return 0;
    *byte = (char)(high << 4 | low);
    return 3;
}

/* Takes one character of a Display String, which may consist of several encoded bytes. False: there is none, or it is
 * not UTF-8. */
static bool take_display(crawl_slice *text, char bytes[4], size_t *size)
{
    size_t ends[5] = {0};
    size_t count = 0;
    while (count < 4) {
        crawl_slice rest = cw_drop(*text, ends[count]);
        size_t step = rest.size && *rest.data != '"' ? display_byte(rest, bytes + count) : 0;
        if (!step)
            break;
        ends[count + 1] = ends[count] + step;
        count++;
    }
    cw_utf8 character = count ? cw_utf8_next(bytes, bytes + count) : (cw_utf8){.broken = true};
    if (character.broken)
        return false;
    *size = character.size;
    *text = cw_drop(*text, ends[character.size]);
    return true;
}

static bool field_display(crawl_slice *rest, cw_structured_value *value)
{
    char bytes[4];
    size_t size;
    value->type = CW_STRUCTURED_DISPLAY;
    if (!cw_take_text(rest, "%\""))
        return false;
    crawl_slice from = *rest;
    while (take_display(rest, bytes, &size)) {
    }
    value->text = crawl_slice_of(from.data, from.size - rest->size);
    return structured_take(rest, '"');
}

static bool is_of_token(unsigned char c)
{
    return c == ':' || c == '/' || cw_is_token(crawl_slice_of((const char *)&c, 1));
}

/* Its first character was already checked. */
static bool field_token(crawl_slice *rest, cw_structured_value *value)
{
    value->type = CW_STRUCTURED_TOKEN;
    value->text = take_while(rest, is_of_token);
    return true;
}

/* ---- bytes ---- */

static const char base64_others[] = "+/";

/* Returns the base64 digits at the start of text if only their padding follows. Four digits encode three bytes; a
 * single digit encodes none. */
static bool base64_digits(crawl_slice text, crawl_slice *digits)
{
    size_t size = 0;
    while (size < text.size && cw_base64_value((unsigned char)text.data[size], base64_others) >= 0)
        size++;
    size_t padding = text.size - size;
    *digits = crawl_slice_of(text.data, size);
    for (size_t i = size; i < text.size; i++)
        if (text.data[i] != '=')
            return false;
    return size % 4 != 1 && (!padding || padding == (4 - size % 4) % 4);
}

static bool field_bytes(crawl_slice *rest, cw_structured_value *value)
{
    crawl_slice digits;
    value->type = CW_STRUCTURED_BYTES;
    *rest = cw_drop(*rest, 1);
    value->text = cw_take(rest, cw_find_char(*rest, ':'));
    return structured_take(rest, ':') && base64_digits(value->text, &digits);
}

/* ---- items and their parameters ---- */

static bool field_bare(crawl_slice *rest, cw_structured_value *value)
{
    *value = (cw_structured_value){0};
    char first = rest->size ? *rest->data : '\0';
    switch (first) {
    case '"':
        return field_string(rest, value);
    case ':':
        return field_bytes(rest, value);
    case '?':
        return field_boolean(rest, value);
    case '@':
        return field_date(rest, value);
    case '%':
        return field_display(rest, value);
    default:
        return first == '*' || cw_is_alpha((unsigned char)first) ? field_token(rest, value) : field_number(rest, value);
    }
}

static bool is_of_key(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || cw_is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
}

static bool field_key(crawl_slice *rest, crawl_slice *key)
{
    *key = take_while(rest, is_of_key);
    return key->size && ((*key->data >= 'a' && *key->data <= 'z') || *key->data == '*');
}

static const cw_structured_value structured_true = {.type = CW_STRUCTURED_BOOLEAN, .number = 1};

/* Starts after the semicolon. */
static bool field_parameter(crawl_slice *rest, crawl_slice *key, cw_structured_value *value)
{
    skip_blanks(rest, false);
    *value = structured_true;
    return field_key(rest, key) && (!structured_take(rest, '=') || field_bare(rest, value));
}

static bool field_parameters(crawl_slice *rest, crawl_slice *parameters)
{
    crawl_slice key;
    cw_structured_value value;
    crawl_slice from = *rest;
    while (structured_take(rest, ';'))
        if (!field_parameter(rest, &key, &value))
            return false;
    *parameters = crawl_slice_of(from.data, from.size - rest->size);
    return true;
}

bool cw_structured_parameter(crawl_slice *parameters, crawl_slice *key, cw_structured_value *value)
{
    return structured_take(parameters, ';') && field_parameter(parameters, key, value);
}

bool cw_structured_find(crawl_slice parameters, const char *key, cw_structured_value *value)
{
    crawl_slice name;
    cw_structured_value next;
    bool found = false;
    while (cw_structured_parameter(&parameters, &name, &next)) {
        if (!cw_is(name, key))
            continue;
        found = true;
        *value = next;
    }
    return found;
}

/* ---- members ---- */

/* Reads to the end of an Inner List, which cannot be nested. */
static bool field_inner_list(crawl_slice *rest, cw_structured_value *value)
{
    cw_structured_item item;
    *value = (cw_structured_value){.type = CW_STRUCTURED_MEMBERS};
    (void)structured_take(rest, '(');
    crawl_slice from = *rest;
    for (skip_blanks(rest, false); !structured_take(rest, ')'); skip_blanks(rest, false)) {
        if (!field_bare(rest, &item.value) || !field_parameters(rest, &item.parameters))
            return false;
        if (!rest->size || (*rest->data != ' ' && *rest->data != ')'))
            return false;
    }
    value->text = crawl_slice_of(from.data, from.size - rest->size - 1);
    return true;
}

static bool field_item(crawl_slice *rest, bool may_be_list, cw_structured_item *item)
{
    bool is_list = may_be_list && rest->size && *rest->data == '(';
    bool is_read = is_list ? field_inner_list(rest, &item->value) : field_bare(rest, &item->value);
    return is_read && field_parameters(rest, &item->parameters);
}

static bool field_member(crawl_slice *rest, cw_structured_item *item)
{
    if (!field_key(rest, &item->key))
        return false;
    if (structured_take(rest, '='))
        return field_item(rest, true, item);
    item->value = structured_true;
    return field_parameters(rest, &item->parameters);
}

/* Skips the separator between two members, or the end after the last. */
static bool field_gap(crawl_slice *rest, cw_structured_form form)
{
    bool is_listed = form == CW_STRUCTURED_LIST || form == CW_STRUCTURED_DICTIONARY;
    skip_blanks(rest, is_listed);
    if (!rest->size || form == CW_STRUCTURED_INNER_LIST)
        return true;
    if (!is_listed || !structured_take(rest, ','))
        return false;
    skip_blanks(rest, true);
    return rest->size > 0;
}

bool cw_structured_next(cw_structured *at, cw_structured_item *item)
{
    if (at->is_broken || !at->rest.size)
        return false;
    *item = (cw_structured_item){0};
    bool is_read = at->form == CW_STRUCTURED_DICTIONARY ? field_member(&at->rest, item)
                                                        : field_item(&at->rest, at->form == CW_STRUCTURED_LIST, item);
    at->is_broken = !is_read || !field_gap(&at->rest, at->form);
    return !at->is_broken;
}

bool cw_structured_member(cw_structured dictionary, const char *key, cw_structured_item *item)
{
    cw_structured_item next;
    bool found = false;
    while (cw_structured_next(&dictionary, &next)) {
        if (!cw_is(next.key, key))
            continue;
        found = true;
        *item = next;
    }
    return found;
}

bool cw_structured_open(crawl_slice field, cw_structured_form form, cw_structured *at)
{
    cw_structured_item item;
    skip_blanks(&field, false);
    *at = (cw_structured){.rest = field, .form = form};
    cw_structured look = *at;
    while (cw_structured_next(&look, &item)) {
    }
    return !look.is_broken && (field.size || form != CW_STRUCTURED_ITEM);
}

cw_structured cw_structured_inside(const cw_structured_value *value)
{
    crawl_slice text = value->text;
    skip_blanks(&text, false);
    return (cw_structured){.rest = text, .form = CW_STRUCTURED_INNER_LIST};
}

/* ---- decoding of texts ---- */

static crawl_err append_string(crawl_slice text, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    while (text.size && !err) {
        (void)structured_take(&text, '\\');
        err = crawl_buf_append(out, text.data, 1);
        text = cw_drop(text, 1);
    }
    return err;
}

static crawl_err append_display(crawl_slice text, crawl_buf *out)
{
    char bytes[4];
    size_t size;
    crawl_err err = CRAWL_OK;
    while (!err && take_display(&text, bytes, &size))
        err = crawl_buf_append(out, bytes, size);
    return err;
}

static crawl_err append_bytes(crawl_slice text, crawl_buf *out)
{
    size_t size;
    if (crawl_buf_reserve(out, text.size / 4 * 3 + 3))
        return CRAWL_ENOMEM;
    cw_base64_decode(text, base64_others, out->data + out->size, &size);
    out->size += size;
    out->data[out->size] = '\0';
    return CRAWL_OK;
}

crawl_err cw_structured_text(const cw_structured_value *value, crawl_buf *out)
{
    switch (value->type) {
    case CW_STRUCTURED_TOKEN:
        return crawl_buf_append(out, value->text.data, value->text.size);
    case CW_STRUCTURED_STRING:
        return append_string(value->text, out);
    case CW_STRUCTURED_DISPLAY:
        return append_display(value->text, out);
    case CW_STRUCTURED_BYTES:
        return append_bytes(value->text, out);
    default:
        return CRAWL_EINVAL;
    }
}
