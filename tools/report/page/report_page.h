/* Writes the page of a report: report.html with its placeholders filled, report.css and report.js. The build turns
 * these files of this folder into the arrays below. */
#pragma once

#include "tools/report/tables/tables.h"

extern const char cw_survey_html[];
extern const char cw_survey_css[];
extern const char cw_survey_js[];
/* SHA-256 of the two, in hexadecimal, for the page's Content-Security-Policy. */
extern const char cw_survey_css_sha256[];
extern const char cw_survey_js_sha256[];

/* Writes the page to a file. "-": standard output. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_write_page(const cw_survey_report *report, const char *path, crawl_error *error);
