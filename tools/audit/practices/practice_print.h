/* Prints what was found of each practice, on standard output. */
#ifndef CW_PRACTICE_PRINT_H
#define CW_PRACTICE_PRINT_H

#include "tools/audit/practices/practice.h"

/* As JSON Lines, or as text. CRAWL_ENOMEM. */
crawl_err cw_practice_print(const cw_practice_findings *findings, bool jsonl);

/* How many are broken. */
unsigned cw_practice_broken(const cw_practice_findings *findings);

#endif
