/* The terminal itself: its size; whether it is this process's at the moment; keys that are read one by one; and that it
 * is as it was before, when the program ends, is stopped or dies of a signal. There is one terminal in a process. */
#pragma once

#include <crawl/base.h>

/* Can lines be drawn in place: is standard error a terminal that understands how? */
bool cw_terminal_can_draw(void);
/* Are there keys: is standard input such a terminal too, and is there no pager behind a pipe that reads the keys? */
bool cw_terminal_has_keys(void);

typedef struct cw_terminal_size {
    unsigned columns, lines;
} cw_terminal_size;
cw_terminal_size cw_terminal_size_now(void);

/* Is the terminal this process's: is it neither stopped nor in the background of a shell? */
bool cw_terminal_is_ours(void);

/* Begins to catch signals: `event`, an eventfd, is written to whenever the size of the terminal may have changed, or
 * whose it is. A signal that kills leaves the terminal as it was before. */
void cw_terminal_watch(int event);
/* Does somebody want the program stopped (Ctrl-Z), since this was asked last? */
bool cw_terminal_take_stop(void);
/* Was the process stopped by another than this program, and does it go on now? Then the next cw_terminal_enter begins
 * anew. */
bool cw_terminal_take_continued(void);
void cw_terminal_unwatch(void);

/* Hides the cursor and, with keys, has each key come at once and not shown. Does nothing if that is so already. */
void cw_terminal_enter(bool has_keys);
/* Undoes what cw_terminal_enter has done. */
void cw_terminal_leave(void);

/* Stops the process as Ctrl-Z does. Returns when the program goes on. */
void cw_terminal_stop_process(void);

/* For a signal handler that ends the process: takes away what is drawn, and leaves. Waits for the end of a drawing that
 * has begun, but not longer than a tenth of a second, since the terminal may take nothing more. */
void cw_terminal_give_back(void);
/* To be called before and after each drawing, by one thread. False: the process is about to end; nothing may be drawn,
 * and end_drawing is not called. lines: how many are drawn now. */
bool cw_terminal_begin_drawing(void);
void cw_terminal_end_drawing(unsigned lines);
