/* Lines that a sink has not acknowledged, by their numbers. Only one thread uses them. */
#pragma once

#include <crawl/base.h>

typedef struct cw_exec_line {
    struct cw_exec_line *next;
    uint64_t receipt; /* of its record; 0: no page waits */
    int64_t due_us;   /* not to be sent before; on the clock of cw_now_us */
    size_t size;
    char text[]; /* all of it behind its number, with its end */
} cw_exec_line;

typedef struct cw_exec_lines {
    cw_exec_line *first, *last;
} cw_exec_lines;

void cw_exec_lines_append(cw_exec_lines *lines, cw_exec_line *line);
/* NULL: there is none. */
cw_exec_line *cw_exec_lines_take(cw_exec_lines *lines);
/* Moves all of `more` behind those of lines. */
void cw_exec_lines_join(cw_exec_lines *lines, cw_exec_lines *more);
void cw_exec_lines_free(cw_exec_lines *lines);

/* Lines that were sent to the process that runs now. */
typedef struct cw_exec_open {
    cw_exec_line **lines; /* NULL: answered */
    size_t capacity;
    size_t from, end;  /* places in use */
    uint64_t answered; /* the number of lines[from] is one more: all up to here are answered */
    size_t count;      /* not answered */
} cw_exec_open;

/* Takes a line, and gives it the next number. CRAWL_ENOMEM: it was not taken. */
crawl_err cw_exec_open_add(cw_exec_open *open, cw_exec_line *line, uint64_t *number);
/* Was a line of this number sent? */
bool cw_exec_open_knows(const cw_exec_open *open, uint64_t number);
/* Takes a line out. NULL: it was answered before. */
cw_exec_line *cw_exec_open_answer(cw_exec_open *open, uint64_t number);
/* Takes all out, in their order, for a process to which numbers from 1 on go. */
cw_exec_lines cw_exec_open_take_all(cw_exec_open *open);
