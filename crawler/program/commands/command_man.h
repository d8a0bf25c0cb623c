/* `crawl help --man PAGE`: the manual pages, for those who package the program; cmake/package.cmake calls it. */
#ifndef CW_COMMAND_MAN_H
#define CW_COMMAND_MAN_H

#include <stdio.h>

/* Prints a page: "crawl", "crawl-WORD" or "crawler.conf". The exit status. */
int cw_command_man(const char *name);

/* The output of a function as text, which the caller frees. NULL: there is no memory. */
char *cw_command_printed(void (*print)(FILE *out));

#endif
