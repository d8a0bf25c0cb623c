#include "crawler/program/exec/open_lines.h"

#include <stdlib.h>

/* ---- lists ---- */

void cw_exec_lines_append(cw_exec_lines *lines, cw_exec_line *line)
{
    line->next = NULL;
    *(lines->last ? &lines->last->next : &lines->first) = line;
    lines->last = line;
}

cw_exec_line *cw_exec_lines_take(cw_exec_lines *lines)
{
    cw_exec_line *line = lines->first;
    if (!line)
        return NULL;
    lines->first = line->next;
    if (!lines->first)
        lines->last = NULL;
    return line;
}

void cw_exec_lines_join(cw_exec_lines *lines, cw_exec_lines *more)
{
    if (!more->first)
        return;
    *(lines->last ? &lines->last->next : &lines->first) = more->first;
    lines->last = more->last;
    *more = (cw_exec_lines){0};
}

void cw_exec_lines_free(cw_exec_lines *lines)
{
    for (cw_exec_line *line = cw_exec_lines_take(lines); line; line = cw_exec_lines_take(lines))
        free(line);
}

/* ---- lines by number ---- */

/* Makes room for one more at the end: moves used slots to the front if that frees many, otherwise grows. */
static crawl_err open_lines_reserve(cw_exec_open *open)
{
    enum { FIRST = 64 };
    size_t used = open->end - open->from;
    if (open->end < open->capacity)
        return CRAWL_OK;
    if (used && open->from > open->capacity / 2) {
        memmove(open->lines, open->lines + open->from, used * sizeof *open->lines);
    } else if (used) {
        size_t capacity = open->capacity * 2;
        cw_exec_line **lines = realloc(open->lines, capacity * sizeof *lines);
        if (!lines)
            return CRAWL_ENOMEM;
        open->lines = lines;
        open->capacity = capacity;
        return CRAWL_OK;
    } else if (!open->lines) {
        open->lines = malloc(FIRST * sizeof *open->lines);
        open->capacity = open->lines ? FIRST : 0;
        return open->lines ? CRAWL_OK : CRAWL_ENOMEM;
    }
    open->from = 0;
    open->end = used;
    return CRAWL_OK;
}

crawl_err cw_exec_open_add(cw_exec_open *open, cw_exec_line *line, uint64_t *number)
{
    if (open_lines_reserve(open))
        return CRAWL_ENOMEM;
    open->lines[open->end++] = line;
    open->count++;
    *number = open->answered + (open->end - open->from);
    return CRAWL_OK;
}

bool cw_exec_open_knows(const cw_exec_open *open, uint64_t number)
{
    return number <= open->answered + (open->end - open->from);
}

cw_exec_line *cw_exec_open_answer(cw_exec_open *open, uint64_t number)
{
    if (number <= open->answered)
        return NULL;
    cw_exec_line **place = &open->lines[open->from + (number - open->answered - 1)];
    cw_exec_line *line = *place;
    *place = NULL;
    open->count -= line != NULL;
    for (; open->from < open->end && !open->lines[open->from]; open->from++)
        open->answered++;
    return line;
}

cw_exec_lines cw_exec_open_take_all(cw_exec_open *open)
{
    cw_exec_lines all = {0};
    for (size_t i = open->from; i < open->end; i++)
        if (open->lines[i])
            cw_exec_lines_append(&all, open->lines[i]);
    free(open->lines);
    *open = (cw_exec_open){0};
    return all;
}
