/* `crawl [options] [URL...]`: the crawl itself. */
#ifndef CW_CRAWL_COMMAND_H
#define CW_CRAWL_COMMAND_H

/* The exit status. */
int cw_program_crawl(int argc, char **argv);

#endif
