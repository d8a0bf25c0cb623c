/* The help that `crawl --help` and `crawl help` print of the options of a crawl; manual pages and the completion of
 * shells are made of the whole of it. A failure of out is left for its owner to find. */
#pragma once

#include <crawl/base.h>
#include <stdio.h>

/* The files of help/: what stands before the options that are used most, before all, and behind them. */
extern const char cw_program_text_short[];
extern const char cw_program_text_begin[];
extern const char cw_program_text_end[];

/* The options that are used most, and the groups of all. */
void cw_program_help_short(FILE *out);

/* The options of one group. False: there is no such group, and nothing was printed. */
bool cw_program_help_group(const char *name, FILE *out);

/* Everything. */
void cw_program_help(FILE *out);

/* The output of a function as text, which the caller frees. NULL: there is no memory. */
char *cw_program_printed(void (*print)(FILE *out));

/* Prints "crawl X.Y.Z", then a line for each library in use. CRAWL_ENOMEM: nothing was written. */
crawl_err cw_program_version_print(FILE *out);
