/* The head of the page: the name of the site, how much of it was checked, and the result. Each function fills a
 * placeholder of report.html. CRAWL_ENOMEM. */
#pragma once

#include "base/writer.h"
#include "tools/report/tables/tables.h"

crawl_err cw_survey_head_name(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_sentence(cw_writer *out, const cw_survey_report *report);
/* Writes nothing if every URL found was checked. */
crawl_err cw_survey_head_coverage(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_dates(cw_writer *out, const cw_survey_report *report);
crawl_err cw_survey_head_numbers(cw_writer *out, const cw_survey_report *report);

/* Writes why the crawl did not check URLs that it found: "18,307 deeper than --depth; 194 forbidden by robots.txt". */
void cw_survey_head_put_causes(cw_writer *out, const cw_survey_report *report);
/* Writes how many of the URLs found were checked: "24 of 18,525 URLs that were found". */
void cw_survey_head_put_share(cw_writer *out, const cw_survey_report *report);
/* Writes the dates of a crawl. */
void cw_survey_head_put_dates(cw_writer *out, const cw_survey *survey);
