/* The lines that are drawn in place on a terminal, as text made of figures, a size, and what the terminal can show.
 * Pure: no terminal and no clock are used here. */
#pragma once

#include <crawl/engine.h>

/* The most lines; each has fewer columns than the terminal. */
#define CW_TERMINAL_PANEL_LINES 8u

/* For how many seconds the pace is kept; each has a bar. */
#define CW_TERMINAL_PACES 120u

typedef struct cw_terminal_look {
    unsigned columns;
    unsigned lines; /* the most lines; 1: all stands in one */
    bool is_utf8;
    bool has_colours;
    bool has_keys; /* there are keys to be pressed */
} cw_terminal_look;

/* How many hosts that were asked, and how many failures, are shown; and how many bytes of their texts. */
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
    bool explains; /* the keys are explained */
} cw_terminal_figures;

typedef struct cw_terminal_panel {
    crawl_buf text; /* lines with an end between them, and none behind the last */
    unsigned lines;
    unsigned widths[CW_TERMINAL_PANEL_LINES];
} cw_terminal_panel;

/* Makes the lines. *panel is {0}, or was made before. Without memory some of them are missing. */
void cw_terminal_panel_make(cw_terminal_panel *panel, const cw_terminal_figures *figures, const cw_terminal_look *look);
