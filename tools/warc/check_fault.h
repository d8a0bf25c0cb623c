/* Faults of WARC and WACZ files, each a line on standard output with the file, the place in it, and what is wrong. */
#ifndef CW_CHECK_FAULT_H
#define CW_CHECK_FAULT_H

#include "base/map.h"

/* The state of a check: the place, and the faults found. */
typedef struct cw_check {
    const char *path;  /* of the file */
    const char *inner; /* of the file in the WACZ; NULL: the whole */
    uint64_t faults;
    cw_map *ids; /* of the records so far */
} cw_check;

/* Prints a fault. unit: of place, "byte" or "line"; NULL: it is the whole file's. */
void cw_check_fault(cw_check *check, const char *unit, uint64_t place, const char *format, ...) CRAWL_PRINTF(4, 5);

/* Adds an id to a set, which cw_map_free_values frees. CRAWL_EXISTS: it is in it. CRAWL_ENOMEM. */
crawl_err cw_check_add_id(cw_map *ids, crawl_slice id);

/* Is it a date such as "2026-01-31T23:59:59Z", with a fraction or none? */
bool cw_check_is_date(crawl_slice date);

#endif
