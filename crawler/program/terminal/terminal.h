/* A crawl on a terminal: a few lines drawn in place below the messages, or one, and the keys that change the crawl
 * while it runs. A thread of its own draws and reads keys. */
#ifndef CW_TERMINAL_H
#define CW_TERMINAL_H

#include <crawl/engine.h>

typedef struct cw_terminal cw_terminal;

/* engine is borrowed until it is closed. is_full: as many lines as there is height for; otherwise one. NULL: there is
 * no memory or no thread for it, and the crawl goes without. */
cw_terminal *cw_terminal_open(crawl_engine *engine, bool is_full);

/* A request has finished: whose host was asked, and what failed. From any thread; NULL does nothing. */
void cw_terminal_note(cw_terminal *terminal, const crawl_record *record);

/* Before the engine goes. Nothing is left of what was drawn, and the terminal is as it was. NULL does nothing. */
void cw_terminal_close(cw_terminal *terminal);

#endif
