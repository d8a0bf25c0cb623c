/* What `crawl --help` prints; manual pages and the completion of shells are made of it too. */
#ifndef CW_HELP_H
#define CW_HELP_H

#include <stdio.h>

/* A failure of out is left for its owner to find. */
void cw_program_help(FILE *out);

#endif
