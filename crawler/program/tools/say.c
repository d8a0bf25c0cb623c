/* See say.h. */
#include "crawler/program/tools/say.h"

void cw_tool_escape_print(crawl_slice text, FILE *out)
{
    char piece[CW_ESCAPE_PIECE];
    while (text.size) {
        size_t size = cw_escape_take(&text, piece);
        fwrite(piece, 1, size, out);
    }
}

/* A message is cut to 2 KiB, which is room for any message and a URL. Without memory, quoted texts are left out. */
void cw_tool_say(const char *tool, const char *format, ...)
{
    char text[2048];
    crawl_buf line = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool whole = !crawl_buf_printf(&line, tool ? "crawl %s: " : "crawl: ", tool) &&
                 !cw_escape(crawl_slice_from(text), &line) && !crawl_buf_append_char(&line, '\n');
    fputs(whole ? line.data : "crawl: out of memory\n", stderr);
    crawl_buf_free(&line);
}
