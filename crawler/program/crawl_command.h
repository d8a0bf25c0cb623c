/* `crawl [options] [URL...]`: the crawl itself. */
#pragma once

/* The exit status. */
int cw_program_crawl(int argc, char **argv);
