/* Structured fields of any bytes, read in each form. Besides memory safety, checks that members follow each other
 * inside the field, that a field written out after reading reads as the same, and that every Item is also a List. */
#include "base/structured.h"

#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void put(crawl_buf *out, const char *before, crawl_slice text, const char *after)
{
    require(!crawl_buf_append(out, before, strlen(before)) && !crawl_buf_append(out, text.data, text.size) &&
            !crawl_buf_append(out, after, strlen(after)));
}

static void put_members(cw_structured at, const char *between, crawl_buf *out);

static void put_number(const cw_structured_value *value, crawl_buf *out)
{
    long long whole = value->number / 1000;
    long long rest = value->number % 1000;
    bool is_negative = value->number < 0;
    if (value->type == CW_STRUCTURED_DECIMAL)
        require(!crawl_buf_printf(out, "%s%lld.%03lld", is_negative ? "-" : "", llabs(whole), llabs(rest)));
    else
        require(!crawl_buf_printf(out, "%lld", (long long)value->number));
}

static void put_value(const cw_structured_value *value, crawl_buf *out)
{
    switch (value->type) {
    case CW_STRUCTURED_STRING:
        put(out, "\"", value->text, "\"");
        break;
    case CW_STRUCTURED_TOKEN:
        put(out, "", value->text, "");
        break;
    case CW_STRUCTURED_BYTES:
        put(out, ":", value->text, ":");
        break;
    case CW_STRUCTURED_DISPLAY:
        put(out, "%\"", value->text, "\"");
        break;
    case CW_STRUCTURED_BOOLEAN:
        require(!crawl_buf_printf(out, "?%d", (int)value->number));
        break;
    case CW_STRUCTURED_DATE:
        require(!crawl_buf_append(out, "@", 1));
        put_number(value, out);
        break;
    case CW_STRUCTURED_MEMBERS:
        require(!crawl_buf_append(out, "(", 1));
        put_members(cw_structured_inside(value), " ", out);
        require(!crawl_buf_append(out, ")", 1));
        break;
    default:
        put_number(value, out);
    }
}

static void check_text(const cw_structured_value *value)
{
    crawl_buf text = {0};
    bool has_text = cw_structured_text(value, &text) == CRAWL_OK;
    require(has_text == (value->type >= CW_STRUCTURED_STRING && value->type <= CW_STRUCTURED_BYTES) ||
            value->type == CW_STRUCTURED_DISPLAY);
    crawl_slice got = crawl_buf_slice(&text);
    require(got.size <= value->text.size);
    require(value->type == CW_STRUCTURED_BYTES || cw_utf8_valid_prefix(got) == got.size);
    crawl_buf_free(&text);
}

static void put_members(cw_structured at, const char *between, crawl_buf *out)
{
    cw_structured_item item;
    crawl_slice key;
    cw_structured_value value;
    size_t before = at.rest.size + 1;
    for (bool first = true; cw_structured_next(&at, &item); first = false) {
        require(at.rest.size < before);
        before = at.rest.size;
        put(out, first ? "" : between, item.key, item.key.size ? "=" : "");
        put_value(&item.value, out);
        check_text(&item.value);
        for (crawl_slice rest = item.parameters; cw_structured_parameter(&rest, &key, &value);) {
            put(out, ";", key, "=");
            put_value(&value, out);
            check_text(&value);
        }
    }
    require(!at.is_broken && !at.rest.size);
}

static bool check(crawl_slice field, cw_structured_form form, crawl_buf *out)
{
    cw_structured at;
    if (!cw_structured_open(field, form, &at))
        return false;
    put_members(at, ", ", out);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_slice field = crawl_slice_of((const char *)data, size);
    bool reads[3];
    for (int form = CW_STRUCTURED_ITEM; form <= CW_STRUCTURED_DICTIONARY; form++) {
        crawl_buf once = {0};
        crawl_buf twice = {0};
        reads[form] = check(field, (cw_structured_form)form, &once);
        if (reads[form]) {
            require(check(crawl_buf_slice(&once), (cw_structured_form)form, &twice));
            require(crawl_slice_equal(crawl_buf_slice(&once), crawl_buf_slice(&twice)));
        }
        crawl_buf_free(&once);
        crawl_buf_free(&twice);
    }
    require(!reads[CW_STRUCTURED_ITEM] || reads[CW_STRUCTURED_LIST]);
    return 0;
}
