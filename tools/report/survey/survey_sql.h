/* SQL of the report: its tables, and what is made of them when all records, and then when all links are there. */
#ifndef CW_SURVEY_SQL_H
#define CW_SURVEY_SQL_H

extern const char cw_survey_schema[];
extern const char cw_survey_pages[];
extern const char cw_survey_after_records[];
extern const char cw_survey_after_links[];

#endif
