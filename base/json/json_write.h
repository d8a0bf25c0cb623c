/* Writes JSON directly as text. Records, links and lines of the request log are many and small: building, printing and
 * freeing a tree for each would take longer than all other work on such a line. The text is byte for byte what
 * jansson's json_dumps writes with JSON_COMPACT, so a reader cannot tell which of the two wrote a line. The caller
 * writes names, commas and braces: each function takes the text before the value. */
#pragma once

#include "base/writer.h"

/* Writes a string in quotes; each byte that is not part of a UTF-8 character becomes U+FFFD. */
void cw_json_put_text(cw_writer *writer, crawl_slice text);
void cw_json_put_int(cw_writer *writer, int64_t number);
/* Writes a finite number with at most nine significant digits. */
void cw_json_put_real(cw_writer *writer, double number);

static inline void cw_json_text(cw_writer *writer, const char *before, crawl_slice text)
{
    cw_put_text(writer, before);
    cw_json_put_text(writer, text);
}

/* Writes null for an empty text. */
static inline void cw_json_text_or_null(cw_writer *writer, const char *before, crawl_slice text)
{
    cw_put_text(writer, before);
    if (text.size)
        cw_json_put_text(writer, text);
    else
        cw_put_text(writer, "null");
}

/* Writes null for "" and NULL. */
static inline void cw_json_words(cw_writer *writer, const char *before, const char *words)
{
    cw_json_text_or_null(writer, before, crawl_slice_from(words));
}

static inline void cw_json_int(cw_writer *writer, const char *before, int64_t number)
{
    cw_put_text(writer, before);
    cw_json_put_int(writer, number);
}

static inline void cw_json_bool(cw_writer *writer, const char *before, bool is_true)
{
    cw_put_text(writer, before);
    cw_put_text(writer, is_true ? "true" : "false");
}
