/* The head of the page: whose site it is about, how much of it was seen, and what came of that. Each fills a place of
 * report.html. CRAWL_ENOMEM. */
#pragma once

#include "base/writer.h"
#include "tools/report/tables/tables.h"

crawl_err cw_survey_head_name(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_sentence(cw_writer *out, const cw_survey_report *report);
/* Nothing where all that was found was checked. */
crawl_err cw_survey_head_coverage(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_dates(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_numbers(cw_writer *out, const cw_survey_report *report);

/* The causes that kept the crawl from URLs it found: "18,307 deeper than --depth; 194 forbidden by robots.txt". */
void cw_survey_head_put_causes(cw_writer *out, const cw_survey_report *report);
/* How much of what was found was checked: "24 of 18,525 URLs that were found". */
void cw_survey_head_put_share(cw_writer *out, const cw_survey_report *report);
/* The dates of a crawl. */
void cw_survey_head_put_dates(cw_writer *out, const cw_survey *survey);
