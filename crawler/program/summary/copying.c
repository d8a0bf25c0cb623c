#include "crawler/program/summary/copying.h"

#include "base/clock.h"
#include "crawler/program/summary/progress.h"
#include "crawler/program/summary/units.h"
#include "tools/common/messages/message.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    DRAW_US = 250 * 1000,
    FIRST_MS = 5000 /* nobody wonders before; then it is said that something is done, and for how long */
};

static void copying_begin(cw_program_copying *copying, const crawl_config *config)
{
    copying->form = cw_program_progress_form(config);
    copying->interval_ms = config->progress_ms;
    int64_t first_ms = copying->interval_ms < FIRST_MS ? copying->interval_ms : FIRST_MS;
    copying->begun_us = cw_now_us();
    copying->next_us = copying->begun_us + first_ms * 1000;
}

/* Milliseconds that the rest takes, as long as a file takes what those before took; -1: nobody knows. */
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
    cw_terminal_line_draw(&copying->line, words);
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
    cw_terminal_line_erase(&copying->line);
}
