#include "crawler/program/summary/copying.h"

#include "base/clock.h"
#include "crawler/program/summary/progress.h"
#include "crawler/program/summary/units.h"
#include "crawler/program/terminal/modes.h"
#include "tools/common/columns.h"
#include "tools/common/messages/message.h"

#include <crawl/base.h>
#include <inttypes.h>
#include <stdio.h>

/* One line drawn in place below the messages, by a thread that has other work and calls now and then. It has no keys
 * and no thread, and the cursor stays visible. */

/* Clears the drawn line, including the lines that a narrower terminal has made of it. */
static void line_clear(const cw_program_line *line, unsigned columns, crawl_buf *out)
{
    CW_PROGRAM_SAY(out, "\r\033[2K");
    for (unsigned left = line->width; left > columns; left -= columns)
        CW_PROGRAM_SAY(out, "\033[A\033[2K");
}

/* Forgets the drawn line, whose place now belongs to another program. */
static void line_forget(cw_program_line *line)
{
    cw_message_draw((crawl_slice){0}, (crawl_slice){0}, (crawl_slice){0});
    line->width = 0;
    cw_terminal_end_drawing(0);
}

/* Draws in place of the last drawing, cut to the terminal. Draws nothing while another program owns the terminal. */
static void terminal_line_draw(cw_program_line *line, crawl_slice text)
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
    cw_tool_columns_begin();
    line->width = cw_tool_put_cut(&shown, text, columns - 1, cw_tool_is_utf8());
    cw_tool_columns_end();
    cw_message_draw(crawl_buf_slice(&before), crawl_buf_slice(&shown), crawl_slice_from("\r\033[2K"));
    cw_terminal_end_drawing(1);
    crawl_buf_free(&before);
    crawl_buf_free(&shown);
}

/* Erases the line. */
static void terminal_line_erase(cw_program_line *line)
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

enum {
    DRAW_US = 250 * 1000,
    FIRST_MS = 5000 /* before the first message; nobody wonders earlier */
};

static void copying_begin(cw_program_copying *copying, const crawl_config *config)
{
    copying->form = cw_program_progress_form(config);
    copying->interval_ms = config->program.progress_ms;
    int64_t first_ms = copying->interval_ms < FIRST_MS ? copying->interval_ms : FIRST_MS;
    copying->begun_us = cw_now_us();
    copying->next_us = copying->begun_us + first_ms * 1000;
}

/* Estimates the milliseconds left, if a file takes as long as those before; -1: unknown. */
static int64_t left_ms(int64_t elapsed_ms, uint64_t finished, uint64_t all)
{
    return finished ? (int64_t)((double)elapsed_ms / (double)finished * (double)(all - finished)) : -1;
}

static void put_words(int64_t elapsed_ms, uint64_t finished, uint64_t all, crawl_buf *out)
{
    int64_t left = left_ms(elapsed_ms, finished, all);
    CW_PROGRAM_SAY(out, "copy: %" PRIu64 " of %" PRIu64 " files finished", finished, all);
    if (left >= 0) {
        CW_PROGRAM_SAY(out, ", about ");
        cw_program_duration(out, left);
        CW_PROGRAM_SAY(out, " left");
    }
}

static void copying_draw(cw_program_copying *copying, int64_t now_us, crawl_slice words)
{
    copying->drawn_us = now_us;
    terminal_line_draw(&copying->line, words);
}

static void copying_say(cw_program_copying *copying, int64_t now_us, uint64_t finished, uint64_t all, crawl_slice words)
{
    char figures[160];
    int64_t elapsed_ms = (now_us - copying->begun_us) / 1000;
    snprintf(figures, sizeof figures,
             "{\"elapsed_ms\":%" PRId64 ",\"copy_finished\":%" PRIu64 ",\"copy_files\":%" PRIu64 "}", elapsed_ms,
             finished, all);
    copying->next_us = now_us + copying->interval_ms * 1000;
    cw_program_progress_say(copying->form, words, crawl_slice_from(figures));
}

void cw_program_copying_tell(cw_program_copying *copying, const crawl_config *config, uint64_t finished, uint64_t all)
{
    crawl_buf words = {0};
    if (!copying->begun_us)
        copying_begin(copying, config);
    int64_t now_us = cw_now_us();
    bool is_drawn = copying->form == CRAWL_PROGRESS_FULL || copying->form == CRAWL_PROGRESS_LINE;
    bool draws = is_drawn && now_us - copying->drawn_us >= DRAW_US;
    bool says = now_us >= copying->next_us;
    if (draws || says)
        put_words((now_us - copying->begun_us) / 1000, finished, all, &words);
    if (draws)
        copying_draw(copying, now_us, crawl_buf_slice(&words));
    if (says)
        copying_say(copying, now_us, finished, all, crawl_buf_slice(&words));
    crawl_buf_free(&words);
}

void cw_program_copying_end(cw_program_copying *copying)
{
    terminal_line_erase(&copying->line);
}
