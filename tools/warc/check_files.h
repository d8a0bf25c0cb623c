/* `crawl warc --check`. */
#ifndef CW_CHECK_FILES_H
#define CW_CHECK_FILES_H

/* Checks the files, and prints their faults. The exit status. */
int cw_check_files(const char *tool, int count, char **paths);

#endif
