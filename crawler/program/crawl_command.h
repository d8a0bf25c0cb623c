/* `crawl [options] [URL...]`: the crawl itself. */
#ifndef CW_CRAWL_COMMAND_H
#define CW_CRAWL_COMMAND_H

#include <stdio.h>

/* The exit status. */
int cw_program_crawl(int argc, char **argv);

void cw_program_help(FILE *out);

#endif
