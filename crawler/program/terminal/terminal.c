#include "crawler/program/terminal/terminal.h"

#include "base/clock.h"
#include "base/date.h"
#include "base/net.h"
#include "crawler/program/summary/units.h"
#include "crawler/program/terminal/modes.h"
#include "crawler/program/terminal/panel.h"
#include "tools/common/columns.h"
#include "tools/common/messages/message.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { DRAW_MS = 250, SECOND_US = 1000 * 1000 };

struct cw_terminal {
    crawl_engine *engine;
    bool is_full;
    bool has_keys;
    bool keys_ended; /* end of input */
    cw_terminal_look look;
    pthread_t thread;
    int event;
    atomic_bool closing;

    /* Used only by the thread. */
    cw_terminal_figures figures;
    cw_terminal_panel panel;
    unsigned drawn_lines; /* 0: nothing drawn */
    unsigned drawn_widths[CW_TERMINAL_PANEL_LINES];
    uint64_t counted_pages; /* at the last full second */
    int64_t counted_us;

    pthread_mutex_t lock; /* protects the rest */
    char hosts[CW_TERMINAL_HOSTS][CW_TERMINAL_HOST_SIZE];
    unsigned host_count;
    cw_terminal_failure failures[CW_TERMINAL_FAILURES];
    unsigned failure_count;
};

/* ---- notes of finished requests ---- */

/* Moves the host to the front. */
static void note_host(cw_terminal *terminal, crawl_slice host)
{
    char name[CW_TERMINAL_HOST_SIZE];
    unsigned at = 0;
    snprintf(name, sizeof name, "%.*s", (int)host.size, host.data ? host.data : "");
    while (at < terminal->host_count && strcmp(terminal->hosts[at], name) != 0)
        at++;
    if (at == terminal->host_count)
        at = terminal->host_count < CW_TERMINAL_HOSTS ? terminal->host_count++ : CW_TERMINAL_HOSTS - 1;
    memmove(terminal->hosts[1], terminal->hosts[0], at * sizeof terminal->hosts[0]);
    memcpy(terminal->hosts[0], name, sizeof name);
}

static void terminal_note_failure(cw_terminal *terminal, const crawl_record *record)
{
    cw_terminal_failure *first = &terminal->failures[0];
    memmove(first + 1, first, (CW_TERMINAL_FAILURES - 1) * sizeof *first);
    if (terminal->failure_count < CW_TERMINAL_FAILURES)
        terminal->failure_count++;
    snprintf(first->time, sizeof first->time, "%.8s", cw_date_of(cw_wall_ms()).text + 11);
    snprintf(first->url, sizeof first->url, "%.*s", (int)record->url.size, record->url.data);
    if (record->error)
        snprintf(first->words, sizeof first->words, "%s: %s", record->error, record->error_text);
    else
        snprintf(first->words, sizeof first->words, "status %d", record->status);
}

void cw_terminal_note(cw_terminal *terminal, const crawl_record *record)
{
    if (!terminal)
        return;
    pthread_mutex_lock(&terminal->lock);
    note_host(terminal, cw_authority_of(record->url).whole);
    if (record->error || record->status >= 500)
        terminal_note_failure(terminal, record);
    pthread_mutex_unlock(&terminal->lock);
}

static void copy_notes(cw_terminal *terminal)
{
    pthread_mutex_lock(&terminal->lock);
    memcpy(terminal->figures.hosts, terminal->hosts, sizeof terminal->hosts);
    memcpy(terminal->figures.failures, terminal->failures, sizeof terminal->failures);
    terminal->figures.host_count = terminal->host_count;
    terminal->figures.failure_count = terminal->failure_count;
    pthread_mutex_unlock(&terminal->lock);
}

/* ---- pace ---- */

static void add_pace(cw_terminal_figures *figures, uint32_t pages)
{
    if (figures->pace_count == CW_TERMINAL_PACES)
        memmove(figures->paces, figures->paces + 1, (CW_TERMINAL_PACES - 1) * sizeof *figures->paces);
    else
        figures->pace_count++;
    figures->paces[figures->pace_count - 1] = pages;
}

/* Counts the pages of a second once it is over. The pace is the mean of the last seconds. */
static void count_pace(cw_terminal *terminal, const crawl_engine_stats *now)
{
    enum { SECONDS = 5 };
    cw_terminal_figures *figures = &terminal->figures;
    int64_t now_us = cw_now_us();
    if (now_us - terminal->counted_us < SECOND_US)
        return;
    double elapsed_s = (double)(now_us - terminal->counted_us) / SECOND_US;
    add_pace(figures, (uint32_t)((double)(now->pages - terminal->counted_pages) / elapsed_s + 0.5));
    terminal->counted_us = now_us;
    terminal->counted_pages = now->pages;
    unsigned count = figures->pace_count < SECONDS ? figures->pace_count : SECONDS;
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += figures->paces[figures->pace_count - 1 - i];
    figures->pace = (double)sum / count;
}

