/* See panel.h. A line is made of pieces, coloured by meaning, as far as there are columns. The most important pieces
 * come first. */
#include "crawler/program/terminal/panel.h"

#include "base/bytes.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"
#include "tools/common/columns.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- a line ---- */

typedef enum colour { PLAIN, FAINT, BOLD, GOOD, CAREFUL, BAD } colour;

static const char *const codes[] = {
    [FAINT] = "\033[2m", [BOLD] = "\033[1m", [GOOD] = "\033[32m", [CAREFUL] = "\033[33m", [BAD] = "\033[31m"};

typedef struct pen {
    cw_terminal_panel *panel;
    const cw_terminal_figures *figures;
    const cw_terminal_look *look;
    unsigned left; /* columns left in the line */
} pen;

static void panel_begin_line(pen *p)
{
    if (p->panel->lines)
        CW_PROGRAM_SAY(&p->panel->text, "\033[K\n");
    p->panel->widths[p->panel->lines++] = 0;
    p->left = p->look->columns - 1; /* some terminals wrap in the last column */
}

typedef unsigned panel_cutter(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8);

static void panel_put_by(pen *p, colour tone, crawl_slice text, panel_cutter *cut)
{
    bool is_coloured = p->look->has_colours && tone != PLAIN;
    if (is_coloured)
        CW_PROGRAM_SAY(&p->panel->text, "%s", codes[tone]);
    unsigned used = cut(&p->panel->text, text, p->left, p->look->is_utf8);
    if (is_coloured)
        CW_PROGRAM_SAY(&p->panel->text, "\033[0m");
    p->left -= used;
    p->panel->widths[p->panel->lines - 1] += used;
}

/* Puts a name or a URL, whose end tells as much as its start. */
static void panel_put(pen *p, colour tone, crawl_slice text)
{
    panel_put_by(p, tone, text, cw_tool_put_cut);
}

static void panel_put_sentence(pen *p, colour tone, const char *text)
{
    panel_put_by(p, tone, crawl_slice_from(text), cw_tool_put_words);
}

/* Puts a piece, unless it does not fit as a whole. */
static void put_whole(pen *p, colour tone, const char *format, ...) CRAWL_PRINTF(3, 4);
static void put_whole(pen *p, colour tone, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (cw_tool_columns(crawl_slice_from(text)) <= p->left)
        panel_put(p, tone, crawl_slice_from(text));
}

static void panel_put_name(pen *p, const char *name)
{
    put_whole(p, FAINT, "%-8s", name);
}

/* ---- pace ---- */

/* Puts a bar for each second, as many as fit, scaled by the highest. */
static void put_bars(pen *p, unsigned most)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const cw_terminal_figures *f = p->figures;
    const char *const *bars = p->look->is_utf8 ? blocks : marks;
    unsigned count = f->pace_count < most ? f->pace_count : most;
    const uint32_t *paces = &f->paces[f->pace_count - count];
    crawl_buf text = {0};
    uint32_t highest = 1;
    for (unsigned i = 0; i < count; i++)
        highest = paces[i] > highest ? paces[i] : highest;
    for (unsigned i = 0; i < count; i++)
        CW_PROGRAM_SAY(&text, "%s", bars[(uint64_t)paces[i] * 7 / highest]);
    panel_put(p, GOOD, crawl_buf_slice(&text));
    crawl_buf_free(&text);
}

static const char *standing(const cw_terminal_figures *f)
{
    if (f->now->end != CRAWL_END_RUNNING)
        return "ending";
    return f->now->paused ? "paused" : "crawling";
}

