/* `crawl help --man PAGE`: the manual pages, for those who package the program; cmake/package.cmake calls it. */
#ifndef CW_COMMAND_MAN_H
#define CW_COMMAND_MAN_H

/* Prints a page: "crawl", "crawl-WORD" or "crawler.conf". The exit status. */
int cw_command_man(const char *name);

#endif
