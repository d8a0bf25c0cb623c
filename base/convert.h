/* Converts a document to a page by another program, which reads the document from standard input and prints HTML or
 * plain text. All three of its streams are files in memory, so that nothing waits for a pipe. Linux. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

/* Limits of time, which also bounds the processor time, of memory, and of output. */
#define CW_CONVERT_MAX_MS 60000
#define CW_CONVERT_MAX_MEMORY ((uint64_t)2 << 30)
#define CW_CONVERT_MAX_PAGE ((uint64_t)64 << 20)

typedef struct cw_convert {
    pid_t pid;
    int ended; /* a descriptor, readable once the program has ended */
    int out;
    int errors;
} cw_convert;

/* The result of a conversion. */
typedef struct cw_converted {
    crawl_buf page; /* HTML, in UTF-8 or the encoding it declares; empty unless the outcome is "whole"; the caller frees
                       it */
    const char *outcome; /* "whole", "failed": it reported an error, or could not be started; "crashed", "timeout";
                            static */
    char words[160];     /* also for "whole": the first line of its standard error, or what ended it; "": nothing */
} cw_converted;

/* Checks whether a program exists, on $PATH if its name has no slash. Returns 0, or an errno. */
int cw_convert_find(const char *program);

/* Starts the program with a copy of the document. False: result says why. */
bool cw_convert_begin(char *const *words, crawl_slice document, cw_convert *convert, cw_converted *result);

/* Reads the output. If the program has not ended, kills it and reports the outcome `why`, such as "timeout". */
void cw_convert_end(cw_convert *convert, const char *why, cw_converted *result);

/* Begins, waits and ends. */
void cw_convert_run(char *const *words, crawl_slice document, cw_converted *result);
