/* Demands of the command line beyond the log: longer pauses, fewer requests at once. */
#pragma once

#include "tools/audit/audit.h"

/* Initialise with {0}, free with cw_audit_demands_free. */
typedef struct cw_audit_demands {
    struct cw_audit_demand *pauses;
    size_t count;
    int64_t per_host; /* requests at once; 0: the log's limits */
} cw_audit_demands;

void cw_audit_demands_free(cw_audit_demands *demands);

/* Adds "D" or "HOST=D", a pause; text is borrowed. Returns false after a message. */
bool cw_audit_demands_add(cw_audit_demands *demands, const char *text);
/* Applies the last pause that names the host, otherwise the last one for all hosts, and the limit. */
void cw_audit_demands_apply(cw_audit_demands *demands, cw_audit_request *request);
/* Returns the text of a pause whose host no request was to. NULL: none. */
const char *cw_audit_demands_unmet(const cw_audit_demands *demands);

/* Reads a duration as in crawler.conf. Returns false after a message. */
bool cw_audit_parse_duration(const char *option, const char *text, int64_t *us);
