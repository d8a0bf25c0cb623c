/* SQL of the report: its tables, and what is made of them when all records, and then when all links are there. */
#pragma once

extern const char cw_survey_schema[];
extern const char cw_survey_pages[];
extern const char cw_survey_after_records[];
extern const char cw_survey_after_links[];
