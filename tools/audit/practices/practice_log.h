/* Reads the lines of --requests for the practices: the identity of the crawler, its requests to each host, and their
 * results. Memory: 100 bytes per URL, and the rules of each robots.txt. */
#pragma once

#include "tools/audit/audit_read.h"
#include "tools/audit/practices/practice.h"

typedef struct cw_practice_log cw_practice_log;

/* findings is borrowed. NULL: out of memory. */
cw_practice_log *cw_practice_log_create(cw_practice_findings *findings);
void cw_practice_log_free(cw_practice_log *log);

/* Takes a line that the audit has taken, in file order. CRAWL_ENOMEM. */
crawl_err cw_practice_log_row(cw_practice_log *log, cw_audit_event event, const json_t *row, uint64_t line);
/* Takes a violation that the audit has found, for its row. */
void cw_practice_log_violation(cw_practice_log *log, const cw_audit_violation *violation);
/* Notes a wall that records report; us since 1970. */
void cw_practice_log_wall(cw_practice_log *log, int64_t at_us);
/* Ends the log. Call after the last line and the last wall. */
void cw_practice_log_end(cw_practice_log *log);

/* Reads records. Returns an exit status, after a message if that is not 0. */
int cw_practice_records_read(const char *tool, const char *path, cw_practice_findings *findings, cw_practice_log *log);
