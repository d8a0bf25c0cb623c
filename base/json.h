/* JSON that is written as it goes. Records, links and lines of the request log are many and small: a tree of them that
 * is built, printed and freed again takes longer than all else that is done for such a line. What is written is byte
 * for byte what jansson's json_dumps writes with JSON_COMPACT, so that a reader cannot tell which of both wrote a line.
 * Names, commas and braces are no business of these: each value is put with the text that stands before it. */
#ifndef CW_JSON_H
#define CW_JSON_H

#include "base/writer.h"

/* The value alone: a string in quotes, in which each byte that is no part of a UTF-8 character becomes U+FFFD. */
void cw_json_put_text(cw_writer *writer, crawl_slice text);
void cw_json_put_int(cw_writer *writer, int64_t number);
/* Finite; with nine significant digits at most. */
void cw_json_put_real(cw_writer *writer, double number);

static inline void cw_json_text(cw_writer *writer, const char *before, crawl_slice text)
{
    cw_put_text(writer, before);
    cw_json_put_text(writer, text);
}

/* null for a text without bytes. */
static inline void cw_json_text_or_null(cw_writer *writer, const char *before, crawl_slice text)
{
    cw_put_text(writer, before);
    if (text.size)
        cw_json_put_text(writer, text);
    else
        cw_put_text(writer, "null");
}

/* null for "" and NULL. */
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

#endif
