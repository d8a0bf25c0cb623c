/* One line that is drawn in place below the messages, by a thread that has other work and comes by now and then: no
 * keys, no thread of its own, and the cursor stays in sight. */
#ifndef CW_TERMINAL_LINE_H
#define CW_TERMINAL_LINE_H

#include <crawl/base.h>

typedef struct cw_terminal_line {
    unsigned width; /* columns of what is drawn; 0: nothing is */
} cw_terminal_line;

/* In place of what was drawn before, cut to the terminal. Nothing while the terminal is another program's. */
void cw_terminal_line_draw(cw_terminal_line *line, crawl_slice text);
/* Nothing is left of it. */
void cw_terminal_line_erase(cw_terminal_line *line);

#endif
