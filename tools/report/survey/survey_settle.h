/* Makes of what was read what several tables need: redirects followed, groups, folders. */
#ifndef CW_SURVEY_SETTLE_H
#define CW_SURVEY_SETTLE_H

#include "tools/report/survey/survey.h"

/* To be called when all records and requests are there, and before sitemaps and links. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_records(cw_survey *survey);
/* To be called when everything is there, the earlier crawl (old; NULL: none) too. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_links(cw_survey *survey, cw_survey *old);

#endif
