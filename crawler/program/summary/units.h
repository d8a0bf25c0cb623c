/* Times and sizes for people, the words around a figure, and words of commands. */
#pragma once

#include <crawl/base.h>

/* Appends words to a report. When out of memory, only some words are missing. */
#define CW_PROGRAM_SAY(...) ((void)crawl_buf_printf(__VA_ARGS__))

/* Appends "1.5 s", "2 min 3 s", "1 h 5 min", or from two days on "4 d 7 h". */
void cw_program_duration(crawl_buf *out, int64_t ms);

/* "12 B", "1.5 MiB" */
typedef struct cw_program_size_text {
    char text[32];
} cw_program_size_text;
cw_program_size_text cw_program_size(uint64_t bytes);

double cw_program_per_second(uint64_t count, int64_t elapsed_ms);

/* Returns the plural ending of a word after a number: "" for 1, otherwise "s". */
const char *cw_program_plural(uint64_t count);

/* Appends a word of a command so that it can be pasted into a shell. */
void cw_program_quoted(crawl_slice word, crawl_buf *out);
