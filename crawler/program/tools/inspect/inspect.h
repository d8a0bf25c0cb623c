/* What the parts of `crawl inspect` share. */
#ifndef CW_TOOL_INSPECT_H
#define CW_TOOL_INSPECT_H

#include "crawler/engine/host/site_note.h"
#include "crawler/program/date.h"
#include "crawler/program/tools/io.h"

#include <crawl/frontier.h>

typedef struct cw_inspect {
    const char *directory;
    crawl_slice origin; /* of the requests wanted; empty: of all */
    bool jsonl;
    int64_t now_ms; /* wall clock */
    crawl_frontier_view *view;
} cw_inspect;

/* Each prints to standard output. CRAWL_EIO, CRAWL_ECORRUPT: the directory cannot be read. CRAWL_ENOMEM. */
crawl_err cw_inspect_summary(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_hosts(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_queue(cw_inspect *inspect, crawl_error *error);
crawl_err cw_inspect_filter(cw_inspect *inspect, crawl_error *error);

/* "unknown", "absent", "rules", "refused" or, whichever it was, "expired". */
const char *cw_inspect_verdict(const cw_site_note *note, int64_t now_ms);

/* "2026-01-31T12:00:00.000Z"; "never" and "forever" at the ends of time. */
cw_date cw_inspect_date_of(int64_t wall_ms);

/* Prints a line of JSON, which is given; NULL: no memory. */
crawl_err cw_inspect_print(json_t *object);

#endif
