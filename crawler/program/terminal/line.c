#include "crawler/program/terminal/line.h"

#include "crawler/program/summary/units.h"
#include "crawler/program/terminal/columns.h"
#include "crawler/program/terminal/modes.h"
#include "tools/common/messages/message.h"

/* Empties what is drawn, and what a terminal that became narrower has made of it. */
static void line_clear(const cw_terminal_line *line, unsigned columns, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "\r\033[2K");
    for (unsigned left = line->width; left > columns; left -= columns)
        CW_PROGRAM_SAY(out, "\033[A\033[2K");
}

/* What was drawn belongs to others by now. */
static void line_forget(cw_terminal_line *line)
{
    cw_message_draw((crawl_slice){0}, (crawl_slice){0}, (crawl_slice){0});
    line->width = 0;
    cw_terminal_end_drawing(0);
}

void cw_terminal_line_draw(cw_terminal_line *line, crawl_slice text)
{
    crawl_buf before = {0}, shown = {0};
    if (!cw_terminal_begin_drawing())
        return;
    if (!cw_terminal_is_ours()) {
        line_forget(line);
        return;
    }
    unsigned columns = cw_terminal_size_now().columns;
    columns = columns > 1 ? columns : 2;
    line_clear(line, columns, &before);
    cw_terminal_columns_begin();
    line->width = cw_terminal_put_cut(&shown, text, columns - 1, cw_terminal_is_utf8());
    cw_terminal_columns_end();
    cw_message_draw(crawl_buf_slice(&before), crawl_buf_slice(&shown), crawl_slice_from("\r\033[2K"));
    cw_terminal_end_drawing(1);
    crawl_buf_free(&before);
    crawl_buf_free(&shown);
}

void cw_terminal_line_erase(cw_terminal_line *line)
{
    crawl_buf before = {0};
    if (!line->width || !cw_terminal_begin_drawing())
        return;
    line_clear(line, cw_terminal_size_now().columns, &before);
    cw_message_draw(crawl_buf_slice(&before), (crawl_slice){0}, (crawl_slice){0});
    line->width = 0;
    cw_terminal_end_drawing(0);
    crawl_buf_free(&before);
}