static void put_clock(crawl_buf *out, int64_t ms)
{
    int64_t seconds = ms / 1000;
    CW_PROGRAM_SAY(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void put_pace_line(pen *p)
{
    enum { NUMBERS = 34, BARS_FROM = 4 };
    const cw_terminal_figures *f = p->figures;
    crawl_buf clock = {0};
    bool runs = f->now->end == CRAWL_END_RUNNING && !f->now->paused;
    panel_begin_line(p);
    put_whole(p, runs ? BOLD : CAREFUL, "%-8s", standing(f));
    put_clock(&clock, f->now->elapsed_ms);
    put_whole(p, PLAIN, " %s", clock.data ? clock.data : "");
    put_whole(p, BOLD, "  %.*f pages/s", f->pace < 10 ? 1 : 0, f->pace);
    put_whole(p, PLAIN, "  %s", cw_program_size(f->now->wire_bytes).text);
    if (p->left > BARS_FROM + 2) {
        put_whole(p, PLAIN, "  ");
        put_bars(p, p->left < CW_TERMINAL_PACES ? p->left : CW_TERMINAL_PACES);
    }
    crawl_buf_free(&clock);
}

/* ---- done, queued, left ---- */

/* Returns the milliseconds until the first limit of the crawl, at this pace; INT64_MAX: no limit. */
static int64_t until_limit(const cw_terminal_figures *f)
{
    const crawl_engine_stats *now = f->now;
    int64_t left = INT64_MAX;
    if (now->limits.time_ms)
        left = cw_least(left, now->limits.time_ms - now->elapsed_ms);
    if (now->limits.pages > now->pages && f->pace > 0)
        left = cw_least(left, (int64_t)((double)(now->limits.pages - now->pages) / f->pace * 1000));
    if (now->limits.bytes > now->bytes && now->bytes && now->elapsed_ms)
        left = cw_least(
            left, (int64_t)((double)(now->limits.bytes - now->bytes) * (double)now->elapsed_ms / (double)now->bytes));
    return left > 0 ? left : 0;
}

static void put_left(pen *p)
{
    enum { FOR_EVER_S = 365 * 24 * 3600 };
    const cw_terminal_figures *f = p->figures;
    uint64_t queued = f->now->frontier.queued;
    int64_t left = until_limit(f);
    crawl_buf text = {0};
    if (left < INT64_MAX) {
        CW_PROGRAM_SAY(&text, ", about ");
        cw_program_duration(&text, left);
        CW_PROGRAM_SAY(&text, " left");
    } else if (queued && f->pace > 0 && (double)queued / f->pace < FOR_EVER_S) {
        CW_PROGRAM_SAY(&text, ", about ");
        cw_program_duration(&text, (int64_t)((double)queued / f->pace * 1000));
    }
    if (text.size && f->now->end == CRAWL_END_RUNNING && !f->now->paused)
        put_whole(p, PLAIN, "%s", text.data);
    crawl_buf_free(&text);
}

static void put_counts(pen *p)
{
    const crawl_engine_stats *now = p->figures->now;
    put_whole(p, BOLD, "%" PRIu64, now->pages);
    if (now->limits.pages)
        put_whole(p, PLAIN, " of %" PRIu64, now->limits.pages);
    put_whole(p, PLAIN, "  queued ");
    put_whole(p, BOLD, "%" PRIu64, now->frontier.queued);
    put_left(p);
    if (now->errors)
        put_whole(p, BAD, "  errors %" PRIu64, now->errors);
    if (now->status[5])
        put_whole(p, BAD, "  5xx %" PRIu64, now->status[5]);
    if (now->status[4])
        put_whole(p, CAREFUL, "  4xx %" PRIu64, now->status[4]);
    put_whole(p, PLAIN, "  in flight %" PRIu64, now->running);
}

static void put_done_line(pen *p)
{
    panel_begin_line(p);
    panel_put_name(p, "done");
    put_whole(p, PLAIN, " ");
    put_counts(p);
}

/* ---- hosts, bottleneck, failures, keys ---- */

static void put_hosts_line(pen *p)
{
    enum { MORE = 16 };
    const cw_terminal_figures *f = p->figures;
    uint64_t others = f->now->frontier.hosts > f->host_count ? f->now->frontier.hosts - f->host_count : 0;
    panel_begin_line(p);
    panel_put_name(p, "asking");
    for (unsigned i = 0; i < f->host_count; i++) {
        unsigned columns = cw_tool_columns(crawl_slice_from(f->hosts[i])) + 2;
        if (i && columns + MORE > p->left) {
            others += f->host_count - i;
            break;
        }
        put_whole(p, PLAIN, "%s", i ? ", " : " ");
        panel_put(p, PLAIN, crawl_slice_from(f->hosts[i]));
    }
    if (!f->host_count)
        put_whole(p, FAINT, " nobody yet");
    if (others && f->host_count)
        put_whole(p, FAINT, " of %" PRIu64 " hosts", f->now->frontier.hosts);
}

static void put_bound_line(pen *p)
{
    crawl_buf words = {0};
    bool is_paused = p->figures->now->paused;
    panel_begin_line(p);
    panel_put_name(p, "bound");
    put_whole(p, PLAIN, " ");
    cw_report_bound(&p->figures->now->bound.load, p->figures->now->bound.bound, &words);
    if (is_paused)
        panel_put_sentence(p, CAREFUL, "paused");
    else if (words.size)
        panel_put_sentence(p, PLAIN, words.data);
    else
        panel_put_sentence(p, FAINT, "by nothing: there is work, and room for it");
    crawl_buf_free(&words);
}

/* Puts a failure. The URL gets the columns that the words leave, but at least enough to recognise the page. */
static void put_failure_line(pen *p, const cw_terminal_failure *failure)
{
    enum { LEAST_URL = 24, NARROW = 80 };
    panel_begin_line(p);
    panel_put_name(p, "error");
    put_whole(p, FAINT, " %s", p->look->columns < NARROW ? "" : failure->time);
    put_whole(p, PLAIN, "%s", p->look->columns < NARROW ? "" : " ");
    unsigned words = cw_tool_columns(crawl_slice_from(failure->words)) + 1;
    unsigned all = p->left;
    unsigned url = words + LEAST_URL < all ? all - words : LEAST_URL;
    if (url < all) {
        p->left = url;
        panel_put(p, PLAIN, crawl_slice_from(failure->url));
        p->left += all - url;
        put_whole(p, PLAIN, " ");
    }
    panel_put_sentence(p, BAD, failure->words);
}

static void put_keys_line(pen *p)
{
    const crawl_engine_stats *now = p->figures->now;
    panel_begin_line(p);
    panel_put_name(p, "keys");
    if (!p->figures->explains) {
        put_whole(p, FAINT, " %s", now->paused ? "p go on" : "p pause");
        put_whole(p, FAINT, "  q end");
        put_whole(p, FAINT, "  ? help");
        put_whole(p, FAINT, "  + - connections %" PRIu64, now->connections);
        return;
    }
    put_whole(p, PLAIN, " p: pause, and go on");
    put_whole(p, PLAIN, "; q: end cleanly");
    put_whole(p, PLAIN, "; + and -: more and fewer connections than %" PRIu64, now->connections);
    put_whole(p, PLAIN, "; ?: less");
    put_whole(p, FAINT, "; Ctrl-C: end, twice at once; Ctrl-Z: stop for a while");
}

/* ---- the panel ---- */

static void put_one_line(pen *p)
{
    crawl_buf words = {0};
    const cw_terminal_figures *f = p->figures;
    panel_begin_line(p);
    if (f->now->paused || f->now->end != CRAWL_END_RUNNING)
        put_whole(p, CAREFUL, "%s  ", standing(f));
    put_whole(p, BOLD, "%" PRIu64 " pages", f->now->pages);
    put_whole(p, PLAIN, "  %.*f/s", f->pace < 10 ? 1 : 0, f->pace);
    put_whole(p, PLAIN, "  %" PRIu64 " queued", f->now->frontier.queued);
    if (f->now->errors)
        put_whole(p, BAD, "  %" PRIu64 " errors", f->now->errors);
    put_whole(p, PLAIN, "  %" PRIu64 " in flight", f->now->running);
    put_left(p);
    if (f->now->visits || f->now->frontier.revisits)
        put_whole(p, PLAIN, "  %" PRIu64 " visits again, %" PRIu64 " changed", f->now->visits, f->now->changed);
    cw_report_bound(&f->now->bound.load, f->now->bound.bound, &words);
    if (words.size && p->left > 20) {
        put_whole(p, PLAIN, "  ");
        panel_put_sentence(p, FAINT, words.data);
    }
    crawl_buf_free(&words);
}

void cw_terminal_panel_make(cw_terminal_panel *panel, const cw_terminal_figures *figures, const cw_terminal_look *look)
{
    enum { WHOLE = 5 };
    pen p = {.panel = panel, .figures = figures, .look = look};
    crawl_buf_clear(&panel->text);
    panel->lines = 0;
    if (look->lines < WHOLE) {
        put_one_line(&p);
    } else {
        put_pace_line(&p);
        put_done_line(&p);
        put_hosts_line(&p);
        put_bound_line(&p);
        unsigned room = look->lines - panel->lines - look->has_keys;
        for (unsigned i = 0; i < figures->failure_count && i < room; i++)
            put_failure_line(&p, &figures->failures[i]);
        if (look->has_keys)
            put_keys_line(&p);
    }
    CW_PROGRAM_SAY(&panel->text, "\033[K");
}
