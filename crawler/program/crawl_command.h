/* `crawl [options] [URL...]`: the crawl itself. */
#pragma once

/* Returns the exit status. */
int cw_program_crawl(int argc, char **argv);
