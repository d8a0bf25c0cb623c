/* The signals that end the program: the first one cleanly, a second one at once.
 *
 * SIGINT, SIGTERM and SIGHUP are caught, unless they were ignored at the program's start (nohup, `&` in a script); then
 * they stay ignored. A second signal counts if it comes at least half a second after the first: `timeout` sends two at
 * the same moment, a person's second Ctrl-C comes later. SIGPIPE is ignored, so that writes give EPIPE.
 *
 * A handler may run on any thread, at any time. It only touches variables that live as long as the process; a thread of
 * the program does the rest, under a lock. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_tool_signals cw_tool_signals;

/* Catches the signals. Call once per process. before_death: called in a handler before a second signal ends the
 * process; NULL: nothing. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_tool_signals_open(void (*before_death)(void), cw_tool_signals **out, crawl_error *error);

/* Returns true if SIGUSR1, which asks for progress, came since the last call. */
bool cw_tool_signals_want_summary(void);

/* Makes SIGHUP ask for reopening files instead of ending the crawl; it is caught even if it was ignored at the
 * program's start. want_reopen returns true if it came since the last call. */
void cw_tool_signals_reopen_on_hangup(void);
bool cw_tool_signals_want_reopen(void);

/* While `ends` is set, the first signal ends the program at once, with the status of a stopped one. For waiting before
 * anything was begun. */
void cw_tool_signals_end_at_once(bool ends);

/* Returns a descriptor that is readable from the first signal on, and must not be read. -1: cw_tool_signals_open was
 * not called. */
int cw_tool_signals_event(void);

/* Lets the first signal stop this engine, at once if it has come already. NULL: the engine is about to be freed; no
 * signal touches it after this returns. */
void cw_tool_signals_stop_engine(cw_tool_signals *signals, crawl_engine *engine);

/* Frees the memory. The handlers stay, so that a second signal still ends the program. NULL is allowed. */
void cw_tool_signals_close(cw_tool_signals *signals);

/* Prepares the process for a crawl: enough open files, and a message if libevent ends it. */

/* Raises the limit of open files to the maximum. Returns false if that is too low for any crawl; the user was told. */
bool cw_tool_process_prepare(void);
