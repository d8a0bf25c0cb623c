/* `crawl help --man PAGE`: the manual pages, for those who package the program; cmake/package.cmake calls it. */
#ifndef CW_TOOL_MAN_H
#define CW_TOOL_MAN_H

#include <stddef.h>
#include <stdio.h>

/* A word of the command line. */
typedef struct cw_tool_word {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
    const char *summary;
} cw_tool_word;

/* Prints a page: "crawl", "crawl-WORD" or "crawler.conf". The exit status. */
int cw_tool_man(const char *name, const cw_tool_word *words, size_t count);

/* The output of a function as text, which the caller frees. NULL: there is no memory. */
char *cw_tool_printed(void (*print)(FILE *out));

#endif
