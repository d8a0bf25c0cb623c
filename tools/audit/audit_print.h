/* Prints the results of `crawl audit` on standard output: text for people, or JSON Lines for programs. */
#pragma once

#include "tools/audit/audit_log.h"

typedef struct cw_audit_printer {
    bool jsonl;
    const char *const *paths; /* with several logs; lines are then those of cw_audit_log_place. NULL: a single log */
    unsigned long rows;       /* of the table of hosts, in text */
    uint64_t foreign;         /* lines whose URL is of another host */
    uint64_t shown;           /* violations, in text */
} cw_audit_printer;

void cw_audit_print_violation(cw_audit_printer *printer, const cw_audit_violation *violation);
/* Reports that the URL of a request belongs to origin, not to the request's host. */
void cw_audit_print_foreign(cw_audit_printer *printer, const cw_audit_request *request, crawl_slice origin);
/* Prints the hosts, the runs and the verdict. */
void cw_audit_print_result(cw_audit_printer *printer, cw_audit *audit, const cw_audit_runs *runs);
