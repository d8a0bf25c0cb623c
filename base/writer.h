/* Writes a text piece by piece. The first failure is remembered and nothing is written after it, so that a function
 * with many pieces needs one check, at the end. */
#pragma once

#include <crawl/base.h>

/* As crawl_buf_printf, with a va_list. */
crawl_err cw_buf_vprintf(crawl_buf *buf, const char *format, va_list arguments);

/* `{out}` appends to out. */
typedef struct cw_writer {
    crawl_buf *out;
    crawl_err err;
} cw_writer;

/* Copies inline if there is room, so that the size of a constant text is known to the compiler. */
static inline void cw_put(cw_writer *writer, crawl_slice text)
{
    crawl_buf *out = writer->out;
    if (writer->err)
        return;
    if (!text.size || text.size >= out->capacity - out->size) {
        writer->err = crawl_buf_append(out, text.data, text.size);
        return;
    }
    memcpy(out->data + out->size, text.data, text.size);
    out->size += text.size;
    out->data[out->size] = '\0';
}

static inline void cw_put_text(cw_writer *writer, const char *text)
{
    cw_put(writer, crawl_slice_from(text));
}

/* Return the present size, and cut the text back to an earlier size. A failure remains. */
static inline size_t cw_writer_size(const cw_writer *writer)
{
    return writer->out->size;
}

static inline void cw_writer_cut(cw_writer *writer, size_t size)
{
    writer->out->size = size;
    if (writer->out->data)
        writer->out->data[size] = '\0';
}

void cw_put_format(cw_writer *writer, const char *format, ...) CRAWL_PRINTF(2, 3);

static inline void cw_put_char(cw_writer *writer, char c)
{
    cw_put(writer, crawl_slice_of(&c, 1));
}
