/* SQL of the report: its tables, and the statements run once all records, and then all links, have been read. */
#pragma once

extern const char cw_survey_schema[];
extern const char cw_survey_pages[];
extern const char cw_survey_after_records[];
extern const char cw_survey_after_links[];
