/* The terminal: its size, whether this process owns it now, keys that are read one by one, and its former state, which
 * is restored when the program ends, is stopped or dies of a signal. A process has one terminal. */
#pragma once

#include <crawl/base.h>

/* Returns true if lines can be drawn in place: standard error is a terminal that can do that. */
bool cw_terminal_can_draw(void);
/* Returns true if keys can be read: standard input is a terminal, and no pager behind a pipe reads them. */
bool cw_terminal_has_keys(void);

typedef struct cw_terminal_size {
    unsigned columns, lines;
} cw_terminal_size;
cw_terminal_size cw_terminal_size_now(void);

/* Returns true if this process owns the terminal: it is not in the background of a shell. */
bool cw_terminal_is_ours(void);

/* Starts to catch signals. Writes to `event`, an eventfd, when the terminal's size or owner may have changed. A signal
 * that kills restores the terminal first. */
void cw_terminal_watch(int event);
/* Returns true if a stop (Ctrl-Z) was requested since the last call. */
bool cw_terminal_take_stop(void);
/* Returns true if the process was stopped by another program and goes on now. The next cw_terminal_enter then
 * starts over. */
bool cw_terminal_take_continued(void);
void cw_terminal_unwatch(void);

/* Hides the cursor. With keys, delivers each key at once, without echo. Does nothing if already entered. */
void cw_terminal_enter(bool has_keys);
/* Undoes cw_terminal_enter. */
void cw_terminal_leave(void);

/* Stops the process as Ctrl-Z does. Returns when the program goes on. */
void cw_terminal_stop_process(void);

/* For a signal handler that ends the process: erases the drawing, and leaves. Waits for a drawing under way, for at
 * most a tenth of a second, since the terminal may take nothing more. */
void cw_terminal_give_back(void);
/* Call before and after each drawing, from one thread. Returns false if the process is about to end: draw nothing, and
 * do not call end_drawing. lines: now on the screen. */
bool cw_terminal_begin_drawing(void);
void cw_terminal_end_drawing(unsigned lines);
