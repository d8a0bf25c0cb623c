/* The lines that are drawn in place on a terminal: from figures, a size and what the terminal can show, to text. It
 * knows no terminal and no clock. */
#ifndef CW_TERMINAL_PANEL_H
#define CW_TERMINAL_PANEL_H

#include <crawl/engine.h>

/* At most so many lines, of which each has fewer columns than the terminal. */
#define CW_TERMINAL_PANEL_LINES 8u

/* Seconds whose pace is kept: a bar each. */
#define CW_TERMINAL_PACES 120u

typedef struct cw_terminal_look {
    unsigned columns;
    unsigned lines; /* at most; 1: all in one */
    bool is_utf8;
    bool has_colours;
    bool has_keys; /* somebody can press them */
} cw_terminal_look;

/* A host that was asked, and a failure: in words, with the URL that failed. */
enum { CW_TERMINAL_HOSTS = 6, CW_TERMINAL_FAILURES = 3, CW_TERMINAL_HOST_SIZE = 64, CW_TERMINAL_WORDS_SIZE = 400 };

typedef struct cw_terminal_failure {
    char time[9]; /* "12:34:56" */
    char words[CW_TERMINAL_WORDS_SIZE];
    char url[CW_TERMINAL_WORDS_SIZE];
} cw_terminal_failure;

typedef struct cw_terminal_figures {
    const crawl_engine_stats *now;
    uint32_t paces[CW_TERMINAL_PACES]; /* pages of each second, the last one last */
    unsigned pace_count;
    double pace;                                          /* pages a second, of late */
    char hosts[CW_TERMINAL_HOSTS][CW_TERMINAL_HOST_SIZE]; /* asked of late, the last one first */
    unsigned host_count;
    cw_terminal_failure failures[CW_TERMINAL_FAILURES]; /* the last one first */
    unsigned failure_count;
    bool explains; /* the keys, at length */
} cw_terminal_figures;

typedef struct cw_terminal_panel {
    crawl_buf text; /* lines with an end between them, and none behind the last */
    unsigned lines;
    unsigned widths[CW_TERMINAL_PANEL_LINES];
} cw_terminal_panel;

/* *panel is zeroed, or of before. Without memory, less is there. */
void cw_terminal_panel_make(cw_terminal_panel *panel, const cw_terminal_figures *figures, const cw_terminal_look *look);

#endif
