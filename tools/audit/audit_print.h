/* Prints what `crawl audit` found, on standard output: as text for people, or as JSON Lines for programs. */
#pragma once

#include "tools/audit/audit_log.h"

typedef struct cw_audit_printer {
    bool jsonl;
    const char *const *paths; /* of several logs; then lines are those of cw_audit_log_place. NULL: there is one */
    unsigned long rows;       /* of the table of hosts, as text */
    uint64_t foreign;         /* lines whose URL is of another host */
    uint64_t shown;           /* violations, as text */
} cw_audit_printer;

void cw_audit_print_violation(cw_audit_printer *printer, const cw_audit_violation *violation);
/* Prints that the URL of a request belongs to origin, and not to the request's host. */
void cw_audit_print_foreign(cw_audit_printer *printer, const cw_audit_request *request, crawl_slice origin);
/* Prints the hosts, the runs and the verdict. */
void cw_audit_print_result(cw_audit_printer *printer, cw_audit *audit, const cw_audit_runs *runs);
