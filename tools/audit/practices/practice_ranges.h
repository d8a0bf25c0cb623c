/* A list of the addresses of a crawler (JAFAR, draft-illyes-webbotauth-jafar-03). */
#ifndef CW_PRACTICE_RANGES_H
#define CW_PRACTICE_RANGES_H

#include "tools/audit/practices/practice.h"

/* Judges the text of a list: whether it is valid and fresh, and, unless address is NULL, whether it has that address.
 * now_s: seconds since 1970. CRAWL_EINVAL: address is none. CRAWL_ENOMEM. */
crawl_err cw_practice_ranges_check(crawl_slice text, const char *address, int64_t now_s,
                                   cw_practice_findings *findings);

#endif
