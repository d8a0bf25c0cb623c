/* See html_values.h. */
#include "parse/html/html_values.h"

#include "parse/html/html_reference.h"

/* Room for every value before the first is decoded, so that none moves. */
static crawl_err reserve(const cw_html_values *raw, unsigned coded, crawl_buf *storage)
{
    size_t size = 0;
    for (; coded; coded &= coded - 1)
        size += raw->value[__builtin_ctz(coded)].size * CW_HTML_DECODED_GROWTH;
    crawl_buf_clear(storage);
    return crawl_buf_reserve(storage, size);
}

static crawl_err decode(crawl_slice raw, crawl_buf *storage, crawl_slice *value)
{
    size_t start = storage->size;
    crawl_err err = cw_html_decode(storage, raw, CW_IN_ATTRIBUTE);
    *value = crawl_slice_of(storage->data + start, storage->size - start);
    return err;
}

crawl_err cw_html_decode_values(const cw_html_values *raw, crawl_buf *storage, cw_html_values *values)
{
    unsigned coded = 0;
    values->found = 0;
    for (unsigned left = raw->found; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (raw->value[i].size > CW_HTML_MAX_RAW_VALUE)
            continue;
        values->found |= left & -left;
        values->value[i] = raw->value[i];
        if (!cw_html_is_literal(raw->value[i]))
            coded |= left & -left;
    }
    crawl_err err = coded ? reserve(raw, coded, storage) : CRAWL_OK;
    for (; coded && !err; coded &= coded - 1)
        err = decode(raw->value[__builtin_ctz(coded)], storage, &values->value[__builtin_ctz(coded)]);
    return err;
}
