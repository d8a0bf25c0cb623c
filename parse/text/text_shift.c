#include "parse/text/text_shift.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* Is the character one of a number that stands above or below the one before it? */
bool cw_text_shift_takes(cw_text_writer *writer, char c)
{
    const crawl_buf *out = writer->out;
    bool is_behind = out->size > writer->start &&
                     (cw_is_digit((unsigned char)out->data[out->size - 1]) || out->size == writer->shifted_at);
    return is_behind && (cw_is_digit((unsigned char)c) || c == '-' || c == '+');
}

/* Unicode has such digits and signs: U+2070 and U+2080 on. */
crawl_err cw_text_shift_write(cw_text_writer *writer, char c)
{
    char text[4];
    uint32_t code = c == '+' ? 0xa : c == '-' ? 0xb : (uint32_t)(c - '0');
    bool is_raised = writer->shift == CW_SHIFT_RAISED;
    code = is_raised && code == 1               ? 0xb9
           : is_raised && code > 1 && code <= 3 ? 0xb0 + code
                                                : (is_raised ? 0x2070 : 0x2080) + code;
    crawl_err err = crawl_buf_append(writer->out, text, cw_utf8_encode(code, text));
    writer->shifted_at = writer->out->size;
    return err;
}

/* What stands behind the reading of a ruby is apart from it, but for the parenthesis that ends it. */
void cw_text_shift_end_reading(cw_text_writer *writer, crawl_slice next)
{
    writer->after_reading = false;
    if (!cw_starts_with(next, ")") && !cw_starts_with(next, "\xef\xbc\x89"))
        cw_text_writer_space(writer);
}

void cw_text_writer_begin_reading(cw_text_writer *writer)
{
    size_t size = writer->out->size - writer->start;
    crawl_slice text = size ? crawl_slice_of(writer->out->data + writer->start, size) : (crawl_slice){0};
    writer->after_reading = false;
    if (!cw_ends_with(text, "(") && !cw_ends_with(text, "\xef\xbc\x88"))
        cw_text_writer_space(writer);
}

void cw_text_writer_end_reading(cw_text_writer *writer)
{
    writer->after_reading = true;
}

void cw_text_writer_shift(cw_text_writer *writer, cw_text_shift shift)
{
    writer->shift = (uint8_t)(writer->space || writer->line || writer->is_pre ? CW_SHIFT_NONE : shift);
}
