/* Derives from the input what several tables need: followed redirects, groups, folders. */
#pragma once

#include "tools/report/survey/survey.h"

/* Makes the rows of pages. Call when all lines have been read, those of the earlier crawl too. CRAWL_ENOMEM,
 * CRAWL_EIO. */
crawl_err cw_survey_settle_pages(cw_survey *survey);
/* Does the same, and derives what is possible without links. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_records(cw_survey *survey);
/* Call when everything has been read, also the earlier crawl. old: that crawl; NULL: none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_settle_links(cw_survey *survey, cw_survey *old);
