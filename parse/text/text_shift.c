#include "parse/text/text_shift.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* Returns the size of the digit or sign that text begins with; 0: it begins with none. */
static size_t text_shift_size(crawl_slice text)
{
    char c = text.size ? text.data[0] : '\0';
    if (cw_starts_with(text, "\xe2\x88\x92") || cw_starts_with(text, "\xe2\x80\x93"))
        return 3;
    return cw_is_digit((unsigned char)c) || c == '-' || c == '+';
}

/* Returns true if a digit or sign at the start of text would be taken for part of the number that `before` ends in. */
static bool text_shift_joins(crawl_slice before, crawl_slice text)
{
    return before.size && cw_is_digit((unsigned char)before.data[before.size - 1]) && text_shift_size(text);
}

bool cw_text_shift_parts(bool *is_shifted, crawl_slice before, crawl_slice added)
{
    bool joins = *is_shifted && text_shift_joins(before, added);
    *is_shifted = *is_shifted && !added.size;
    return joins;
}

size_t cw_text_shift_takes(const cw_text_writer *writer, crawl_slice text)
{
    const crawl_buf *out = writer->out;
    crawl_slice before = cw_drop(crawl_buf_slice(out), writer->start);
    bool is_behind = text_shift_joins(before, text) || (before.size && out->size == writer->shifted_at);
    return is_behind ? text_shift_size(text) : 0;
}

crawl_err cw_text_shift_write(cw_text_writer *writer, char c)
{
    char text[4];
    uint32_t code = c == '+' ? 0xa : cw_is_digit((unsigned char)c) ? (uint32_t)(c - '0') : 0xb;
    bool is_raised = writer->shift == CW_SHIFT_RAISED;
    code = is_raised && code == 1               ? 0xb9
           : is_raised && code > 1 && code <= 3 ? 0xb0 + code
                                                : (is_raised ? 0x2070 : 0x2080) + code;
    crawl_err err = crawl_buf_append(writer->out, text, cw_utf8_encode(code, text));
    writer->shifted_at = writer->out->size;
    return err;
}
