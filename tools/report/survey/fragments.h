/* Links to a place in a page: whether the page has an element of that name. The ids of a page come with its record,
 * where the crawl had --check-fragments. */
#ifndef CW_SURVEY_FRAGMENTS_H
#define CW_SURVEY_FRAGMENTS_H

#include "tools/report/survey/survey.h"

/* Notes the link if its fragment names nothing in the page that it leads to, behind all redirects, by the HTML standard
 * (7.4.6.4, "select the indicated part"): the top of a page is always there, and so is a text fragment. A link is not
 * judged if the ids of that page are not known, or if a redirect has a fragment of its own. CRAWL_ENOMEM. */
crawl_err cw_survey_judge_fragment(cw_survey *survey, const cw_survey_page *page, const cw_survey_link *link);

#endif
