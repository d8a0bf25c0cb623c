/* `crawl audit --practices` as a whole: the log, the records, the list of addresses, and their output. */
#pragma once

#include "tools/audit/audit_read.h"

typedef struct cw_practices cw_practices;

typedef struct cw_practices_options {
    const char *records; /* files; NULL: none */
    const char *ranges;
    const char *address; /* of the crawler */
} cw_practices_options;

/* Reads the list of addresses. Returns an exit status, after a message if that is not 0. options is borrowed. */
int cw_practices_create(const cw_practices_options *options, cw_practices **out);
void cw_practices_free(cw_practices *practices);

/* Do the same as cw_practice_log_row and cw_practice_log_violation. */
crawl_err cw_practices_row(cw_practices *practices, cw_audit_event event, const json_t *row, uint64_t line);
void cw_practices_violation(cw_practices *practices, const cw_audit_violation *violation);

/* Reads the records. Call after the log. Returns an exit status, after a message if that is not 0. */
int cw_practices_end(cw_practices *practices);
/* Prints all rows. Returns an exit status; CW_EXIT_NOTHING: a practice is broken. */
int cw_practices_print(const cw_practices *practices, bool jsonl);
