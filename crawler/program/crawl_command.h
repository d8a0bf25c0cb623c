/* `crawl [options] [URL...]`: the crawl itself. */
#ifndef CW_CRAWL_COMMAND_H
#define CW_CRAWL_COMMAND_H

#include <stdio.h>

/* The exit status. */
int cw_crawl_command(int argc, char **argv);

void cw_crawl_help(FILE *out);

#endif
