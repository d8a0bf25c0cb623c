#include "crawler/program/summary/progress.h"

#include "base/clock.h"
#include "base/date.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"
#include "crawler/program/terminal/modes.h"
#include "tools/common/messages/message.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Appends the part of the progress line about revisits, if the crawl has them. */
static void progress_say_visits(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->visits || stats->frontier.revisits)
        CW_PROGRAM_SAY(out, "  %" PRIu64 " visits again, %" PRIu64 " changed", stats->visits, stats->changed);
}

void cw_report_progress(const crawl_engine_stats *now, const crawl_engine_stats *previous, unsigned columns,
                        crawl_buf *out)
{
    const crawl_frontier_stats *frontier = &now->frontier;
    size_t start = out->size;
    double pace = cw_program_per_second(now->pages - previous->pages, now->elapsed_ms - previous->elapsed_ms);
    CW_PROGRAM_SAY(out, "%" PRIu64 " pages  %.0f/s  %" PRIu64 " queued  %" PRIu64 " in flight  %" PRIu64 " errors",
                   now->pages, pace, frontier->queued, now->running, now->errors);
    progress_say_visits(now, out);
    CW_PROGRAM_SAY(out, "  ");
    size_t before = out->size;
    cw_report_bound(&now->bound.load, now->bound.bound, out);
    CW_PROGRAM_SAY(out, "%s%" PRIu64 " host%s  filter %.0f%%", out->size > before ? "  " : "", frontier->hosts,
                   cw_program_plural(frontier->hosts), frontier->filter.fill * 100);
    if (out->size - start > columns) {
        out->size = start + columns;
        out->data[out->size] = '\0';
    }
}

/* Returns true if this form prints lines on standard error, one below the other. */
static bool shows_lines(crawl_progress form)
{
    return form == CRAWL_PROGRESS_LINES || form == CRAWL_PROGRESS_JSON;
}

/* Returns true if an output goes to the terminal, among whose lines nothing can be drawn. */
static bool prints_records(const crawl_config *config)
{
    const char *const outputs[] = {config->output, config->links, config->requests, config->fields};
    bool prints = false;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        prints = prints || (outputs[i] && strcmp(outputs[i], "-") == 0);
    return prints && isatty(STDOUT_FILENO);
}

crawl_progress cw_program_progress_form(const crawl_config *config)
{
    bool can_draw = cw_terminal_can_draw() && !cw_message_is_json() && !prints_records(config);
    bool is_drawn = config->program.progress == CRAWL_PROGRESS_AUTO ||
                    config->program.progress == CRAWL_PROGRESS_FULL || config->program.progress == CRAWL_PROGRESS_LINE;
    if (config->program.verbosity < 0)
        return CRAWL_PROGRESS_NONE;
    if (is_drawn && !can_draw)
        return CRAWL_PROGRESS_LINES;
    return config->program.progress == CRAWL_PROGRESS_AUTO ? CRAWL_PROGRESS_FULL : config->program.progress;
}

void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config, crawl_engine *engine)
{
    progress->form = cw_program_progress_form(config);
    progress->interval_ms = config->program.progress_ms;
    progress->next_us = cw_now_us() + progress->interval_ms * 1000;
    if (progress->form == CRAWL_PROGRESS_FULL || progress->form == CRAWL_PROGRESS_LINE)
        progress->terminal = cw_terminal_open(engine, progress->form == CRAWL_PROGRESS_FULL);
}

void cw_program_progress_close(cw_program_progress *progress)
{
    progress->form = CRAWL_PROGRESS_NONE;
    cw_terminal_close(progress->terminal);
    progress->terminal = NULL;
    crawl_buf_free(&progress->text);
}

/* ---- once in a while ---- */

static json_t *progress_figures_of(const cw_program_progress *progress, const crawl_engine_stats *now)
{
    crawl_buf bound = {0};
    const crawl_engine_stats *before = &progress->before;
    cw_report_bound(&now->bound.load, now->bound.bound, &bound);
    double pace = cw_program_per_second(now->pages - before->pages, now->elapsed_ms - before->elapsed_ms);
    json_t *figures =
        json_pack("{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:s%}", "elapsed_ms", (json_int_t)now->elapsed_ms,
                  "pages", (json_int_t)now->pages, "pages_per_second", pace, "bytes", (json_int_t)now->bytes, "errors",
                  (json_int_t)now->errors, "retries", (json_int_t)now->retries, "queued",
                  (json_int_t)now->frontier.queued, "in_flight", (json_int_t)now->running, "hosts",
                  (json_int_t)now->frontier.hosts, "bound", bound.size ? bound.data : "", bound.size);
    crawl_buf_free(&bound);
    return figures;
}

/* Puts the line for a person: the time and the words, or the figures. */
static void progress_put_shown(crawl_progress form, crawl_slice text, crawl_slice figures, crawl_buf *out)
{
    cw_date now = cw_date_of(cw_wall_ms());
    if (form == CRAWL_PROGRESS_LINES)
        CW_PROGRAM_SAY(out, "%.19sZ %.*s", now.text, (int)text.size, text.data);
    else if (figures.size) /* without the opening brace */
        CW_PROGRAM_SAY(out, "{\"time\":\"%s\",%.*s\n", now.text, (int)figures.size - 1, figures.data + 1);
}

void cw_program_progress_say(crawl_progress form, crawl_slice words, crawl_slice figures)
{
    crawl_buf text = {0}, shown = {0};
    CW_PROGRAM_SAY(&text, "crawl: %.*s\n", (int)words.size, words.data);
    progress_put_shown(form, crawl_buf_slice(&text), figures, &shown);
    cw_message_put(&(cw_message){.level = CW_MESSAGE_INFO,
                                 .text = crawl_buf_slice(&text),
                                 .shown = crawl_buf_slice(&shown),
                                 .figures = figures,
                                 .is_logged = !shows_lines(form)});
    crawl_buf_free(&text);
    crawl_buf_free(&shown);
}

static void progress_say_line(cw_program_progress *progress, const crawl_engine_stats *now)
{
    json_t *figures = progress_figures_of(progress, now);
    char *object = json_dumps(figures, JSON_COMPACT | JSON_REAL_PRECISION(6));
    crawl_buf_clear(&progress->text);
    cw_report_progress(now, &progress->before, UINT_MAX, &progress->text);
    cw_program_progress_say(progress->form, crawl_buf_slice(&progress->text), crawl_slice_from(object));
    free(object);
    json_decref(figures);
    progress->before = *now;
    progress->next_us = cw_now_us() + progress->interval_ms * 1000;
}

/* Gets the figures only when a line is due, because those of the filter are a sample, which takes a million
 * instructions. */
void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine)
{
    crawl_engine_stats now;
    if (cw_now_us() < progress->next_us || !(shows_lines(progress->form) || cw_message_has_log()))
        return;
    crawl_engine_stats_get(engine, &now);
    if (now.elapsed_ms >= progress->interval_ms) /* otherwise the crawl began after the progress was opened */
        progress_say_line(progress, &now);
}