/* ---- drawing ---- */

/* Returns how many lines the drawing takes at this width: a terminal that became narrower breaks lines. */
static unsigned lines_now(const cw_terminal *terminal, unsigned columns)
{
    unsigned lines = 0;
    for (unsigned i = 0; i < terminal->drawn_lines; i++)
        lines += terminal->drawn_widths[i] ? (terminal->drawn_widths[i] + columns - 1) / columns : 1;
    return lines;
}

/* Moves the cursor to the first column of the first of these lines. */
static void go_up(crawl_buf *out, unsigned lines)
{
    CW_PROGRAM_SAY(out, "\r");
    if (lines > 1)
        CW_PROGRAM_SAY(out, "\033[%uA", lines - 1);
}

/* Does the same, and clears each line by itself, because some terminals save a screen that is cleared from its first
 * line on. */
static void clear_up(crawl_buf *out, unsigned lines)
{
    CW_PROGRAM_SAY(out, "\r\033[2K");
    for (unsigned i = 1; i < lines; i++)
        CW_PROGRAM_SAY(out, "\033[A\033[2K");
}

/* Erases the drawing, even if a narrower terminal has broken its lines. */
static void erase(cw_terminal *terminal)
{
    crawl_buf before = {0};
    if (!terminal->drawn_lines || !cw_terminal_begin_drawing())
        return;
    clear_up(&before, lines_now(terminal, cw_terminal_size_now().columns));
    cw_message_draw(crawl_buf_slice(&before), (crawl_slice){0}, (crawl_slice){0});
    terminal->drawn_lines = 0;
    cw_terminal_end_drawing(0);
    crawl_buf_free(&before);
}

static void put_drawing(cw_terminal *terminal)
{
    crawl_buf before = {0}, after = {0};
    unsigned lines = lines_now(terminal, terminal->look.columns);
    if (terminal->drawn_lines && lines == terminal->panel.lines)
        go_up(&before, lines);
    else if (terminal->drawn_lines)
        clear_up(&before, lines);
    clear_up(&after, terminal->panel.lines);
    cw_message_draw(crawl_buf_slice(&before), crawl_buf_slice(&terminal->panel.text), crawl_buf_slice(&after));
    terminal->drawn_lines = terminal->panel.lines;
    memcpy(terminal->drawn_widths, terminal->panel.widths, sizeof terminal->drawn_widths);
    crawl_buf_free(&before);
    crawl_buf_free(&after);
}

/* Sets the size of the drawing: half of the terminal is left to messages. */
static void look_at_size(cw_terminal *terminal)
{
    enum { NARROW = 36 };
    cw_terminal_size size = cw_terminal_size_now();
    terminal->look.columns = size.columns > 1 ? size.columns : 2;
    bool is_small = !terminal->is_full || size.columns < NARROW;
    unsigned lines = is_small ? 1 : size.lines / 2;
    terminal->look.lines = lines < CW_TERMINAL_PANEL_LINES ? lines : CW_TERMINAL_PANEL_LINES;
}

/* Forgets the drawn lines, because another program has written there. */
static void terminal_forget(cw_terminal *terminal)
{
    if (!cw_terminal_begin_drawing())
        return;
    cw_message_draw((crawl_slice){0}, (crawl_slice){0}, (crawl_slice){0});
    terminal->drawn_lines = 0;
    cw_terminal_end_drawing(0);
}

static void terminal_draw(cw_terminal *terminal)
{
    crawl_engine_stats now;
    crawl_engine_stats_get(terminal->engine, &now);
    count_pace(terminal, &now);
    if (!cw_terminal_is_ours()) {
        terminal_forget(terminal);
        return;
    }
    if (!cw_terminal_begin_drawing())
        return;
    cw_terminal_enter(terminal->has_keys);
    look_at_size(terminal);
    copy_notes(terminal);
    terminal->figures.now = &now;
    terminal->look.has_keys = terminal->has_keys;
    cw_terminal_panel_make(&terminal->panel, &terminal->figures, &terminal->look);
    put_drawing(terminal);
    cw_terminal_end_drawing(terminal->drawn_lines);
}

/* ---- keys ---- */

static void toggle_pause(cw_terminal *terminal)
{
    crawl_engine_stats now;
    crawl_engine_stats_get(terminal->engine, &now);
    if (now.paused)
        crawl_engine_resume(terminal->engine);
    else
        crawl_engine_pause(terminal->engine);
    cw_message_say(CW_MESSAGE_INFO, now.paused ? "goes on, by key" : "paused, by key");
}

