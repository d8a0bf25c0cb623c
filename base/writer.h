/* Text that is written piece by piece. The first failure stays and nothing is written after it, so that a story of many
 * pieces needs one look, at its end. */
#ifndef CW_WRITER_H
#define CW_WRITER_H

#include <crawl/base.h>

/* crawl_buf_printf with the arguments as a list. */
crawl_err cw_buf_vprintf(crawl_buf *buf, const char *format, va_list arguments);

/* `{out}` writes to the end of out. */
typedef struct cw_writer {
    crawl_buf *out;
    crawl_err err;
} cw_writer;

static inline void cw_put(cw_writer *writer, crawl_slice text)
{
    if (!writer->err)
        writer->err = crawl_buf_append(writer->out, text.data, text.size);
}

static inline void cw_put_text(cw_writer *writer, const char *text)
{
    cw_put(writer, crawl_slice_from(text));
}

void cw_put_format(cw_writer *writer, const char *format, ...) CRAWL_PRINTF(2, 3);

static inline void cw_put_char(cw_writer *writer, char c)
{
    cw_put(writer, crawl_slice_of(&c, 1));
}

#endif
