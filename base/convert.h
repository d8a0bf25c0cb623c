/* A document that another program makes a page of: it has the document as its standard input, and prints HTML, or plain
 * text. All three of its streams are files in memory, so that nobody waits for a pipe. Linux. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

/* How long it may take in all, how much processor time and memory, and how much it may print. */
#define CW_CONVERT_MAX_MS 60000
#define CW_CONVERT_MAX_MEMORY ((uint64_t)2 << 30)
#define CW_CONVERT_MAX_PAGE ((uint64_t)64 << 20)

typedef struct cw_convert {
    pid_t pid;
    int ended; /* a descriptor, readable as soon as the program has ended */
    int out;
    int errors;
} cw_convert;

/* The outcome. */
typedef struct cw_converted {
    crawl_buf page;      /* UTF-8 or as it says itself, HTML; empty unless the outcome is "whole"; to be freed */
    const char *outcome; /* "whole", "failed": it has said so, or could not be started; "crashed", "timeout"; static */
    char words[160];     /* of "whole" too: the first line of its standard error, or what ended it; "": nothing */
} cw_converted;

/* Is there a program of this name, on $PATH if it has no slash? Returns 0, or an errno. */
int cw_convert_find(const char *program);

/* Starts the program for a document, which is copied. False: result says why. */
bool cw_convert_begin(char *const *words, crawl_slice document, cw_convert *convert, cw_converted *result);

/* Takes what it has printed; if it has not ended, it is killed, as `why` has it: "timeout", say. */
void cw_convert_end(cw_convert *convert, const char *why, cw_converted *result);

/* The same as begin, waiting and end. */
void cw_convert_run(char *const *words, crawl_slice document, cw_converted *result);
