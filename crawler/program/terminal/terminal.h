/* A crawl on a terminal: one or a few lines drawn in place below the messages, and keys that change the running crawl.
 * A thread of its own draws and reads keys. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_terminal cw_terminal;

/* Starts to draw. engine is borrowed until cw_terminal_close. is_full: as many lines as the height allows, otherwise
 * one. NULL: out of memory or no thread; the crawl runs without it. */
cw_terminal *cw_terminal_open(crawl_engine *engine, bool is_full);

/* Takes the record of a finished request: notes its host and any failure. Any thread may call it; terminal may be
 * NULL. */
void cw_terminal_note(cw_terminal *terminal, const crawl_record *record);

/* Erases the drawing, and restores the terminal. Call before the engine is freed. NULL is allowed. */
void cw_terminal_close(cw_terminal *terminal);
