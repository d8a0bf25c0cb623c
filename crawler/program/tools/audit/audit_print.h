/* What `crawl audit` says, on standard output: as text, or as JSON Lines. */
#ifndef CW_AUDIT_PRINT_H
#define CW_AUDIT_PRINT_H

#include "crawler/program/tools/audit/audit_log.h"

typedef struct cw_audit_printer {
    bool jsonl;
    unsigned long rows; /* of the table of hosts, as text */
    uint64_t foreign;   /* lines whose URL is of another host */
    uint64_t shown;     /* violations, as text */
    bool failed;        /* for want of memory; the output is main.c's to look at */
} cw_audit_printer;

void cw_audit_print_violation(cw_audit_printer *printer, const cw_audit_violation *violation);
/* The URL of the request is of origin. */
void cw_audit_print_foreign(cw_audit_printer *printer, const cw_audit_request *request, crawl_slice origin);
/* The hosts, the runs and the verdict. */
void cw_audit_print_result(cw_audit_printer *printer, cw_audit *audit, const cw_audit_runs *runs);

#endif
