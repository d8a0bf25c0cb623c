/* See words.h. */
#include "crawler/program/words.h"

#include "base/writer.h"

void cw_words_add(cw_words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!words->err)
        words->err = cw_buf_vprintf(&words->text, format, arguments);
    va_end(arguments);
}

void cw_words_bytes(cw_words *words, crawl_slice bytes)
{
    if (!words->err)
        words->err = crawl_buf_append(&words->text, bytes.data, bytes.size);
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
