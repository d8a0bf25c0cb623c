/* Reads the records of a crawl for the practices that its log of requests does not show: nofollow, and walls. */
#ifndef CW_PRACTICE_RECORDS_H
#define CW_PRACTICE_RECORDS_H

#include "tools/audit/practices/practice_log.h"

/* Returns an exit status, after a message if that is not 0. */
int cw_practice_records_read(const char *tool, const char *path, cw_practice_findings *findings, cw_practice_log *log);

#endif
