/* A crawl on a terminal: a few lines drawn in place below the messages, or one, and the keys that change the crawl
 * while it runs. A thread of its own draws and reads keys. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_terminal cw_terminal;

/* Begins to draw. engine is borrowed until cw_terminal_close. is_full: as many lines as the height allows; otherwise
 * one. NULL: there is no memory or no thread, and the crawl runs without. */
cw_terminal *cw_terminal_open(crawl_engine *engine, bool is_full);

/* Takes the record of a request that has finished: which host was asked, and what failed. May be called from any
 * thread; terminal may be NULL. */
void cw_terminal_note(cw_terminal *terminal, const crawl_record *record);

/* Takes away what was drawn, and leaves the terminal as it was. To be called before the engine is freed. NULL is
 * allowed. */
void cw_terminal_close(cw_terminal *terminal);
