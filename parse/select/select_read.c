/* See select_read.h. The reader has UTF-8 without control characters (select.c checks this), so every non-ASCII byte is
 * part of a name. */
#include "parse/select/select_read.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/css/css_token.h"

#include <stdio.h>

crawl_err cw_select_fail(const cw_select_reader *reader, const char *at, const char *format, ...)
{
    char words[sizeof reader->error->message - 32];
    unsigned column = (unsigned)(at - reader->start) + 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    crawl_error_set(reader->error, CRAWL_EPARSE, "column %u: %s", column, words);
    if (reader->error)
        reader->error->column = column;
    return CRAWL_EPARSE;
}

/* Returns the end of the comment that begins here; an unclosed comment extends to the end of the text. */
static const char *behind_comment(const cw_select_reader *reader)
{
    crawl_slice rest = crawl_slice_of(reader->at + 2, (size_t)(reader->end - reader->at) - 2);
    size_t size = cw_find_text(rest, "*/");
    return size == rest.size ? reader->end : rest.data + size + 2;
}

void cw_select_skip_comments(cw_select_reader *reader)
{
    while (cw_starts_with(crawl_slice_of(reader->at, (size_t)(reader->end - reader->at)), "/*"))
        reader->at = behind_comment(reader);
}

bool cw_select_skip(cw_select_reader *reader)
{
    bool found = false;
    cw_select_skip_comments(reader);
    while (reader->at < reader->end && cw_is_space((unsigned char)*reader->at)) {
        found = true;
        reader->at++;
        cw_select_skip_comments(reader);
    }
    return found;
}

/* ---- names ---- */

static bool is_name_char(char c)
{
    return cw_is_alnum((unsigned char)c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* CSS Syntax 3.3. */
static bool select_read_is_line_end(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static bool select_read_is_escape(const cw_select_reader *reader, const char *at)
{
    return at + 1 < reader->end && *at == '\\' && !select_read_is_line_end(at[1]);
}

static bool is_name_start(const cw_select_reader *reader, const char *at)
{
    return at < reader->end &&
           ((is_name_char(*at) && *at != '-' && !cw_is_digit((unsigned char)*at)) || select_read_is_escape(reader, at));
}

bool cw_select_at_name(const cw_select_reader *reader)
{
    const char *at = reader->at;
    if (at >= reader->end || *at != '-')
        return is_name_start(reader, at);
    return is_name_start(reader, at + 1) || (at + 1 < reader->end && at[1] == '-');
}

/* Replaces a character that XML cannot contain, and so no page, by U+FFFD, like an invalid one. */
static uint32_t character_of(uint32_t code)
{
    bool is_control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
    return is_control || code == 0xfffe || code == 0xffff ? CW_UTF8_REPLACEMENT : code;
}

static crawl_err select_read_take_escape(cw_select_reader *reader, crawl_buf *out)
{
    char bytes[4];
    uint32_t code = character_of(cw_css_take_escape(&reader->at, reader->end));
    return crawl_buf_append(out, bytes, cw_utf8_encode(code, bytes));
}

static crawl_err take_name_chars(cw_select_reader *reader, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    while (!err && reader->at < reader->end) {
        if (select_read_is_escape(reader, reader->at))
            err = select_read_take_escape(reader, out);
        else if (is_name_char(*reader->at))
            err = crawl_buf_append_char(out, *reader->at++);
        else
            break;
    }
    return err;
}

crawl_err cw_select_name(cw_select_reader *reader, const char *what, crawl_buf *out)
{
    if (!cw_select_at_name(reader))
        return cw_select_fail(reader, reader->at, "expected %s", what);
    return take_name_chars(reader, out);
}

crawl_err cw_select_hash(cw_select_reader *reader, crawl_buf *out)
{
    const char *before = reader->at;
    crawl_err err = take_name_chars(reader, out);
    return !err && reader->at == before ? cw_select_fail(reader, before, "expected an id after \"#\"") : err;
}

/* ---- strings ---- */

/* Skips an escaped line end, which has no meaning. */
static bool take_escaped_line(cw_select_reader *reader)
{
    if (reader->end - reader->at < 2 || *reader->at != '\\' || select_read_is_escape(reader, reader->at))
        return false;
    reader->at += reader->end - reader->at > 2 && reader->at[1] == '\r' && reader->at[2] == '\n' ? 3 : 2;
    return true;
}

crawl_err cw_select_string(cw_select_reader *reader, const char *what, crawl_buf *out)
{
    const char *open = reader->at;
    if (!cw_select_is_next(reader, '"') && !cw_select_is_next(reader, '\''))
        return cw_select_name(reader, what, out);
    char quote = *reader->at++;
    crawl_err err = CRAWL_OK;
    while (!err && reader->at < reader->end && *reader->at != quote) {
        if (select_read_is_line_end(*reader->at))
            return cw_select_fail(reader, reader->at, "a string cannot continue on another line");
        if (take_escaped_line(reader))
            continue;
        err = select_read_is_escape(reader, reader->at) ? select_read_take_escape(reader, out)
                                                        : crawl_buf_append_char(out, *reader->at++);
    }
    if (err || cw_select_take(reader, quote))
        return err;
    return cw_select_fail(reader, open, "the string that begins here has no closing %c", quote);
}

crawl_err cw_select_close(cw_select_reader *reader)
{
    cw_select_skip(reader);
    if (cw_select_take(reader, ')'))
        return CRAWL_OK;
    return cw_select_fail(reader, reader->at, "expected \")\"");
}
