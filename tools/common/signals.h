/* The signals that end the program: the first one cleanly, a second one at once.
 *
 * SIGINT, SIGTERM and SIGHUP are caught, unless they were ignored when the program was started (nohup, `&` in a
 * script): they stay so. A second signal counts as one when it comes half a second after the first or later: `timeout`
 * sends two at the same moment, a person's second Ctrl-C comes later. SIGPIPE is ignored, and becomes EPIPE where it
 * arises.
 *
 * A handler may run on any thread, at any time. It touches nothing but variables that live as long as the process; a
 * thread of the program's own does what follows, under a lock. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_tool_signals cw_tool_signals;

/* Catches the signals; to be called once in a process. before_death: what is called, in a handler, before a second
 * signal ends the process; NULL: nothing. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_tool_signals_open(void (*before_death)(void), cw_tool_signals **out, crawl_error *error);

/* Has SIGUSR1 come, which asks how far the crawl is, since this was called last? */
bool cw_tool_signals_want_summary(void);

/* From now on SIGHUP asks for files to be opened anew and does not end the crawl; it is caught even if it was ignored
 * when the program was started. want_reopen: has it come since want_reopen was called last? */
void cw_tool_signals_reopen_on_hangup(void);
bool cw_tool_signals_want_reopen(void);

/* The first signal ends the program at once, with the status of one that was stopped, as long as `ends`: while
 * something is waited for before anything was begun. */
void cw_tool_signals_end_at_once(bool ends);

/* A descriptor that is readable from the first signal on, and must not be read. -1: cw_tool_signals_open was not
 * called. */
int cw_tool_signals_event(void);

/* Has the first signal stop this engine, at once if it has come already. NULL: the engine is about to be freed, and no
 * signal touches it when this returns. */
void cw_tool_signals_stop_engine(cw_tool_signals *signals, crawl_engine *engine);

/* Frees the memory. The handlers stay, so that a second signal still ends the program. NULL is allowed. */
void cw_tool_signals_close(cw_tool_signals *signals);

/* Prepares the process for a crawl: enough open files, and a message if libevent ends it. */

/* Raises the limit of open files to the highest that is allowed. False: that is too low for any crawl, and the user was
 * told. */
bool cw_tool_process_prepare(void);
