/* From a line of a log to a request for the audit: the records of --requests, and nginx's access log. */
#ifndef CW_AUDIT_READ_H
#define CW_AUDIT_READ_H

#include "crawler/audit.h"

#include <crawl/url.h>
#include <jansson.h>

/* What is used again from line to line; {0}, then cw_audit_reader_free. */
typedef struct cw_audit_reader {
    bool per_ip; /* addresses are checked though the records do not ask for it */
    json_t *row;
    crawl_url *url;
    crawl_buf text;
} cw_audit_reader;

void cw_audit_reader_free(cw_audit_reader *reader);

/* Slices live until the next line. CRAWL_EPARSE: error says why. *foreign: the URL is of another host than the line says.
 * CRAWL_ENOMEM. */
crawl_err cw_audit_read_record(cw_audit_reader *reader, crawl_slice line, cw_audit_request *out, bool *foreign,
                               crawl_error *error);

/* Fields between tabs or blanks: $msec or [$time_local], $request_time, $host, whatever else. start = end - $request_time. */
crawl_err cw_audit_read_nginx(cw_audit_reader *reader, crawl_slice line, cw_audit_request *out, bool *whole_seconds,
                              crawl_error *error);

#endif
