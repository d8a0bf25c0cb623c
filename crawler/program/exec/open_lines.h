/* Lines that a sink has not acknowledged, by number. Only one thread uses them. */
#pragma once

#include <crawl/base.h>

typedef struct cw_exec_line {
    struct cw_exec_line *next;
    uint64_t receipt; /* of its record; 0: no page waits for it */
    int64_t due_us;   /* not to be sent earlier; clock of cw_now_us */
    size_t size;
    char text[]; /* everything after its number, with its line end */
} cw_exec_line;

typedef struct cw_exec_lines {
    cw_exec_line *first, *last;
} cw_exec_lines;

void cw_exec_lines_append(cw_exec_lines *lines, cw_exec_line *line);
/* Returns the first line. NULL: the list is empty. */
cw_exec_line *cw_exec_lines_take(cw_exec_lines *lines);
/* Appends all of `more`, which becomes empty. */
void cw_exec_lines_join(cw_exec_lines *lines, cw_exec_lines *more);
void cw_exec_lines_free(cw_exec_lines *lines);

/* Lines sent to the process that runs now. */
typedef struct cw_exec_open {
    cw_exec_line **lines; /* NULL: answered */
    size_t capacity;
    size_t from, end;  /* slots in use */
    uint64_t answered; /* all numbers up to this are answered; lines[from] has the next */
    size_t count;      /* unanswered lines */
} cw_exec_open;

/* Takes ownership of a line and gives it the next number. CRAWL_ENOMEM: not taken. */
crawl_err cw_exec_open_add(cw_exec_open *open, cw_exec_line *line, uint64_t *number);
/* Returns true if a line with this number was sent. */
bool cw_exec_open_knows(const cw_exec_open *open, uint64_t number);
/* Removes and returns a line. NULL: answered before. */
cw_exec_line *cw_exec_open_answer(cw_exec_open *open, uint64_t number);
/* Removes and returns all lines in their order, for a new process, whose numbers begin at 1. */
cw_exec_lines cw_exec_open_take_all(cw_exec_open *open);
