/* See words.h. */
#include "crawler/program/words.h"

#include "crawler/program/tools/io.h"

void cw_words_add(cw_words *words, const char *format, ...)
{
    va_list arguments;
    if (words->err)
        return;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    words->err = size < 0 ? CRAWL_EINVAL : crawl_buf_reserve(&words->text, (size_t)size);
    if (words->err)
        return;
    va_start(arguments, format);
    vsnprintf(words->text.data + words->text.size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    words->text.size += (size_t)size;
}

void cw_words_bytes(cw_words *words, crawl_slice bytes)
{
    if (!words->err)
        words->err = crawl_buf_append(&words->text, bytes.data, bytes.size);
}

void cw_words_json(cw_words *words, crawl_slice text)
{
    if (!words->err)
        words->err = cw_tool_json_append_text(&words->text, text);
}

void cw_words_clear(cw_words *words)
{
    crawl_buf_clear(&words->text);
    words->err = CRAWL_OK;
}

void cw_words_free(cw_words *words)
{
    crawl_buf_free(&words->text);
    words->err = CRAWL_OK;
}
