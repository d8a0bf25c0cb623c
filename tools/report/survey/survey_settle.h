/* Makes of what was read what several tables need: redirects followed, groups, folders. */
#pragma once

#include "tools/report/survey/survey.h"

/* To be called when all lines are there, of the earlier crawl too: makes the rows of pages. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_pages(cw_survey *survey);
/* The same, and what can be said of them without links. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_records(cw_survey *survey);
/* To be called when everything is there, the earlier crawl (old; NULL: none) too. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_links(cw_survey *survey, cw_survey *old);
