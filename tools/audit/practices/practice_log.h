/* Reads the lines of --requests for the practices: who asks, what is asked of which host, and what becomes of it.
 * Memory: 100 bytes for each URL, the rules of each robots.txt. */
#pragma once

#include "tools/audit/audit_read.h"
#include "tools/audit/practices/practice.h"

typedef struct cw_practice_log cw_practice_log;

/* findings is borrowed. NULL: no memory. */
cw_practice_log *cw_practice_log_create(cw_practice_findings *findings);
void cw_practice_log_free(cw_practice_log *log);

/* Takes a line that the audit has taken, in the order of the file. CRAWL_ENOMEM. */
crawl_err cw_practice_log_row(cw_practice_log *log, cw_audit_event event, const json_t *row, uint64_t line);
/* Takes a violation that the audit has found, for the row that it belongs to. */
void cw_practice_log_violation(cw_practice_log *log, const cw_audit_violation *violation);
/* A wall answered at this time, as records say; us since 1970. */
void cw_practice_log_wall(cw_practice_log *log, int64_t at_us);
/* There are no more lines, and no more walls. */
void cw_practice_log_end(cw_practice_log *log);

/* Returns an exit status, after a message if that is not 0. */
int cw_practice_records_read(const char *tool, const char *path, cw_practice_findings *findings, cw_practice_log *log);
