/* The lines drawn in place on a terminal, as text made from figures, a size, and the terminal's capabilities. Pure: it
 * uses no terminal and no clock. */
#pragma once

#include <crawl/engine.h>

/* Maximum number of lines; each is narrower than the terminal. */
#define CW_TERMINAL_PANEL_LINES 8u

/* Seconds for which the pace is kept; each has a bar. */
#define CW_TERMINAL_PACES 120u

typedef struct cw_terminal_look {
    unsigned columns;
    unsigned lines; /* at most; 1: everything in one line */
    bool is_utf8;
    bool has_colours;
    bool has_keys; /* keys can be pressed */
} cw_terminal_look;

/* Maximum number of recent hosts and of failures shown, and bytes of their texts. */
enum { CW_TERMINAL_HOSTS = 6, CW_TERMINAL_FAILURES = 3, CW_TERMINAL_HOST_SIZE = 64, CW_TERMINAL_WORDS_SIZE = 400 };

typedef struct cw_terminal_failure {
    char time[9]; /* "12:34:56" */
    char words[CW_TERMINAL_WORDS_SIZE];
    char url[CW_TERMINAL_WORDS_SIZE];
} cw_terminal_failure;

typedef struct cw_terminal_figures {
    const crawl_engine_stats *now;
    uint32_t paces[CW_TERMINAL_PACES]; /* pages of each second, oldest first */
    unsigned pace_count;
    double pace;                                          /* recent pages per second */
    char hosts[CW_TERMINAL_HOSTS][CW_TERMINAL_HOST_SIZE]; /* recently asked, newest first */
    unsigned host_count;
    cw_terminal_failure failures[CW_TERMINAL_FAILURES]; /* newest first */
    unsigned failure_count;
    bool explains; /* explain the keys */
} cw_terminal_figures;

typedef struct cw_terminal_panel {
    crawl_buf text; /* lines separated by line ends */
    unsigned lines;
    unsigned widths[CW_TERMINAL_PANEL_LINES];
} cw_terminal_panel;

/* Makes the lines. *panel is {0}, or was made before. When out of memory, some lines are missing. */
void cw_terminal_panel_make(cw_terminal_panel *panel, const cw_terminal_figures *figures, const cw_terminal_look *look);
