/* The terminal itself: its size, whether it is ours at the moment, keys that come one by one, and its being as it was
 * when the program ends, is stopped or dies of a signal. There is one terminal in a process. */
#ifndef CW_TERMINAL_MODES_H
#define CW_TERMINAL_MODES_H

#include <crawl/base.h>

/* Can lines be drawn in place: is standard error a terminal that understands how? */
bool cw_terminal_can_draw(void);
/* Are there keys: is standard input the same sort of terminal, and nothing behind a pipe reads keys of its own? */
bool cw_terminal_has_keys(void);
/* Does a terminal show characters of UTF-8, by the environment? */
bool cw_terminal_is_utf8(void);

typedef struct cw_terminal_size {
    unsigned columns, lines;
} cw_terminal_size;
cw_terminal_size cw_terminal_size_now(void);

/* Is this process in front of it: neither stopped nor in the background of a shell? */
bool cw_terminal_is_ours(void);

/* From now on `event`, an eventfd, is written to whenever the terminal may have changed: its size, or whose it is; and
 * cw_terminal_take_stop tells that somebody wants the program stopped (Ctrl-Z). A signal that kills leaves the terminal
 * as it was. */
void cw_terminal_watch(int event);
bool cw_terminal_take_stop(void);
/* Has the process been stopped by other means than ours, and goes on? The next enter begins anew. */
bool cw_terminal_take_continued(void);
void cw_terminal_unwatch(void);

/* The cursor goes out of sight and, with keys, what is typed comes at once and is not shown. Nothing where it is so. */
void cw_terminal_enter(bool has_keys);
/* All is as it was. */
void cw_terminal_leave(void);

/* Stops the process as Ctrl-Z does. Returns when the program goes on. */
void cw_terminal_stop_process(void);

/* For a signal handler that ends the process: takes away what is drawn, and leaves. A drawing that has begun is waited
 * for, a tenth of a second at most: nobody may read what the terminal shows. */
void cw_terminal_give_back(void);
/* Around all that draws, by one thread. false: the process is about to end; nothing is to be drawn, or ended.
 * lines: as many are drawn by now. */
bool cw_terminal_begin_drawing(void);
void cw_terminal_end_drawing(unsigned lines);

#endif
