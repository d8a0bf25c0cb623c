/* Growing buffers of text and bytes, the base of all output: see <crawl/base.h> and writer.h. */
#include "base/array.h"
#include "base/writer.h"

#include <stdio.h>
#include <stdlib.h>

void crawl_buf_free(crawl_buf *buf)
{
    free(buf->data);
    *buf = (crawl_buf){0};
}

crawl_err crawl_buf_reserve(crawl_buf *buf, size_t more)
{
    if (more < buf->capacity - buf->size)
        return CRAWL_OK;
    if (more >= SIZE_MAX / 4 - buf->size)
        return CRAWL_ENOMEM;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 64;
    while (capacity <= buf->size + more)
        capacity *= 2;
    char *data = realloc(buf->data, capacity);
    if (!data)
        return CRAWL_ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return CRAWL_OK;
}

crawl_err crawl_buf_append(crawl_buf *buf, const void *data, size_t size)
{
    crawl_err err = crawl_buf_reserve(buf, size);
    if (err)
        return err;
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
    return CRAWL_OK;
}

crawl_err crawl_buf_append_char(crawl_buf *buf, char c)
{
    return crawl_buf_append(buf, &c, 1);
}

crawl_err crawl_buf_append_text(crawl_buf *buf, const char *text)
{
    return crawl_buf_append(buf, text, strlen(text));
}

crawl_err cw_buf_vprintf(crawl_buf *buf, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0)
        return CRAWL_EINVAL;
    crawl_err err = crawl_buf_reserve(buf, (size_t)size);
    if (err)
        return err;
    vsnprintf(buf->data + buf->size, (size_t)size + 1, format, arguments);
    buf->size += (size_t)size;
    return CRAWL_OK;
}

crawl_err crawl_buf_printf(crawl_buf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    crawl_err err = cw_buf_vprintf(buf, format, arguments);
    va_end(arguments);
    return err;
}

void cw_put_format(cw_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!writer->err)
        writer->err = cw_buf_vprintf(writer->out, format, arguments);
    va_end(arguments);
}

crawl_err cw_array_resize(void *array, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / size)
        return CRAWL_ENOMEM;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count ? count : 1) * size);
    if (!items)
        return CRAWL_ENOMEM;
    memcpy(array, &items, sizeof items);
    return CRAWL_OK;
}

crawl_err cw_array_reserve(void *array, size_t *capacity, size_t count, size_t first, size_t size)
{
    if (count > SIZE_MAX / 2)
        return CRAWL_ENOMEM;
    size_t more = *capacity ? *capacity : first;
    while (more < count)
        more *= 2;
    if (cw_array_resize(array, more, size))
        return CRAWL_ENOMEM;
    *capacity = more;
    return CRAWL_OK;
}
