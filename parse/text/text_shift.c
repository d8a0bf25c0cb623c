#include "parse/text/text_shift.h"

#include "base/bytes.h"
#include "base/utf8.h"

size_t cw_text_shift_takes(const cw_text_writer *writer, crawl_slice text)
{
    char c = text.data[0];
    bool is_minus = cw_starts_with(text, "\xe2\x88\x92") || cw_starts_with(text, "\xe2\x80\x93");
    const crawl_buf *out = writer->out;
    bool is_behind = out->size > writer->start &&
                     (cw_is_digit((unsigned char)out->data[out->size - 1]) || out->size == writer->shifted_at);
    if (!is_behind || !(is_minus || cw_is_digit((unsigned char)c) || c == '-' || c == '+'))
        return 0;
    return is_minus ? 3 : 1;
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
