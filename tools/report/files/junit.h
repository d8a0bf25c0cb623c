/* Writes faults as JUnit XML, which servers for continuous integration show: a suite for each fault that was asked for,
 * with a failed test for each row, or one test that passed. */
#ifndef CW_SURVEY_JUNIT_H
#define CW_SURVEY_JUNIT_H

#include "tools/report/tables/tables.h"

/* chosen: faults, ended by NULL. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_write_junit(const cw_survey_report *report, const cw_survey_table *const *chosen, const char *path,
                                crawl_error *error);

#endif
