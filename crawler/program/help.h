/* The help of `crawl --help` and `crawl help` about the options of a crawl. Manual pages and shell completions are made
 * from the full text. A failure of out is left for its owner to find. */
#pragma once

#include "base/text/nearest.h"

#include <crawl/base.h>
#include <stdio.h>

/* Files of help/: the text before the most used options, before all options, and after all options. */
extern const char cw_program_text_short[];
extern const char cw_program_text_begin[];
extern const char cw_program_text_end[];

/* Prints the most used options, and the groups of all options. */
void cw_program_help_short(FILE *out);

/* Prints the options of one group. Returns false, and prints nothing, if there is no such group. */
bool cw_program_help_group(const char *name, FILE *out);

/* Offers the name of each group. */
void cw_program_help_offer_groups(cw_nearest *nearest);

/* Prints all options. */
void cw_program_help(FILE *out);

/* Returns the output of a function as text, which the caller frees. NULL: out of memory. */
char *cw_program_printed(void (*print)(FILE *out));

/* Prints "crawl X.Y.Z", then a line for each library in use. CRAWL_ENOMEM: nothing was written. */
crawl_err cw_program_version_print(FILE *out);
