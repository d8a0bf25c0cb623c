/* See progress.h. */
#include "crawler/program/progress.h"

#include "base/clock.h"
#include "crawler/program/date.h"
#include "crawler/program/report.h"
#include "crawler/program/report_bound.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/units.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79u;
}

void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config)
{
    bool is_terminal = isatty(STDERR_FILENO);
    progress->form = config->progress;
    if (progress->form == CRAWL_PROGRESS_AUTO)
        progress->form = is_terminal ? CRAWL_PROGRESS_LINE : CRAWL_PROGRESS_LINES;
    if (config->verbosity < 0)
        progress->form = CRAWL_PROGRESS_NONE;
    progress->interval_ms = config->progress_ms;
    progress->next_us = cw_now_us() + progress->interval_ms * 1000;
}

static void print(cw_program_progress *progress, const char *text, bool is_drawn)
{
    pthread_mutex_lock(&progress->terminal);
    if (progress->is_drawn)
        fputs("\r\033[K", stderr);
    fputs(text ? text : "", stderr);
    progress->is_drawn = is_drawn;
    pthread_mutex_unlock(&progress->terminal);
}

void cw_program_progress_say(cw_program_progress *progress, const char *lines)
{
    print(progress, lines, false);
}

void cw_program_progress_close(cw_program_progress *progress)
{
    progress->form = CRAWL_PROGRESS_NONE;
    print(progress, NULL, false);
    crawl_buf_free(&progress->text);
}

/* ---- in place ---- */

static void draw(cw_program_progress *progress, const crawl_engine_stats *now)
{
    enum { DRAWS_A_PACE = 8 };
    cw_report_progress(now, &progress->before, terminal_columns(), &progress->text);
    print(progress, progress->text.data, true);
    if (progress->draws++ % DRAWS_A_PACE == 0)
        progress->before = *now;
}

/* ---- once in a while ---- */

static void say_text(cw_program_progress *progress, const crawl_engine_stats *now)
{
    CW_PROGRAM_SAY(&progress->text, "%.19sZ crawl: ", cw_program_date_of(cw_wall_ms()).text);
    cw_report_progress(now, &progress->before, UINT_MAX, &progress->text);
    CW_PROGRAM_SAY(&progress->text, "\n");
}

static void say_json(cw_program_progress *progress, const crawl_engine_stats *now)
{
    crawl_buf bound = {0};
    cw_report_bound(&now->bound.load, now->bound.bound, &bound);
    double pace =
        cw_program_per_second(now->pages - progress->before.pages, now->elapsed_ms - progress->before.elapsed_ms);
    json_t *line = json_pack("{s:s, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:s%}", "time",
                             cw_program_date_of(cw_wall_ms()).text, "elapsed_ms", (json_int_t)now->elapsed_ms, "pages",
                             (json_int_t)now->pages, "pages_per_second", pace, "bytes", (json_int_t)now->bytes,
                             "errors", (json_int_t)now->errors, "retries", (json_int_t)now->retries, "queued",
                             (json_int_t)now->frontier.queued, "in_flight", (json_int_t)now->running, "hosts",
                             (json_int_t)now->frontier.hosts, "bound", bound.size ? bound.data : "", bound.size);
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (text)
        CW_PROGRAM_SAY(&progress->text, "%s\n", text);
    free(text);
    json_decref(line);
    crawl_buf_free(&bound);
}

static void say_line(cw_program_progress *progress, const crawl_engine_stats *now)
{
    if (progress->form == CRAWL_PROGRESS_JSON)
        say_json(progress, now);
    else
        say_text(progress, now);
    print(progress, progress->text.data, false);
    progress->before = *now;
    progress->next_us = cw_now_us() + progress->interval_ms * 1000;
}

/* The figures are not asked for in vain: those of the filter are a sample of it, a million instructions. */
static bool is_due(const cw_program_progress *progress)
{
    switch (progress->form) {
    case CRAWL_PROGRESS_NONE:
        return false;
    case CRAWL_PROGRESS_LINE:
        return true;
    default:
        return cw_now_us() >= progress->next_us;
    }
}

void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine)
{
    if (!is_due(progress))
        return;
    crawl_engine_stats now;
    crawl_engine_stats_get(engine, &now);
    crawl_buf_clear(&progress->text);
    if (progress->form == CRAWL_PROGRESS_LINE)
        draw(progress, &now);
    else if (now.elapsed_ms >= progress->interval_ms) /* the crawl began after this was opened */
        say_line(progress, &now);
}