static void change_connections(cw_terminal *terminal, bool more)
{
    enum { STEPS = 8 };
    crawl_engine_stats now;
    crawl_engine_stats_get(terminal->engine, &now);
    unsigned count = (unsigned)now.connections;
    unsigned step = count / STEPS + 1;
    unsigned wanted = more ? count + step : count > step ? count - step : 1;
    cw_message_say(CW_MESSAGE_INFO, "%u connections at once, by key",
                   crawl_engine_set_connections(terminal->engine, wanted));
}

static void terminal_take_key(cw_terminal *terminal, char key)
{
    switch (key) {
    case 'p':
        toggle_pause(terminal);
        break;
    case 'q':
        cw_message_say(CW_MESSAGE_INFO, "ends, by key");
        crawl_engine_stop(terminal->engine);
        break;
    case '+':
    case '=': /* same key without shift on many keyboards */
        change_connections(terminal, true);
        break;
    case '-':
        change_connections(terminal, false);
        break;
    case '?':
    case 'h':
        terminal->figures.explains = !terminal->figures.explains;
        if (terminal->look.lines == 1 && terminal->figures.explains)
            cw_message_say(CW_MESSAGE_INFO, "keys: p pause and go on, q end cleanly, + and - connections");
        break;
    default:
        break;
    }
}

static void read_keys(cw_terminal *terminal)
{
    char keys[64];
    if (!cw_terminal_is_ours())
        return;
    ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    if (count > 0 && keys[0] == '\033') /* an arrow or similar key */
        return;
    for (ssize_t i = 0; i < count; i++)
        terminal_take_key(terminal, keys[i]);
}

/* ---- thread ---- */

static void stop_for_a_while(cw_terminal *terminal)
{
    erase(terminal);
    cw_terminal_leave();
    cw_terminal_stop_process();
    terminal->counted_us = cw_now_us(); /* start a new second */
}

static void terminal_take_event(cw_terminal *terminal)
{
    eventfd_t count;
    eventfd_read(terminal->event, &count); /* clears all notifications */
    if (cw_terminal_take_stop())
        stop_for_a_while(terminal);
    else if (cw_terminal_take_continued())
        terminal_forget(terminal);
}

static void *terminal_watch(void *user)
{
    cw_terminal *terminal = user;
    cw_tool_columns_begin();
    while (!atomic_load(&terminal->closing)) {
        bool takes_keys = terminal->has_keys && !terminal->keys_ended && cw_terminal_is_ours();
        struct pollfd waits[] = {{.fd = terminal->event, .events = POLLIN},
                                 {.fd = takes_keys ? STDIN_FILENO : -1, .events = POLLIN}};
        terminal_draw(terminal);
        if (poll(waits, 2, DRAW_MS) <= 0)
            continue;
        if (waits[0].revents) {
            terminal_take_event(terminal);
            continue; /* we may not own the terminal any more */
        }
        terminal->keys_ended = waits[1].revents & (POLLHUP | POLLERR | POLLNVAL);
        if (waits[1].revents & POLLIN)
            read_keys(terminal);
    }
    erase(terminal);
    cw_terminal_leave();
    cw_tool_columns_end();
    return NULL;
}

cw_terminal *cw_terminal_open(crawl_engine *engine, bool is_full)
{
    cw_terminal *terminal = calloc(1, sizeof *terminal);
    if (!terminal)
        return NULL;
    terminal->engine = engine;
    terminal->is_full = is_full;
    terminal->has_keys = cw_terminal_has_keys();
    terminal->counted_us = cw_now_us();
    terminal->look = (cw_terminal_look){.is_utf8 = cw_tool_is_utf8(), .has_colours = cw_message_has_colours()};
    terminal->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&terminal->lock, NULL);
    if (terminal->event >= 0) {
        cw_terminal_watch(terminal->event);
        if (pthread_create(&terminal->thread, NULL, terminal_watch, terminal) == 0)
            return terminal;
        cw_terminal_unwatch();
        close(terminal->event);
    }
    pthread_mutex_destroy(&terminal->lock);
    free(terminal);
    return NULL;
}

void cw_terminal_close(cw_terminal *terminal)
{
    if (!terminal)
        return;
    atomic_store(&terminal->closing, true);
    eventfd_write(terminal->event, 1);
    pthread_join(terminal->thread, NULL);
    cw_terminal_unwatch();
    close(terminal->event);
    crawl_buf_free(&terminal->panel.text);
    pthread_mutex_destroy(&terminal->lock);
    free(terminal);
}
