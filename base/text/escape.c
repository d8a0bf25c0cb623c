#include "base/text/escape.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <stdio.h>

size_t cw_escape_take(crawl_slice *rest, char piece[CW_ESCAPE_PIECE])
{
    cw_utf8 next = cw_utf8_next(rest->data, rest->data + rest->size);
    bool control = next.code < ' ' || (next.code >= 0x7f && next.code < 0xa0);
    crawl_slice taken = cw_take(rest, next.size);
    if (!next.broken && !control) {
        memcpy(piece, taken.data, taken.size);
        return taken.size;
    }
    size_t size = 0;
    for (size_t i = 0; i < taken.size; i++)
        size += (size_t)snprintf(piece + size, CW_ESCAPE_PIECE - size, "\\x%02x", (unsigned char)taken.data[i]);
    return size;
}

crawl_err cw_escape(crawl_slice text, crawl_buf *out)
{
    char piece[CW_ESCAPE_PIECE];
    crawl_err err = crawl_buf_reserve(out, text.size);
    while (text.size && !err) {
        size_t size = cw_escape_take(&text, piece);
        err = crawl_buf_append(out, piece, size);
    }
    return err;
}

cw_excerpt cw_excerpt_of(crawl_slice text)
{
    cw_excerpt excerpt;
    char piece[CW_ESCAPE_PIECE];
    size_t shown = 0;
    while (text.size) {
        size_t size = cw_escape_take(&text, piece);
        if (shown + size > CW_EXCERPT) {
            memcpy(excerpt.text + shown, "...", 4);
            return excerpt;
        }
        memcpy(excerpt.text + shown, piece, size);
        shown += size;
    }
    excerpt.text[shown] = '\0';
    return excerpt;
}
