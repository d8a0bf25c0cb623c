#include "tools/common/input_lines.h"

#include "base/bytes.h"

/* Bytes read beyond the longest line, for a byte order mark before it and a CR after it, which do not count. */
enum { MARK_SIZE = 3, AROUND = MARK_SIZE + 1 };

crawl_slice cw_tool_without_mark(crawl_slice text)
{
    return cw_starts_with(text, "\xef\xbb\xbf") ? crawl_slice_of(text.data + MARK_SIZE, text.size - MARK_SIZE) : text;
}

void cw_tool_line_free(cw_tool_line_reader *lines)
{
    crawl_buf_free(&lines->text);
}

/* Reads a piece of a line, up to its LF or the end of in, of at most `most` bytes. *last is LF or EOF, or 0 if the line
 * goes on. Returns the size. fgets does not return it, and a line may contain NULs, so the piece is filled with LFs
 * first, which show the end. */
static size_t input_lines_read_piece(FILE *in, char *piece, size_t most, int *last)
{
    memset(piece, '\n', most);
    *last = EOF;
    if (!fgets_unlocked(piece, (int)most, in))
        return 0;
    const char *end = memchr(piece, '\n', most);
    if (!end) {
        *last = 0;
        return most - 1;
    }
    size_t size = (size_t)(end - piece);
    if (size + 1 == most || end[1] != '\0') /* our LF, after the NUL of fgets */
        return size - 1;
    *last = '\n';
    return size;
}

/* Reads a line, and keeps as much as fits. */
static crawl_err input_read_line(cw_tool_line_reader *lines, int *last)
{
    char piece[1024];
    size_t room = lines->longest + AROUND + 1;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&lines->text);
    do {
        size_t size = input_lines_read_piece(lines->in, piece, sizeof piece, last);
        size_t kept = size < room ? size : room;
        err = crawl_buf_append(&lines->text, piece, kept);
        room -= kept;
    } while (!err && !*last);
    return err;
}

cw_tool_line cw_tool_line_next(cw_tool_line_reader *lines, crawl_slice *line)
{
    int last;
    if (input_read_line(lines, &last))
        return CW_LINES_NO_MEMORY;
    if (ferror(lines->in))
        return CW_LINES_FAILED;
    if (last == EOF && !lines->text.size)
        return CW_LINES_END;
    crawl_slice text = crawl_buf_slice(&lines->text);
    lines->ended = last == '\n';
    if (lines->number++ == 0)
        text = cw_tool_without_mark(text);
    if (text.size && text.data[text.size - 1] == '\r')
        text.size--;
    if (text.size > lines->longest)
        return CW_LINE_TOO_LONG;
    *line = text;
    return CW_LINE_READ;
}
